import AAC
import AACContainers
import FuzzSupport
import PCM

/// ADTS and LOAS in transport packets, with their tables.
private let files: [[UInt8]] = {
  guard let (configuration, packets) = silence(.stereo, 12) else { return [] }
  let adts = MemorySink()
  let loas = MemorySink()
  let writers: [(any PacketWriter)?] = [
    try? ADTSWriter(adts, configuration: configuration), try? LOASWriter(loas, configuration: configuration),
  ]
  for case let writer? in writers {
    for packet in packets { try? writer.write(packet) }
    try? writer.finish()
  }
  return [
    multiplex(adts.bytes, type: 0x0F), multiplex(loas.bytes, type: 0x11), multiplex(loas.bytes, type: 0x06),
  ]
}()

private func checksum(_ bytes: [UInt8]) -> [UInt8] {
  var value: UInt32 = 0xFFFF_FFFF
  for byte in bytes {
    value ^= UInt32(byte) << 24
    for _ in 0..<8 { value = value & 0x8000_0000 != 0 ? value << 1 ^ 0x04C1_1DB7 : value << 1 }
  }
  return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
}

/// Tables, then the stream in PES packets of 100 bytes with time stamps.
private func multiplex(_ stream: [UInt8], type: UInt8) -> [UInt8] {
  var bytes: [UInt8] = []
  var counters: [Int: UInt8] = [:]
  func put(_ pid: Int, _ unit: [UInt8]) {
    let field = 184 - unit.count
    let counter = counters[pid, default: 0]
    counters[pid] = (counter + 1) & 15
    bytes += [0x47, 0x40 | UInt8(pid >> 8), UInt8(pid & 0xFF), (field > 0 ? 0x30 : 0x10) | counter]
    if field > 0 { bytes.append(UInt8(field - 1)) }
    if field > 1 { bytes += [0] + [UInt8](repeating: 0xFF, count: field - 2) }
    bytes += unit
  }
  let programs: [UInt8] = [0, 0xB0, 13, 0, 1, 0xC1, 0, 0, 0, 1, 0xE1, 0]
  let map: [UInt8] = [2, 0xB0, 18, 0, 1, 0xC1, 0, 0, 0xE1, 1, 0xF0, 0, type, 0xE1, 1, 0xF0, 0]
  for (index, start) in stride(from: 0, to: stream.count, by: 100).enumerated() {
    if index % 4 == 0 {
      put(0, [0] + programs + checksum(programs))
      put(0x100, [0] + map + checksum(map))
    }
    let part = stream[start..<min(start + 100, stream.count)]
    let header: [UInt8] = [
      0, 0, 1, 0xC0, 0, UInt8(8 + part.count), 0x80, 0x80, 5, 0x21, 0, UInt8(2 * index + 1), 0, 1,
    ]
    put(0x101, header + part)
  }
  return bytes
}

/// Transport streams of any content: the first byte says whether the rest is the stream, or edits of a good one,
/// whose tables keep their checksums.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTransportStream(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 1 else { return 0 }
  let bytes = data.copied(count)
  let choice = Int(bytes[0])
  if choice < 64 {
    run(Array(bytes.dropFirst()))
  } else if choice < 128 {
    // Any elementary stream in a good multiplex.
    run(multiplex(Array(bytes.dropFirst()), type: choice % 2 == 0 ? 0x0F : 0x11))
  } else {
    run(edited(files[choice % files.count], by: bytes.dropFirst()))
  }
  return 0
}

private func run(_ stream: [UInt8]) {
  drain { () throws(ContainerError) in try TransportStreamReader(WatchedSource(stream)) }
  drain { () throws(ContainerError) in try TransportStreamReader(WatchedSource(stream, seekable: false)) }
}
