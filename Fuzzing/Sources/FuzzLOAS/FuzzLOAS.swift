import AAC
import AACContainers
import FuzzSupport
import PCM

/// Streams of every kind of element, and of both framings.
private let files: [(bytes: [UInt8], hasSync: Bool)] = {
  var files: [(bytes: [UInt8], hasSync: Bool)] = []
  for (layout, version, count) in [(.stereo, 0, 1), (.surround71, 1, 1), (.mono, 1, 3)]
    as [(
      ChannelLayout, Int, Int
    )]
  {
    for hasSync in [true, false] {
      guard let (configuration, packets) = silence(layout, 8) else { continue }
      var options = LOASWriter.Options()
      options.version = version
      options.unitsPerElement = count
      options.hasSync = hasSync
      options.configInterval = 3
      let sink = MemorySink()
      guard let writer = try? LOASWriter(sink, configuration: configuration, options: options) else {
        continue
      }
      for packet in packets { try? writer.write(packet) }
      try? writer.finish()
      files.append((sink.bytes, hasSync))
    }
  }
  return files
}()

/// LOAS and LATM of any content: the first byte says whether the rest is the stream, or edits of a good one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLOAS(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 1 else { return 0 }
  let bytes = data.copied(count)
  let choice = Int(bytes[0])
  let stream =
    choice < 128 ? Array(bytes.dropFirst()) : edited(files[choice % files.count].bytes, by: bytes.dropFirst())
  drain { () throws(ContainerError) in try LOASReader(WatchedSource(stream)) }
  drain { () throws(ContainerError) in try LOASReader(WatchedSource(stream, seekable: false)) }
  drain { () throws(ContainerError) in try LATMReader(WatchedSource(stream)) }
  // What is read of a configuration is what is written of it.
  var bits = BitReader(stream)
  guard let config = try? StreamMuxConfig(parsing: &bits) else { return 0 }
  drain { () throws(ContainerError) in try LATMReader(WatchedSource(stream), muxConfig: config) }
  var writer = BitWriter()
  config.write(to: &writer)
  writer.alignToByte()
  var again = BitReader(writer.bytes)
  precondition((try? StreamMuxConfig(parsing: &again)) == config)
  return 0
}
