import DSP

/// Appends bits, most significant first, to a growing array of bytes.
public struct BitWriter: Sendable {
  /// The whole bytes written so far.
  public private(set) var bytes: [UInt8] = []
  var cache: UInt64 = 0
  var cached: Int = 0

  public init() {}

  /// Bits written so far.
  public var bitCount: Int { bytes.count * 8 + cached }

  /// Forgets what was written and keeps the storage.
  public mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    cache = 0
    cached = 0
  }

  /// Appends the low `count` (0…32) bits of `value`, which must fit them.
  @inline(__always)
  public mutating func put(_ value: Int, _ count: Int) {
    assert(count >= 0 && count <= 32 && value >= 0 && value < 1 << count)
    cache = cache &<< UInt64(count) | UInt64(truncatingIfNeeded: value)
    cached &+= count
    while cached >= 8 {
      cached &-= 8
      bytes.append(UInt8(truncatingIfNeeded: cache &>> UInt64(cached)))
    }
  }

  @inline(__always)
  public mutating func put(_ flag: Bool) { put(flag ? 1 : 0, 1) }

  /// Appends the lines of one group's bands in their codebooks, see `CodewordTables.write`.
  mutating func put(
    _ spectrum: [Int16], from start: Int, offsets: [Int], windows: Int, codebooks: ArraySlice<UInt8>
  ) {
    CodewordTables.spectral.write(
      spectrum, from: start, offsets: offsets, windows: windows, codebooks: codebooks, to: &bytes,
      cache: &cache, cached: &cached)
  }

  /// Pads with zero bits to the next byte boundary.
  public mutating func alignToByte() {
    if cached > 0 { put(0, 8 - cached) }
  }
}
