import AACStreaming
import FuzzSupport

private struct Split {
  var sound: [UInt8] = []
  var blocks: [ICYDemultiplexer.Block] = []

  /// - Parameter pieces: how long the chunks are, one after the other.
  init(_ bytes: [UInt8], interval: Int, pieces: [UInt8]) {
    var demultiplexer = ICYDemultiplexer(interval: interval)
    var (next, piece) = (0, 0)
    while next < bytes.count {
      let length = pieces.isEmpty ? bytes.count : Int(pieces[piece % pieces.count]) + 1
      let chunk = [UInt8](bytes[next..<min(bytes.count, next + length)])
      demultiplexer.take(chunk, into: &sound) { blocks.append($0) }
      next += chunk.count
      piece += 1
    }
  }
}

/// A station's stream of anything: sound and texts are the same however it is cut, and texts have no control characters.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzICY(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 6 else { return 0 }
  let bytes = data.copied(count)
  let stream = Array(bytes.dropFirst(5))
  let whole = Split(stream, interval: Int(bytes[0]) - 1, pieces: [])
  let cut = Split(stream, interval: Int(bytes[0]) - 1, pieces: Array(bytes[1..<5]))
  guard whole.sound == cut.sound, whole.blocks == cut.blocks else { fatalError("cuts make a difference") }
  for text in [stream] + whole.blocks.map(\.bytes) {
    let told = ICYMetadata(text)
    for words in [told.title, told.url] {
      guard let words else { continue }
      guard words.unicodeScalars.count <= 1024, !words.unicodeScalars.contains(where: { $0.value < 32 })
      else {
        fatalError("a text that does harm")
      }
    }
  }
  return 0
}
