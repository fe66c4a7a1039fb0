import AAC
import AACContainers
import FuzzSupport
import PCM

private let files: [[UInt8]] = {
  guard let (configuration, packets) = silence(.stereo, 6) else { return [] }
  let tags = Tags([("title", "T"), ("track", "1/2"), ("genre", "Jazz"), ("x:y", "z"), ("bpm", "90")])
  let whole = MemorySink()
  let fragmented = MemorySink()
  var options = FragmentedMP4Writer.Options(tags: tags)
  options.packetsPerFragment = 2
  // No more room for the index than it needs.
  options.expectedFrames = 6 * 1024
  var plain = M4AWriter.Options(tags: tags)
  plain.chapters = [Chapter(start: 0, title: "One"), Chapter(start: 0.05, title: "Two")]
  let writers: [(any PacketWriter)?] = [
    try? M4AWriter(whole, configuration: configuration, options: plain),
    try? FragmentedMP4Writer(fragmented, configuration: configuration, options: options),
  ]
  for case let writer? in writers {
    for packet in packets { try? writer.write(packet) }
    try? writer.finish()
  }
  return [whole.bytes, fragmented.bytes]
}()

/// MP4 of any content: the first byte says whether the rest is the file, or edits of a good one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMP4(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 1 else { return 0 }
  let bytes = data.copied(count)
  let choice = Int(bytes[0])
  let stream =
    choice < 64 ? Array(bytes.dropFirst()) : edited(files[choice % files.count], by: bytes.dropFirst())
  drain { () throws(ContainerError) in try MP4Reader(WatchedSource(stream)) }
  drain { () throws(ContainerError) in try MP4Reader(WatchedSource(stream, seekable: false)) }
  jump(stream, choice)
  return 0
}

/// Goes to places of a track, forward and back; behind a jump there is a packet that is not behind its place, or a fault.
private func jump(_ stream: [UInt8], _ choice: Int) {
  let track = choice & 4 == 0 ? nil : choice & 3
  guard let reader = try? MP4Reader(WatchedSource(stream), track: track) else { return }
  let duration = Int64(reader.info.packetDuration)
  var packet = Packet(data: [], presentationTime: 0, duration: 0)
  for place in [3, 0, Int64(choice), 1 << 40, 1] {
    let time = place * duration - Int64(reader.info.priming)
    guard let reached = try? reader.seek(to: time) else { continue }
    precondition(reached >= 0)
    guard (try? reader.nextPacket(into: &packet)) == true else { continue }
    precondition(packet.presentationTime <= max(time, -Int64(reader.info.priming)))
  }
}
