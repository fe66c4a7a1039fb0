/// A forward complex transform of fixed size over split re/im blocks:
/// Y[k] = Σ x[n]·exp(−2πi·nk/size). Sizes are products of 2, 3 and 5.
final class ComplexFFT {
  let size: Int
  private let radices: [Int]
  private let roots: FloatStore
  private let scratch: FloatStore

  init(size: Int) {
    var radices: [Int] = []
    var rest = size
    for radix in [4, 2, 3, 5] {
      while rest % radix == 0 {
        radices.append(radix)
        rest /= radix
      }
    }
    precondition(size > 0 && rest == 1, "a size made of 2, 3 and 5")
    self.size = size
    self.radices = radices
    let values = (0..<size).map { Elementary.root($0, of: size) }
    roots = FloatStore(values.map(\.re) + values.map(\.im))
    scratch = FloatStore(count: 2 * size)
  }

  /// Transforms `re` and `im` (`size` values each) in place.
  func transform(_ re: UnsafeMutablePointer<Float>, _ im: UnsafeMutablePointer<Float>) {
    var sourceRe = re
    var sourceIm = im
    var targetRe = scratch.pointer
    var targetIm = scratch.pointer + size
    var length = size
    var stride = 1
    for radix in radices {
      pass(radix, length, stride, sourceRe, sourceIm, targetRe, targetIm)
      swap(&sourceRe, &targetRe)
      swap(&sourceIm, &targetIm)
      length /= radix
      stride *= radix
    }
    if sourceRe != re {
      re.update(from: sourceRe, count: size)
      im.update(from: sourceIm, count: size)
    }
  }

  private func pass(
    _ radix: Int, _ length: Int, _ stride: Int,
    _ sourceRe: UnsafeMutablePointer<Float>, _ sourceIm: UnsafeMutablePointer<Float>,
    _ targetRe: UnsafeMutablePointer<Float>, _ targetIm: UnsafeMutablePointer<Float>
  ) {
    let cosines = roots.pointer
    let sines = roots.pointer + size
    let part = length / radix
    for p in 0..<part {
      for r in 0..<radix {
        let twiddle = r * p * stride
        let c = cosines[twiddle]
        let s = sines[twiddle]
        for q in 0..<stride {
          var sumRe: Float = 0
          var sumIm: Float = 0
          for m in 0..<radix {
            let a = sourceRe[q + stride * (p + m * part)]
            let b = sourceIm[q + stride * (p + m * part)]
            let index = (m * r) % radix * (size / radix)
            sumRe += a * cosines[index] - b * sines[index]
            sumIm += a * sines[index] + b * cosines[index]
          }
          targetRe[q + stride * (radix * p + r)] = sumRe * c - sumIm * s
          targetIm[q + stride * (radix * p + r)] = sumRe * s + sumIm * c
        }
      }
    }
  }
}
