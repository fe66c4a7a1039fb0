import AAC
import AACContainers
import FuzzSupport
import PCM

private let hints: [UnfinishedMP4Reader.Hint] = {
  var hints = [UnfinishedMP4Reader.Hint()]
  var told = UnfinishedMP4Reader.Hint()
  told.sampleRate = 44100
  hints.append(told)
  told.channelCount = 2
  hints.append(told)
  guard let (configuration, _) = silence(.surround51, 1) else { return hints }
  var alike = UnfinishedMP4Reader.Hint()
  alike.configurationBytes = configuration.bytes
  alike.priming = 1024
  alike.timeRate = 88200
  hints.append(alike)
  return hints
}()

/// Sound without tables: a box `mdat` to the end of the file.
private func file(_ sound: some Sequence<UInt8>) -> [UInt8] { [0, 0, 0, 0] + [UInt8]("mdat".utf8) + sound }

private let files: [[UInt8]] = [ChannelLayout.mono, .stereo, .surround51].map { layout in
  file(silence(layout, 12)?.1.flatMap(\.data) ?? [])
}

/// MP4 that lost its tables: the first byte says whether the rest is the file, its sound, or edits of a good one, and
/// what is known of it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLostTables(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 1 else { return 0 }
  let bytes = data.copied(count)
  let choice = Int(bytes[0])
  let stream =
    switch choice >> 2 & 3 {
    case 0: Array(bytes.dropFirst())
    case 1, 2: file(bytes.dropFirst())
    default: edited(files[(choice >> 4) % files.count], by: bytes.dropFirst())
    }
  let hint = hints[(choice & 3) % hints.count]
  drain { () throws(ContainerError) in try UnfinishedMP4Reader(WatchedSource(stream), hint: hint) }
  return 0
}
