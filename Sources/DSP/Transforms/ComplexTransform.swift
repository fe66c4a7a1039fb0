/// A forward complex transform of fixed size: Y[k] = gain·Σ x[n]·exp(−2πi·nk/size).
///
/// The input stands as vectors, number n in lane n mod 8 of vector n/8. Lane by lane, transforms of size/8
/// points run side by side (`TransformPasses`); a last step turns several vectors at a time, so that the lanes
/// become neighbours in k, and joins the lanes' transforms with one butterfly (`TransformJoins`).
///
/// Size 60 is not a multiple of 8: it uses four lanes and leaves the upper four idle.
final class ComplexTransform {
  /// Registers for a vector of eight lanes.
  static let parts = 8 / RegisterLanes.scalarCount

  let order: ResultOrder
  private let passTwiddles: FloatStore
  private let laneTwiddles: FloatStore
  private let first: FloatStore
  private let second: FloatStore

  /// Where the caller puts the input: size/lanes vectors of eight real and eight imaginary parts.
  let input: UnsafeMutablePointer<Float>

  init(size: Int, gain: Double = 1, order kind: ResultOrder.Kind) {
    let lanes = size % 8 == 0 ? 8 : 4
    let order = ResultOrder(kind: kind, size: size, lanes: lanes, length: size / lanes)
    let radices = ComplexTransform.radices(length: order.length)
    precondition(!radices.isEmpty && size == lanes * order.length, "a size this transform knows")
    self.order = order
    passTwiddles = FloatStore(ComplexTransform.passTwiddles(length: order.length, radices: radices))
    laneTwiddles = FloatStore(ComplexTransform.laneTwiddles(order, gain: gain))
    first = FloatStore(count: max(16 * order.length, order.floats))
    second = FloatStore(count: max(16 * order.length, order.floats))
    input = first.pointer
  }

  /// Transforms what is in `input`, which is lost. The result lies in scratch until the next call.
  func run() -> UnsafePointer<Float> {
    let a = first.pointer
    let b = second.pointer
    let source = passes(a, b)
    let result = source == a ? b : a
    if order.lanes == 8 {
      TransformJoins.joinEight(source, result, order, laneTwiddles.pointer)
    } else {
      TransformJoins.joinFour(source, result, order, laneTwiddles.pointer)
    }
    return UnsafePointer(result)
  }

  /// Runs the lanes' transforms from `a`; returns where they end, `a` or `b`.
  private func passes(
    _ a: UnsafeMutablePointer<Float>, _ b: UnsafeMutablePointer<Float>
  ) -> UnsafeMutablePointer<Float> {
    let twiddles = UnsafePointer(passTwiddles.pointer)
    switch order.length {
    case 8:
      TransformPasses.radix4(a, b, 2, 1, twiddles)
      TransformPasses.radix2Last(b, a, 4)
      return a
    case 16:
      TransformPasses.radix4(a, b, 4, 1, twiddles)
      TransformPasses.radix4Last(b, a, 4)
      return a
    case 32:
      TransformPasses.radix4(a, b, 8, 1, twiddles)
      TransformPasses.radix4(b, a, 2, 4, twiddles + 16 * 24)
      TransformPasses.radix2Last(a, b, 16)
      return b
    case 64:
      TransformPasses.radix4(a, b, 16, 1, twiddles)
      TransformPasses.radix4(b, a, 4, 4, twiddles + 16 * 48)
      TransformPasses.radix4Last(a, b, 16)
      return b
    case 128:
      TransformPasses.radix4(a, b, 32, 1, twiddles)
      TransformPasses.radix4(b, a, 8, 4, twiddles + 16 * 96)
      TransformPasses.radix4(a, b, 2, 16, twiddles + 16 * 120)
      TransformPasses.radix2Last(b, a, 64)
      return a
    case 60:
      TransformPasses.radix4(a, b, 15, 1, twiddles)
      TransformPasses.radix3(b, a, 5, 4, twiddles + 16 * 45, 8)
      TransformPasses.radix5Last(a, b, 12, 8)
      return b
    case 30:
      TransformPasses.radix2First(a, b, 15, twiddles)
      TransformPasses.radix3(b, a, 5, 2, twiddles + 16 * 15, 8)
      TransformPasses.radix5Last(a, b, 6, 8)
      return b
    default:
      TransformPasses.radix3(a, b, 5, 1, twiddles, 4)
      TransformPasses.radix5Last(b, a, 3, 4)
      return a
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

  /// For each step of the join and each lane gain·exp(−2πi·lane·k/size) for the step's k.
  private static func laneTwiddles(_ order: ResultOrder, gain: Double) -> [Double] {
    var values: [Double] = []
    for join in order.joins {
      for lane in 0..<order.lanes {
        let roots = join.map { Elementary.root(lane * $0, of: order.size) }
        values += roots.map { $0.re * gain }
        values += roots.map { $0.im * gain }
      }
    }
    return values
  }
}
