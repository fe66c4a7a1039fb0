import AAC
import AACContainers
import FuzzSupport
import PCM

private let frames: [UInt8] = {
  guard let (configuration, packets) = silence(.stereo, 4) else { return [] }
  let sink = MemorySink()
  guard let writer = try? ADTSWriter(sink, configuration: configuration) else { return [] }
  for packet in packets { try? writer.write(packet) }
  return sink.bytes
}()

/// Data of any kind, alone or in front of an ADTS stream: whatever the probe says can be opened or is refused
/// with words.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzProbe(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 1 else { return 0 }
  let bytes = data.copied(count)
  let stream = Array(bytes.dropFirst()) + (bytes[0] % 2 == 0 ? [] : frames)
  drain { () throws(ContainerError) in try openPacketReader(WatchedSource(stream)) }
  let source = FeedSource()
  source.feed(stream)
  source.finish()
  drain { () throws(ContainerError) in try openPacketReader(source) }
  return 0
}
