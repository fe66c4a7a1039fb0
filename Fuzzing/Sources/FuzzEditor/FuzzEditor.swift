import AAC
import AACContainers
import FuzzSupport
import PCM

private let files: [[UInt8]] = {
  guard let (configuration, packets) = silence(.stereo, 6) else { return [] }
  var tags = Tags([("title", "T"), ("track", "1/2"), ("genre", "Jazz"), ("x:y", "z"), ("bpm", "90")])
  if let cover = try? Artwork([0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3]) { tags.artwork = [cover] }
  let chapters = [Chapter(start: 0, title: "One"), Chapter(start: 0.05, title: "Two")]
  let whole = MemorySink()
  let plain = MemorySink()
  let fragmented = MemorySink()
  var options = M4AWriter.Options(tags: tags)
  options.chapters = chapters
  var parts = FragmentedMP4Writer.Options(tags: tags)
  parts.packetsPerFragment = 2
  // No more room for the index than it needs.
  parts.expectedFrames = 6 * 1024
  parts.chapters = chapters
  let writers: [(any PacketWriter)?] = [
    try? M4AWriter(whole, configuration: configuration, options: options),
    try? M4AWriter(plain, configuration: configuration),
    try? FragmentedMP4Writer(fragmented, configuration: configuration, options: parts),
  ]
  for case let writer? in writers {
    for packet in packets { try? writer.write(packet) }
    try? writer.finish()
  }
  // With room for an edit behind the tables, and with the tables at the end.
  let edited = edit(whole.bytes, size: 10, chapters: chapters + [Chapter(start: 0.1, title: "Three")]) ?? []
  return [whole.bytes, plain.bytes, fragmented.bytes, edited]
}()

/// The file with another comment and other chapters; `nil` where the editor refuses it.
private func edit(_ bytes: [UInt8], size: Int, chapters: [Chapter]) -> [UInt8]? {
  do throws(ContainerError) {
    let editor = try MP4Editor(WatchedSource(bytes))
    var tags = editor.tags
    let text = String(repeating: "x", count: size)
    tags["comment"] = size == 0 ? nil : text
    guard let plan = try editor.plan(tags: tags, chapters: chapters) else { return nil }
    let sink = MemorySink()
    let isWhole = try plan.write(to: sink)
    precondition(isWhole && sink.length == plan.newLength)
    try plan.verify(WatchedSource(sink.bytes))
    if try plan.singleWrite() != nil { try plan.verify() }
    // What was written is read again, and an edit of it changes nothing more.
    let again = try MP4Editor(WatchedSource(sink.bytes))
    precondition(again.tags["comment"] == (size == 0 ? nil : text))
    precondition(again.chapters.map(\.title) == chapters.map(\.title) || chapters == editor.chapters)
    precondition(again.tags.artwork == tags.artwork)
    return sink.bytes
  } catch {
    precondition((error.byteOffset ?? 0) >= 0)
    precondition(!error.description.isEmpty)
    return nil
  }
}

/// Edits of MP4 of any content: the first two bytes say whether the rest is the file or changes of a good one, and
/// what the edit is.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEditor(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 2 else { return 0 }
  let bytes = data.copied(count)
  let choice = Int(bytes[0])
  let kind = Int(bytes[1])
  let stream =
    choice < 32 ? Array(bytes.dropFirst(2)) : edited(files[choice % files.count], by: bytes.dropFirst(2))
  let chapters = (0..<kind % 4).map { Chapter(start: Double($0) * 0.03, title: "Chapter \($0)") }
  _ = edit(stream, size: [0, 1, 40, 5000][kind / 4 % 4], chapters: chapters)
  return 0
}
