/// The two tables that a transport stream of one AAC stream needs, as sections (ISO/IEC 13818-1, 2.4.4).
enum TransportTables {
  static let program = 1
  static let mapPID = 0x1000
  static let audioPID = 0x100
  private static let adts = 0x0F

  /// program_association_section
  static let association: [UInt8] = section(0, number: 1) {
    $0.uint16(program)
    $0.uint16(0xE000 | mapPID)
  }

  /// TS_program_map_section: one stream of ADTS, which also carries the clock.
  static let map: [UInt8] = section(2, number: program) {
    $0.uint16(0xE000 | audioPID)  // PCR_PID
    $0.uint16(0xF000)  // program_info_length
    $0.uint8(adts)
    $0.uint16(0xE000 | audioPID)
    $0.uint16(0xF000)  // ES_info_length
  }

  private static func section(
    _ table: Int, number: Int, _ content: (inout ByteBuilder) -> Void
  ) -> [UInt8] {
    var body = ByteBuilder()
    body.uint16(number)
    body.uint8(0xC1)  // version 0, current
    body.uint16(0)  // section_number, last_section_number
    content(&body)
    var bytes = ByteBuilder()
    bytes.uint8(table)
    bytes.uint16(0xB000 | (body.count + 4))
    bytes.append(body.bytes)
    bytes.put(UInt64(SectionAssembler.checksum(bytes.bytes)), 4)
    return bytes.bytes
  }
}
