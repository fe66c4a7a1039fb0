import AAC
import AACContainers
import FuzzSupport
import PCM

private func number(_ value: Int, _ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
}

private func tag(_ type: UInt8, _ body: [UInt8], _ time: Int) -> [UInt8] {
  [type] + number(body.count, 3) + number(time & 0xFF_FFFF, 3) + [0, 0, 0, 0] + body
    + number(body.count + 11, 4)
}

private let head = Array("FLV".utf8) + [1, 5, 0, 0, 0, 9, 0, 0, 0, 0]

/// Script, configuration, video and sound.
private let file: [UInt8] = {
  guard let (configuration, packets) = silence(.stereo, 8) else { return [] }
  var bytes = head + tag(18, [2, 0, 1, 65], 0) + tag(8, [0xAF, 0] + configuration.bytes, 0)
  for (index, packet) in packets.enumerated() {
    if index % 2 == 0 { bytes += tag(9, [UInt8](repeating: 0x17, count: 50), 23 * index) }
    bytes += tag(8, [0xAF, 1] + packet.data, 23 * index)
  }
  return bytes
}()

/// Flash video of any content: the first byte says whether the rest is the file, its tags, or edits of a good one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFLV(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 1 else { return 0 }
  let bytes = data.copied(count)
  let rest = bytes.dropFirst()
  let stream: [UInt8] =
    switch bytes[0] % 4 {
    case 0: Array(rest)
    case 1: head + rest
    default: edited(file, by: rest)
    }
  drain { () throws(ContainerError) in try FLVReader(WatchedSource(stream)) }
  drain { () throws(ContainerError) in try FLVReader(WatchedSource(stream, seekable: false)) }
  return 0
}
