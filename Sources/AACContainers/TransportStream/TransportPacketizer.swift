/// Cuts units into transport packets of 188 bytes (ISO/IEC 13818-1, 2.4.3.2) and counts them, stream by stream.
struct TransportPacketizer {
  static let byteCount = 188
  private static let headerLength = 4

  private var counters: [Int: UInt8] = [:]

  /// Appends a section, with the pointer in front of it.
  mutating func put(section: [UInt8], pid: Int, to bytes: inout [UInt8]) {
    put([0] + section, pid: pid, clock: nil, filler: .payload, to: &bytes)
  }

  /// Appends a PES packet whose first transport packet tells the clock, in 1/90000 s.
  mutating func put(pes: [UInt8], pid: Int, clock: Int64, to bytes: inout [UInt8]) {
    put(pes, pid: pid, clock: clock, filler: .adaptation, to: &bytes)
  }

  /// Where the bytes go that fill the last packet.
  private enum Filler { case payload, adaptation }

  private mutating func put(
    _ unit: [UInt8], pid: Int, clock: Int64?, filler: Filler, to bytes: inout [UInt8]
  ) {
    let room = Self.byteCount - Self.headerLength
    var place = 0
    while place < unit.count {
      let isFirst = place == 0
      var field: [UInt8] = []
      if isFirst, let clock { field = Self.clockField(clock) }
      let count = min(room - field.count, unit.count - place)
      let missing = filler == .adaptation ? room - field.count - count : 0
      if missing > 0 {
        if field.isEmpty { field = missing == 1 ? [0] : [0, 0] }
        while field.count < room - count { field.append(0xFF) }
      }
      if !field.isEmpty { field[0] = UInt8(field.count - 1) }  // adaptation_field_length
      let counter = counters[pid, default: 0]
      counters[pid] = (counter + 1) & 15
      bytes.append(0x47)
      bytes.append((isFirst ? 0x40 : 0) | UInt8(truncatingIfNeeded: pid >> 8))
      bytes.append(UInt8(truncatingIfNeeded: pid))
      bytes.append((field.isEmpty ? 0x10 : 0x30) | counter)
      bytes.append(contentsOf: field)
      bytes.append(contentsOf: unit[place..<place + count])
      place += count
      while bytes.count % Self.byteCount != 0 { bytes.append(0xFF) }
    }
  }

  /// An adaptation field that says that decoding can begin here, and the clock.
  private static func clockField(_ clock: Int64) -> [UInt8] {
    let base = UInt64(bitPattern: clock) & 0x1_FFFF_FFFF
    // random_access_indicator, PCR_flag; 33 bits of base, 6 reserved, 9 of an extension of 0.
    return [
      0, 0x50, UInt8(truncatingIfNeeded: base >> 25), UInt8(truncatingIfNeeded: base >> 17),
      UInt8(truncatingIfNeeded: base >> 9), UInt8(truncatingIfNeeded: base >> 1),
      UInt8(truncatingIfNeeded: (base & 1) << 7) | 0x7E, 0,
    ]
  }
}
