import AAC
import AACContainers
import FuzzSupport
import PCM

private let files: [[UInt8]] = [ChannelLayout.stereo, .surround71].flatMap { layout in
  [false, true].compactMap { checksums -> [UInt8]? in
    guard let (configuration, packets) = silence(layout, 6) else { return nil }
    let sink = MemorySink()
    guard
      let writer = try? ADTSWriter(sink, configuration: configuration, options: .init(checksums: checksums))
    else { return nil }
    for packet in packets { try? writer.write(packet) }
    try? writer.finish()
    return sink.bytes
  }
}

/// ADTS of any content: the first byte says whether the rest is the stream, or edits of a good one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzADTS(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 1 else { return 0 }
  let bytes = data.copied(count)
  let choice = Int(bytes[0])
  let stream =
    choice < 128 ? Array(bytes.dropFirst()) : edited(files[choice % files.count], by: bytes.dropFirst())
  drain { () throws(ContainerError) in try ADTSReader(WatchedSource(stream)) }
  var options = ADTSReader.Options()
  options.dropsDamagedPackets = choice % 2 == 0
  drain { () throws(ContainerError) in
    try ADTSReader(WatchedSource(stream, seekable: false), options: options)
  }
  if let header = try? ADTSHeader(parsing: Array(stream.prefix(9))) {
    precondition(header.bytes.elementsEqual(stream.prefix(7)))
  }
  return 0
}
