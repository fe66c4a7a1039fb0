/// Reads bits, most significant first, from bytes that are never trusted.
///
/// A read past the end throws and moves nothing. Bits are held left-aligned in `cache`; `cached` of them
/// are valid, `next` is the first byte not yet in the cache.
public struct BitReader: Sendable {
  @usableFromInline let bytes: [UInt8]
  @usableFromInline let end: Int
  @usableFromInline var next: Int
  @usableFromInline var cache: UInt64 = 0
  @usableFromInline var cached: Int = 0
  @usableFromInline let start: Int

  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
    start = 0
    next = 0
    end = bytes.count
  }

  /// Reads `range` of `bytes` only; positions count from its start.
  public init(_ bytes: [UInt8], range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
    self.bytes = bytes
    start = range.lowerBound
    next = range.lowerBound
    end = range.upperBound
  }

  /// Bits consumed so far.
  public var position: Int { (next - start) * 8 - cached }
  /// Bits left.
  public var remaining: Int { (end - next) * 8 + cached }
  public var isByteAligned: Bool { position & 7 == 0 }

  /// Tops the cache up to at least 57 bits, or to all that is left.
  @inline(__always)
  mutating func refill() {
    if cached <= 32, next + 4 <= end {
      let word =
        UInt64(bytes[next]) << 24 | UInt64(bytes[next + 1]) << 16 | UInt64(bytes[next + 2]) << 8
        | UInt64(bytes[next + 3])
      cache |= word &<< UInt64(32 - cached)
      cached += 32
      next += 4
    }
    while cached <= 56, next < end {
      cache |= UInt64(bytes[next]) &<< UInt64(56 - cached)
      cached += 8
      next += 1
    }
  }

  /// The next `count` (1…32) bits without consuming them; bits past the end read as zero.
  @inline(__always)
  mutating func peek(_ count: Int) -> Int {
    if cached < count { refill() }
    return Int(truncatingIfNeeded: cache &>> UInt64(64 - count))
  }

  /// Consumes `count` bits that a `peek` of at least as many has looked at.
  @inline(__always)
  mutating func consume(_ count: Int) throws(AACError) {
    guard count <= cached else { throw shortage(of: count) }
    cache = cache &<< UInt64(count)
    cached -= count
  }

  /// An unsigned number of `count` (0…32) bits.
  @inline(__always)
  public mutating func uint(_ count: Int) throws(AACError) -> Int {
    if count == 0 { return 0 }
    let value = peek(count)
    try consume(count)
    return value
  }

  @inline(__always)
  public mutating func flag() throws(AACError) -> Bool { try uint(1) != 0 }

  /// Skips any number of bits.
  public mutating func skip(_ count: Int) throws(AACError) {
    guard count >= 0, count <= remaining else { throw shortage(of: count) }
    if count <= cached {
      cache = count == 64 ? 0 : cache << UInt64(count)
      cached -= count
      return
    }
    let target = position + count
    next = start + target / 8
    cache = 0
    cached = 0
    if target & 7 != 0 {
      refill()
      cache <<= UInt64(target & 7)
      cached -= target & 7
    }
  }

  /// Skips to the next byte boundary, counted from the reader's start.
  public mutating func alignToByte() throws(AACError) {
    try skip((8 - position & 7) & 7)
  }

  /// An error at the present position.
  public func failure(_ reason: AACError.Reason) -> AACError {
    AACError(reason, bitOffset: position)
  }

  @inline(never)
  func shortage(of count: Int) -> AACError {
    failure(.truncated(missingBits: max(1, count - remaining)))
  }
}
