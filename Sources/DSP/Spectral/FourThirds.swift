/// Ways to raise quantised values to 4/3, sign kept; which one serves depends on the largest magnitude.
protocol FourThirds {
  /// The powers of eight values. `signed` false: no value is negative.
  func of(_ q: UnsafePointer<Int16>, signed: Bool) -> Lanes8
  func of(_ q: SIMD8<Int16>, signed: Bool) -> Lanes8
}

/// Magnitudes 0…15: two tables, each in one register. Only where one instruction can look up all lanes.
struct SmallFourThirds: FourThirds {
  static let largest = 15
  private let low: Lanes8
  private let high: Lanes8

  /// - Parameter centre: of `PowerTable.fourThirds`.
  @inline(__always)
  init(_ centre: UnsafePointer<Float> = PowerTable.fourThirds.centre) {
    low = load(centre)
    high = load(centre + 8)
  }

  @inline(__always)
  func of(_ q: UnsafePointer<Int16>, signed: Bool) -> Lanes8 { of(load(q), signed: signed) }

  @inline(__always)
  func of(_ q: SIMD8<Int16>, signed: Bool) -> Lanes8 {
    guard signed else { return Lanes.lookUp(q, low, high) }
    let power = unsafeBitCast(Lanes.lookUp(magnitude(q), low, high), to: SIMD8<UInt32>.self)
    let sign = unsafeBitCast(Lanes.floats(q), to: SIMD8<UInt32>.self) & SIMD8(repeating: 0x8000_0000)
    return unsafeBitCast(power | sign, to: Lanes8.self)
  }
}

/// Magnitudes 0…8191: the whole table.
struct TableFourThirds: FourThirds {
  static let largest = 8191
  private let centre: UnsafePointer<Float>

  /// - Parameter centre: of `PowerTable.fourThirds`.
  @inline(__always)
  init(_ centre: UnsafePointer<Float> = PowerTable.fourThirds.centre) { self.centre = centre }

  @inline(__always)
  func of(_ q: UnsafePointer<Int16>, signed: Bool) -> Lanes8 {
    Lanes8(
      centre[Int(q[0])], centre[Int(q[1])], centre[Int(q[2])], centre[Int(q[3])],
      centre[Int(q[4])], centre[Int(q[5])], centre[Int(q[6])], centre[Int(q[7])])
  }

  @inline(__always)
  func of(_ q: SIMD8<Int16>, signed: Bool) -> Lanes8 {
    Lanes8(
      centre[Int(q[0])], centre[Int(q[1])], centre[Int(q[2])], centre[Int(q[3])],
      centre[Int(q[4])], centre[Int(q[5])], centre[Int(q[6])], centre[Int(q[7])])
  }
}

/// Any value: magnitudes above 8191 count as 8191.
struct LimitedFourThirds: FourThirds {
  private let table = TableFourThirds()

  @inline(__always)
  func of(_ q: UnsafePointer<Int16>, signed: Bool) -> Lanes8 { of(load(q), signed: signed) }

  @inline(__always)
  func of(_ q: SIMD8<Int16>, signed: Bool) -> Lanes8 {
    let top = SIMD8<Int16>(repeating: 8191)
    let bottom = SIMD8<Int16>(repeating: signed ? -8191 : 0)
    let limited = q.replacing(with: top, where: q .> top)
    return table.of(limited.replacing(with: bottom, where: limited .< bottom), signed: signed)
  }
}

/// |q|, and −32768 for itself.
@inline(__always)
func magnitude(_ q: SIMD8<Int16>) -> SIMD8<Int16> {
  let sign = q &>> SIMD8(repeating: 15)
  return (q ^ sign) &- sign
}

/// What a run of quantised values has in common.
struct QuantizedBits {
  /// No magnitude is larger than this; it is less than twice the largest.
  let magnitude: Int
  let hasNegative: Bool

  @inline(__always)
  init(_ q: UnsafePointer<Int16>, _ count: Int) {
    var all = SIMD8<Int16>(repeating: 0)
    var sizes = all
    var index = 0
    while index &+ 8 <= count {
      let values = load(q + index)
      all |= values
      sizes |= DSP.magnitude(values)
      index &+= 8
    }
    if index < count {
      let values = loadPartial(q + index, count - index)
      all |= values
      sizes |= DSP.magnitude(values)
    }
    hasNegative = QuantizedBits.joined(all) >= 0x8000
    magnitude = QuantizedBits.joined(sizes)
  }

  @inline(__always)
  private static func joined(_ values: SIMD8<Int16>) -> Int {
    let words = unsafeBitCast(values, to: SIMD2<UInt64>.self)
    let four = words[0] | words[1]
    let two = four | four >> 32
    return Int((two | two >> 16) & 0xFFFF)
  }
}
