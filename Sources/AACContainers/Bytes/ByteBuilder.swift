/// Appends big-endian numbers to bytes.
struct ByteBuilder {
  private(set) var bytes: [UInt8] = []

  var count: Int { bytes.count }

  mutating func put(_ value: UInt64, _ count: Int) {
    for index in 0..<count {
      bytes.append(UInt8(truncatingIfNeeded: value >> UInt64((count - 1 - index) * 8)))
    }
  }

  mutating func uint8(_ value: Int) { put(UInt64(truncatingIfNeeded: value), 1) }
  mutating func uint16(_ value: Int) { put(UInt64(truncatingIfNeeded: value), 2) }
  mutating func uint24(_ value: Int) { put(UInt64(truncatingIfNeeded: value), 3) }
  mutating func uint32(_ value: Int64) { put(UInt64(truncatingIfNeeded: value), 4) }
  mutating func uint64(_ value: Int64) { put(UInt64(truncatingIfNeeded: value), 8) }
  mutating func fourCC(_ code: FourCC) { put(UInt64(code.value), 4) }
  mutating func append(_ data: [UInt8]) { bytes.append(contentsOf: data) }
  mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }
  mutating func zeros(_ count: Int) { bytes.append(contentsOf: repeatElement(0, count: count)) }

  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// A box whose size is filled in when `content` has been written. `reserving` counts bytes of its end
  /// that are written elsewhere.
  mutating func box(_ type: FourCC, reserving rest: Int64 = 0, _ content: (inout ByteBuilder) -> Void) {
    let start = bytes.count
    uint32(0)
    fourCC(type)
    content(&self)
    let size = Int64(bytes.count - start) + rest
    for index in 0..<4 { bytes[start + index] = UInt8(truncatingIfNeeded: size >> Int64((3 - index) * 8)) }
  }

  /// A box with version and flags.
  mutating func fullBox(
    _ type: FourCC, version: Int = 0, flags: Int = 0, _ content: (inout ByteBuilder) -> Void
  ) {
    box(type) {
      $0.uint8(version)
      $0.uint24(flags)
      content(&$0)
    }
  }
}
