import AAC
import AACContainers
import AACKit
import AudioFiles
import Foundation
import PCM
import Testing

@testable import AACCommand

/// What users of other programs have reported on lengths, rates and pipes.
@Suite struct PipeReportTests {
  /// What an encoder adds is told: priming, sound and padding are whole packets.
  @Test func b039_primingAndPaddingAreTold() throws {
    let settings = EncoderSettings(sampleRate: 44100, layout: .mono, rate: .constant(64_000))
    for length in [1, 2, 1023, 1024, 1025, 2047, 2048, 2049, 5000] {
      let encoder = try AACEncoder(settings)
      var packets = try encoder.encode(tones(frames: length, layout: .mono, rate: 44100))
      packets += try encoder.finish()
      let (priming, padding) = packets.reduce((0, 0)) { ($0.0 + $1.priming, $0.1 + $1.padding) }
      #expect(priming == encoder.effective.priming)
      #expect(priming + length + padding == 1024 * packets.count, "\(length)")
    }
  }

  /// The rate stays unless another one is asked for, and then it is what the file says.
  @Test func b055_ratesStay() throws {
    let folder = try Folder()
    for rate in AACEncoder.sampleRates {
      let input = try folder.tone("\(rate).wav", frames: 3000, rate: rate)
      #expect(aac("encode", "-q", input, folder.file("\(rate).m4a")).status == 0)
      #expect(try AACReader(path: folder.file("\(rate).m4a")).format.sampleRate == rate)
    }
    let outcome = aac("encode", "-y", "--rate", "32000", folder.file("48000.wav"), folder.file("x.m4a"))
    #expect(outcome.errors.contains("32000 Hz"), "\(outcome.errors)")
    #expect(try AACReader(path: folder.file("x.m4a")).format.sampleRate == 32000)
  }

  /// WAV on a pipe is WAV to others too.
  @Test(
    .enabled(if: Tool.run("sox", ["--version"]) != nil && Tool.ffmpegVersion != nil),
    arguments: [(ChannelLayout.mono, 22050), (.stereo, 44100), (.surround51, 48000)])
  func b126_othersReadOurPipes(layout: ChannelLayout, rate: Int) throws {
    let folder = try Folder()
    try folder.silence("x.m4a", frames: 5000, layout: layout, rate: rate)
    let outcome = aac("decode", "-f", "wav", folder.file("x.m4a"), "-")
    #expect(outcome.status == 0)
    try folder.write(outcome.data, to: "x.wav")
    let raw = try #require(
      Tool.run(
        "sox", ["--ignore-length", folder.file("x.wav"), "-t", "raw", "-e", "signed", "-b", "16", "-"]))
    #expect(raw.count == 5000 * layout.channelCount * 2)
    let entries = "stream=sample_rate,channels"
    let text = try #require(
      Tool.run(
        "ffprobe",
        ["-v", "error", "-show_entries", entries, "-of", "default=nk=1:nw=1", folder.file("x.wav")]))
    #expect(String(decoding: text, as: UTF8.self) == "\(rate)\n\(layout.channelCount)\n")
  }

  /// MP4 goes through a pipe, and comes back in its exact length.
  @Test func b123_mp4OnAPipe() throws {
    let folder = try Folder()
    for length in [1, 1025, 70_000] {
      try folder.tone("x.wav", frames: length)
      let encoded = aac("encode", "-q", "-f", "m4a", "-", "-", input: try folder.read("x.wav"))
      #expect(encoded.status == 0, "\(encoded.errors)")
      let decoded = aac("decode", "-q", "-f", "s16le", "-", "-", input: encoded.data)
      #expect(decoded.data.count == length * 4, "\(length)")
      guard Tool.ffmpegVersion != nil else { continue }
      try folder.write(encoded.data, to: "x.mp4")
      let text = Tool.run(
        "ffprobe", ["-v", "error", "-show_entries", "stream=codec_name", folder.file("x.mp4")])
      #expect(String(decoding: text ?? [], as: UTF8.self).contains("codec_name=aac"))
    }
  }

  /// Tables come first, so that players can begin before they have all; from a pipe too.
  @Test func b139_b147_tablesInFront() throws {
    let folder = try Folder()
    try folder.tone("x.wav", frames: 50_000)
    #expect(aac("encode", folder.file("x.wav"), folder.file("x.m4a")).status == 0)
    let bytes = try folder.read("x.m4a")
    let text = String(decoding: bytes.map { $0 < 128 ? $0 : 63 }, as: UTF8.self)
    let (tables, sound) = (try #require(text.range(of: "moov")), try #require(text.range(of: "mdat")))
    #expect(tables.lowerBound < sound.lowerBound)
    #expect(aac("decode", "-f", "s16le", "-", "-", input: bytes).data.count == 50_000 * 4)
  }
}
