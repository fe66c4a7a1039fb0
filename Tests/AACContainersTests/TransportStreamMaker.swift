@testable import AACContainers

/// Makes transport streams of every shape.
struct TransportStreamMaker {
  struct Stream {
    var pid: Int
    var type: Int
  }

  var streams: [Stream]
  var program = 1
  var mapPID = 0x100
  var stride = 188
  /// Descriptors of the program, to make the table longer.
  var descriptorBytes = 0
  /// Lengths of PES packets are told.
  var tellsLength = true
  var breaksChecksum = false
  /// Adaptation field bytes in front of a PES packet's start, so that its header crosses packets.
  var stuffing = 0
  private(set) var bytes: [UInt8] = []
  private var counters: [Int: Int] = [:]

  init(_ streams: [Stream] = [Stream(pid: 0x101, type: 0x0F)]) { self.streams = streams }

  mutating func tables() {
    var list = ByteBuilder()
    list.uint16(1)  // transport_stream_id
    list.uint8(0xC1)
    list.uint16(0)
    list.uint16(0)
    list.uint16(0xE010)  // the network's own table
    list.uint16(program)
    list.uint16(0xE000 | mapPID)
    put(pid: 0, section(0, list.bytes))
    var map = ByteBuilder()
    map.uint16(program)
    map.uint8(0xC1)
    map.uint16(0)
    map.uint16(0xE000 | (streams.first?.pid ?? 0))
    map.uint16(0xF000 | descriptorBytes)
    map.zeros(descriptorBytes)
    for stream in streams {
      map.uint8(stream.type)
      map.uint16(0xE000 | stream.pid)
      map.uint16(0xF003)
      map.append([0x0A, 1, 0])
    }
    var bytes = section(2, map.bytes)
    if breaksChecksum { bytes[bytes.count - 1] ^= 1 }
    put(pid: mapPID, bytes)
  }

  private func section(_ table: Int, _ content: [UInt8]) -> [UInt8] {
    var bytes = ByteBuilder()
    bytes.uint8(table)
    bytes.uint16(0xB000 | (content.count + 4))
    bytes.append(content)
    let checksum = SectionAssembler.checksum(bytes.bytes)
    bytes.put(UInt64(checksum), 4)
    return [0] + bytes.bytes
  }

  mutating func pes(_ content: [UInt8], pid: Int = 0x101, timestamp: Int64? = nil, scrambled: Bool = false) {
    var pes = ByteBuilder()
    pes.put(0x0000_01C0, 4)
    let headerLength = timestamp == nil ? 2 : 7
    pes.uint16(tellsLength ? 3 + headerLength + content.count : 0)
    pes.uint8(scrambled ? 0x90 : 0x80)
    pes.uint8(timestamp == nil ? 0 : 0x80)
    pes.uint8(headerLength)
    if let timestamp {
      pes.uint8(0x21 | Int(timestamp >> 30 & 7) << 1)
      pes.uint16(Int(timestamp >> 15 & 0x7FFF) << 1 | 1)
      pes.uint16(Int(timestamp & 0x7FFF) << 1 | 1)
    }
    pes.append([0xFF, 0xFF])
    pes.append(content)
    put(pid: pid, pes.bytes, stuffing: stuffing)
  }

  /// Puts a unit into as many packets as it needs.
  mutating func put(
    pid: Int, _ unit: [UInt8], stuffing: Int = 0, control: UInt8 = 0, discontinuous: Bool = false
  ) {
    var place = 0
    var isFirst = true
    while place < unit.count {
      let wanted = isFirst ? stuffing : 0
      var count = min(184 - wanted, unit.count - place)
      var field = 184 - count
      if isFirst, discontinuous, field < 2 {
        field = 2
        count = 182
      }
      var packet: [UInt8] = [0x47, UInt8(pid >> 8) | (isFirst ? 0x40 : 0), UInt8(pid & 0xFF)]
      let counter = counters[pid, default: 0]
      counters[pid] = (counter + 1) & 15
      packet.append(control | (field > 0 ? 0x30 : 0x10) | UInt8(counter))
      if field > 0 { packet.append(UInt8(field - 1)) }
      if field > 1 { packet.append(isFirst && discontinuous ? 0x80 : 0) }
      while packet.count < 4 + field { packet.append(0xFF) }
      packet += unit[place..<place + count]
      append(packet)
      place += count
      isFirst = false
    }
  }

  mutating func append(_ packet: [UInt8]) {
    if stride == 192 { bytes += [1, 2, 0x47, 4] }
    bytes += packet
    if stride == 204 { bytes += [UInt8](repeating: 0x55, count: 16) }
  }

  /// Stuffing of the multiplex.
  mutating func null() { append([0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0xFF, count: 184)) }

  /// Leaves out a number of counts, as lost packets do.
  mutating func skipCounts(_ count: Int, pid: Int = 0x101) { counters[pid, default: 0] += count }

  mutating func setCount(_ count: Int, pid: Int = 0x101) { counters[pid] = count & 15 }

  /// All of `stream` in PES packets of `size` bytes.
  mutating func fill(_ stream: [UInt8], size: Int, pid: Int = 0x101) {
    for (index, start) in Swift.stride(from: 0, to: stream.count, by: size).enumerated() {
      if index % 7 == 0 { tables() }
      if index % 3 == 0 { null() }
      if index % 2 == 0 {
        put(pid: 0x200, [0, 0, 1, 0xE0, 0, 0, 0x80, 0, 0] + [UInt8](repeating: 7, count: 500))
      }
      pes(Array(stream[start..<min(start + size, stream.count)]), pid: pid)
    }
  }
}
