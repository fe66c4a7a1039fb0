/// `transport_packet()` (ISO/IEC 13818-1, 2.4.3.2): 188 bytes of one of up to 8192 interleaved streams.
struct TransportPacket {
  static let byteCount = 188
  static let syncByte: UInt8 = 0x47

  var isDamaged: Bool  // transport_error_indicator
  var startsUnit: Bool  // payload_unit_start_indicator
  var pid: Int
  var isScrambled: Bool  // transport_scrambling_control
  var isDiscontinuous = false  // discontinuity_indicator
  var continuity: Int  // continuity_counter
  /// Empty where there is only an adaptation field.
  var payload: Range<Int>
  var hasPayload: Bool

  /// Reads the header of the packet at the start of `bytes`; `nil` where it is none.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.byteCount, bytes[0] == Self.syncByte else { return nil }
    isDamaged = bytes[1] & 0x80 != 0
    startsUnit = bytes[1] & 0x40 != 0
    pid = Int(bytes[1] & 0x1F) << 8 | Int(bytes[2])
    isScrambled = bytes[3] & 0xC0 != 0
    continuity = Int(bytes[3] & 0x0F)
    hasPayload = bytes[3] & 0x10 != 0
    var start = 4
    if bytes[3] & 0x20 != 0 {
      let length = Int(bytes[4])  // adaptation_field_length
      isDiscontinuous = length > 0 && bytes[5] & 0x80 != 0
      start += 1 + length
    }
    payload = hasPayload && start < Self.byteCount ? start..<Self.byteCount : 0..<0
  }
}
