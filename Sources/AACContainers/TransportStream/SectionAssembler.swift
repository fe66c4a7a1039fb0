/// Puts together the tables of a transport stream (ISO/IEC 13818-1, 2.4.4), which may cross packets, and lets
/// through those whose checksum fits.
struct SectionAssembler {
  /// Bytes of the largest program section.
  private static let largest = 1024
  private static let headerLength = 3

  private var bytes: [UInt8] = []
  private var isOpen = false

  /// Takes a packet's payload and calls `use` for each whole section in it.
  mutating func take(_ payload: ArraySlice<UInt8>, startsUnit: Bool, use: ([UInt8]) -> Void) {
    var rest = payload
    if startsUnit {
      guard let pointer = rest.popFirst(), Int(pointer) <= rest.count else {  // pointer_field
        isOpen = false
        return
      }
      let tail = rest.prefix(Int(pointer))
      if isOpen {
        bytes.append(contentsOf: tail)
        deliver(use)
      }
      rest = rest.dropFirst(Int(pointer))
      bytes.removeAll(keepingCapacity: true)
      isOpen = true
    }
    guard isOpen else { return }
    bytes.append(contentsOf: rest)
    deliver(use)
  }

  /// Forgets the section at hand: packets are missing.
  mutating func reset() {
    bytes.removeAll(keepingCapacity: true)
    isOpen = false
  }

  private mutating func deliver(_ use: ([UInt8]) -> Void) {
    while bytes.count >= Self.headerLength {
      // Stuffing behind the last section.
      guard bytes[0] != 0xFF else { return reset() }
      let length = Self.headerLength + (Int(bytes[1] & 0x0F) << 8 | Int(bytes[2]))  // section_length
      guard length <= Self.largest else { return reset() }
      guard bytes.count >= length else { return }
      let section = Array(bytes[..<length])
      bytes.removeFirst(length)
      if Self.checksum(section) == 0 { use(section) }
    }
  }

  /// CRC_32: zero over a section with its own checksum.
  static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var value: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      value ^= UInt32(byte) << 24
      for _ in 0..<8 { value = value & 0x8000_0000 != 0 ? value << 1 ^ 0x04C1_1DB7 : value << 1 }
    }
    return value
  }
}
