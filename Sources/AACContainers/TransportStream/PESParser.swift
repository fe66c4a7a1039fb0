/// Takes the headers off PES packets (ISO/IEC 13818-1, 2.4.3.6). Their payloads are handed on as they come:
/// nothing but a header is kept.
struct PESParser {
  private static let fixedLength = 6
  /// With the optional header's fixed part.
  private static let fullLength = 9

  /// What a transport packet's payload brought.
  struct Part {
    /// A PES packet's content starts with `content`.
    var startsPacket = false
    /// Presentation time stamp of what starts here, in 1/90000 s.
    var timestamp: Int64?
    var content: Range<Int>
    var isScrambled = false
    var trouble: String?
  }

  private enum State {
    /// For a packet's start.
    case waiting
    case header
    /// Bytes left; `nil`: up to the next start.
    case content(Int?)
  }

  private var state = State.waiting
  private var header: [UInt8] = []

  /// Takes `payload` of `bytes`.
  mutating func take(_ bytes: [UInt8], _ payload: Range<Int>, startsUnit: Bool) -> Part {
    if startsUnit {
      header.removeAll(keepingCapacity: true)
      state = .header
    }
    switch state {
    case .waiting: return Part(content: 0..<0)
    case .content(let left):
      let count = min(left ?? .max, payload.count)
      state = .content(left.map { $0 - count })
      return Part(content: payload.lowerBound..<payload.lowerBound + count)
    case .header: return takeHeader(bytes, payload)
    }
  }

  private mutating func takeHeader(_ bytes: [UInt8], _ payload: Range<Int>) -> Part {
    var place = payload.lowerBound
    while place < payload.upperBound, header.count < wantedLength {
      header.append(bytes[place])
      place += 1
    }
    var part = Part(content: 0..<0)
    guard header.count == wantedLength else { return part }
    guard header[0] == 0, header[1] == 0, header[2] == 1, header[6] & 0xC0 == 0x80 else {
      state = .waiting
      part.trouble = "a PES packet has no header"
      return part
    }
    part.startsPacket = true
    part.isScrambled = header[6] & 0x30 != 0  // PES_scrambling_control
    if header[7] & 0x80 != 0, header[8] >= 5 { part.timestamp = timestamp }
    let length = Int(header[4]) << 8 | Int(header[5])  // PES_packet_length
    let left = length - (header.count - Self.fixedLength)
    if length > 0, left < 0 {
      state = .waiting
      part.trouble = "a PES packet is shorter than its header"
      return part
    }
    let count = min(length > 0 ? left : .max, payload.upperBound - place)
    state = .content(length > 0 ? left - count : nil)
    part.content = place..<place + count
    return part
  }

  private var wantedLength: Int {
    header.count < Self.fullLength ? Self.fullLength : Self.fullLength + Int(header[8])
  }

  private var timestamp: Int64 {
    var value = Int64(header[9] >> 1 & 7)
    value = value << 15 | Int64(header[10]) << 7 | Int64(header[11] >> 1)
    return value << 15 | Int64(header[12]) << 7 | Int64(header[13] >> 1)
  }
}
