import AudioFiles
import Foundation
import PCM
import Testing

/// Faults that other AAC software had with PCM files and converters; the numbers are those of
/// `Documentation/Reports.md`.
@Suite struct ReportTests {
  private static func number(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  /// A tone's parts of 10 ms, each given once: the count comes out, and pieces leave no mark.
  @Test func b118_convertersTakeEachPieceOnce() throws {
    let sound = tone(.mono, frames: 44100)
    var ends: [[Float]] = []
    for block in [441, 44100] {
      let converter = try RateConverter(from: 44100, to: 16000, layout: .mono)
      var output = PCMBuffer(format: sound.format)
      var all: [Float] = []
      for start in stride(from: 0, to: 44100, by: block) {
        let piece = [Float](sound.channels[0][start..<start + block])
        try converter.convert(PCMBuffer(format: sound.format, channels: [piece]), into: &output)
        all += output.channels[0].prefix(output.frameCount)
      }
      try converter.finish(into: &output)
      all += output.channels[0].prefix(output.frameCount)
      #expect(all.count == 16000)
      ends.append(all)
    }
    #expect(ends[0] == ends[1])
  }

  /// Chunks behind the samples are no sound, in a file and in a pipe, also in RF64.
  @Test(arguments: ["LIST", "id3 ", "bext"], [AudioFileType.wav, .rf64])
  func b120_chunksBehindTheSamples(chunk: String, type: AudioFileType) throws {
    let folder = try Folder()
    let sound = tone(.stereo, frames: 1001)
    let writer = try AudioFileWriter(path: folder.file("x"), type, sound.format)
    try writer.write(sound)
    try writer.close()
    let whole =
      try bytes(folder.file("x")) + Array(chunk.utf8) + Self.number(999)
      + [UInt8](repeating: 0x7F, count: 1000)
    try write(whole, to: folder.file("y"))
    for reader in [
      try AudioFileReader(path: folder.file("y")), try AudioFileReader(descriptor: pipe(whole)),
    ] { #expect(try readAll(reader).channels == sound.channels) }
  }
}
