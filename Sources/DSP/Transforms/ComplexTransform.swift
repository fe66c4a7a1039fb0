/// A forward complex transform of fixed size: Y[k] = gain·Σ x[n]·exp(−2πi·nk/size).
///
/// The input stands as vectors, number n in lane n mod 8 of vector n/8. Lane by lane, transforms of size/8
/// points run side by side (`passes`); a last step turns eight vectors at a time, so that the lanes become
/// neighbours in k, and joins the eight with one butterfly.
///
/// Size 60 is not a multiple of 8: it uses four lanes and leaves the upper four idle.
final class ComplexTransform {
  let size: Int
  /// Lanes in use, 8 or 4.
  let lanes: Int
  /// Points in each lane's transform.
  private let length: Int
  private let passTwiddles: FloatStore
  private let laneTwiddles: FloatStore
  private let first: FloatStore
  private let second: FloatStore

  /// Where the caller puts the input: size/lanes vectors of `ComplexLanes`.
  var input: UnsafeMutablePointer<Float> { first.pointer }

  init(size: Int, gain: Double = 1) {
    self.size = size
    lanes = size % 8 == 0 ? 8 : 4
    length = size / lanes
    let radices = ComplexTransform.radices(length: length)
    precondition(!radices.isEmpty && size == lanes * length, "a size this transform knows")
    passTwiddles = FloatStore(ComplexTransform.passTwiddles(length: length, radices: radices))
    laneTwiddles = FloatStore(
      ComplexTransform.laneTwiddles(size: size, lanes: lanes, length: length, gain: gain))
    first = FloatStore(count: 16 * length)
    second = FloatStore(count: 16 * length)
  }

  /// Transforms what is in `input`, which is lost. The result lies in scratch until the next call: `size`
  /// real parts, then `size` imaginary parts.
  func run() -> UnsafeMutablePointer<Float> {
    let a = first.pointer
    let b = second.pointer
    let twiddles = UnsafePointer(passTwiddles.pointer)
    let last = UnsafePointer(laneTwiddles.pointer)
    switch length {
    case 8:
      TransformPasses.radix4(a, b, 2, 1, twiddles)
      TransformPasses.radix2(b, a, 4)
      TransformPasses.joinEight(a, b, 8, last)
      return b
    case 16:
      TransformPasses.radix4(a, b, 4, 1, twiddles)
      TransformPasses.radix4Last(b, a, 4)
      TransformPasses.joinEight(a, b, 16, last)
      return b
    case 32:
      TransformPasses.radix4(a, b, 8, 1, twiddles)
      TransformPasses.radix4(b, a, 2, 4, twiddles + 16 * 24)
      TransformPasses.radix2(a, b, 16)
      TransformPasses.joinEight(b, a, 32, last)
      return a
    case 64:
      TransformPasses.radix4(a, b, 16, 1, twiddles)
      TransformPasses.radix4(b, a, 4, 4, twiddles + 16 * 48)
      TransformPasses.radix4Last(a, b, 16)
      TransformPasses.joinEight(b, a, 64, last)
      return a
    case 128:
      TransformPasses.radix4(a, b, 32, 1, twiddles)
      TransformPasses.radix4(b, a, 8, 4, twiddles + 16 * 96)
      TransformPasses.radix4(a, b, 2, 16, twiddles + 16 * 120)
      TransformPasses.radix2(b, a, 64)
      TransformPasses.joinEight(a, b, 128, last)
      return b
    case 60:
      TransformPasses.radix4(a, b, 15, 1, twiddles)
      TransformPasses.radix3(b, a, 5, 4, twiddles + 16 * 45)
      TransformPasses.radix5Last(a, b, 12)
      TransformPasses.joinEight(b, a, 60, last)
      return a
    case 30:
      TransformPasses.radix2First(a, b, 15, twiddles)
      TransformPasses.radix3(b, a, 5, 2, twiddles + 16 * 15)
      TransformPasses.radix5Last(a, b, 6)
      TransformPasses.joinEight(b, a, 30, last)
      return a
    default:
      TransformPasses.radix3(a, b, 5, 1, twiddles)
      TransformPasses.radix5Last(b, a, 3)
      TransformPasses.joinFour(a, b, 15, last)
      return b
    }
  }

  private static func radices(length: Int) -> [Int] {
    switch length {
    case 8: [4, 2]
    case 16: [4, 4]
    case 32: [4, 4, 2]
    case 64: [4, 4, 4]
    case 128: [4, 4, 4, 2]
    case 60: [4, 3, 5]
    case 30: [2, 3, 5]
    case 15: [3, 5]
    default: []
    }
  }

  /// For each pass but the last, for each p: the radix − 1 factors exp(−2πi·rp/n), in every lane the same.
  private static func passTwiddles(length: Int, radices: [Int]) -> [Double] {
    var values: [Double] = []
    var rest = length
    for radix in radices.dropLast() {
      for p in 0..<(rest / radix) {
        for r in 1..<radix {
          let root = Elementary.root(r * p, of: rest)
          values += [Double](repeating: root.re, count: 8)
          values += [Double](repeating: root.im, count: 8)
        }
      }
      rest /= radix
    }
    return values
  }

  /// For each block of eight k (the last may overlap the one before) and each lane, in every vector lane
  /// gain·exp(−2πi·lane·k/size).
  private static func laneTwiddles(size: Int, lanes: Int, length: Int, gain: Double) -> [Double] {
    var values: [Double] = []
    for block in 0..<((length + 7) / 8) {
      let start = min(8 * block, length - 8)
      for lane in 0..<lanes {
        let roots = (start..<(start + 8)).map { Elementary.root(lane * $0, of: size) }
        values += roots.map { $0.re * gain }
        values += roots.map { $0.im * gain }
      }
    }
    return values
  }
}
