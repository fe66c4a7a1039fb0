import AAC
import AACContainers
import FuzzSupport
import PCM

private let file: [UInt8] = {
  guard let (configuration, packets) = silence(.surround51, 4) else { return [] }
  let sink = MemorySink()
  guard let writer = try? ADIFWriter(sink, configuration: configuration) else { return [] }
  for packet in packets { try? writer.write(packet) }
  try? writer.finish()
  return sink.bytes
}()

/// ADIF and bare access units of any content.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzADIF(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 1 else { return 0 }
  let bytes = data.copied(count)
  let rest = bytes.dropFirst()
  switch bytes[0] % 4 {
  case 0:
    let stream = Array("ADIF".utf8) + rest
    drain { () throws(ContainerError) in try ADIFReader(WatchedSource(stream)) }
  case 1, 2:
    let stream = edited(file, by: rest)
    drain { () throws(ContainerError) in try ADIFReader(WatchedSource(stream)) }
  default:
    // A sidecar of any content beside the access units.
    let text = "{\"configuration\":\"1210\"," + String(decoding: rest, as: UTF8.self)
    drain { () throws(ContainerError) in
      try RawReader(WatchedSource(file), sidecar: WatchedSource(Array(text.utf8)))
    }
    drain { () throws(ContainerError) in
      try RawReader(WatchedSource(Array(rest)), configurationBytes: [0x12, 0x10])
    }
  }
  return 0
}
