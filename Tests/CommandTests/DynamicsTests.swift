import AACContainers
import AACKit
import AudioFiles
import Foundation
import PCM
import Testing

@testable import AAC
@testable import AACCommand

/// Dynamic range control and mixing down, from a stream's own data to the command's output.
@Suite struct DynamicsTests {
  private static let frames = 12_000

  /// A tone in the channels of `speakers`, with a matrix and with a gain in the first packet.
  private static func write(
    _ name: String, in folder: Folder, _ layout: ChannelLayout, tonesIn speakers: Set<Speaker>,
    matrix: ProgramConfig.MatrixMixdown? = nil, gain: Int? = nil, level: Int? = nil
  ) throws {
    var sound = tones(frames: frames, layout: layout, rate: 48000)
    for (channel, speaker) in layout.speakers.enumerated() where !speakers.contains(speaker!) {
      for frame in 0..<frames { sound.channels[channel][frame] = 0 }
    }
    let encoder = try AACEncoder(
      EncoderSettings(sampleRate: 48000, layout: layout, rate: .constant(64000 * layout.channelCount)))
    var packets = try encoder.encode(sound)
    packets += try encoder.finish()
    var configuration = encoder.configuration
    let bands = ScaleFactorBands(samplingRate: configuration.samplingRate, frameLength: 1024)
    if gain != nil || level != nil {
      var block = RawDataBlock()
      block.syntax = StreamSyntax(configuration)
      var bits = BitReader(packets[0].data)
      try block.parse(&bits, bands: bands)
      var info = DynamicRangeInfo()
      info.gains[0] = Int8(gain ?? 0)
      info.referenceLevel = level
      var payload = BitWriter()
      payload.put(11, 4)
      info.write(to: &payload)
      payload.alignToByte()
      let first = block.bytes.count
      block.bytes += payload.bytes
      block.elements.append(.fill(Fill(bytes: first..<block.bytes.count)))
      var writer = BitWriter()
      block.write(to: &writer, bands: bands)
      packets[0].data = writer.bytes
    }
    if let matrix {
      configuration.programConfig = ProgramConfig(layout: layout, samplingRateIndex: 3)
      configuration.programConfig?.matrixMixdown = matrix
      configuration.channelConfiguration = 0
    }
    let sink = try FileSink(path: folder.file(name))
    let writer = try M4AWriter(sink, configuration: configuration)
    for packet in packets { try writer.write(packet) }
    try writer.finish()
    try sink.close()
  }

  /// Levels of the channels of a command's float output, as factors of those of `reference`.
  private static func levels(_ arguments: [String], channels: Int) -> [Double] {
    let outcome = aac(["decode", "-q", "-f", "f32le"] + arguments + ["-"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    let count = outcome.data.count / 4 / channels
    var sound = PCMBuffer(
      format: PCMFormat(sampleRate: 48000, layout: .standard(channelCount: channels)!), frameCount: count)
    SampleFormat.f32le.decode(outcome.data, frames: count, into: &sound)
    return sound.channels.map { channel in
      (channel[3000..<min(9000, count)].reduce(0) { $0 + Double($1 * $1) } / 6000).squareRoot()
    }
  }

  @Test func gainsAndLevels() throws {
    let folder = try Folder()
    try Self.write("x.m4a", in: folder, .stereo, tonesIn: [.frontLeft, .frontRight], gain: -24, level: 92)
    let path = folder.file("x.m4a")
    let plain = Self.levels([path], channels: 2)
    for (options, steps) in [
      (["--drc"], -24), (["--drc-cut", "0.5"], -12), (["--drc-cut=0"], 0), (["--drc-boost", "0.5"], -24),
      (["--reference-level", "-20"], 12), (["--drc", "--reference-level=-31"], -24 - 32),
    ] as [([String], Double)] {
      for (on, off) in zip(Self.levels(options + [path], channels: 2), plain) {
        #expect(abs(on / off / exp2(steps / 24) - 1) < 1e-4, "\(options)")
      }
    }
    for wrong in [
      ["--drc-cut", "1.5"], ["--drc-boost", "x"], ["--reference-level", "3"], ["--reference-level", "-40"],
      ["--downmix", "mine"],
    ] {
      let outcome = aac(["decode", "--discard"] + wrong + [path])
      #expect(outcome.status == 2 && outcome.errors.contains(wrong[0]), "\(outcome.errors)")
    }
    let json = try aac("info", "--json", path).json()
    let range = try #require(json["dynamicRange"] as? [String: Any])
    #expect(range["programReferenceLevel"] as? Double == -23)
    #expect(range["frames"] as? Int == 1)
    #expect(range["smallestGain"] as? Double == -6 && range["largestGain"] as? Double == -6)
    #expect(json["downmix"] is NSNull)
    #expect(aac("info", path).text.contains("reference level -23.00 dB, gains -6.00 to -6.00 dB in 1 frames"))
    var options = AACReader.Options()
    options.dynamics = DynamicRangeControl()
    let reader = try AACReader(path: path, options: options)
    var buffer = PCMBuffer(format: reader.format)
    _ = try reader.read(100, into: &buffer)
    #expect(reader.programReferenceLevel == -23)
  }

  /// The surround's share by the stream's matrix and by BS.775, in stereo and mono.
  @Test func matrices() throws {
    let folder = try Folder()
    let half = 0.5.squareRoot()
    for (index, isPseudo) in [(0, false), (1, true), (2, false), (3, false)] {
      let name = "\(index).m4a"
      try Self.write(
        name, in: folder, .surround51, tonesIn: [.backLeft],
        matrix: ProgramConfig.MatrixMixdown(index: index, pseudoSurround: isPseudo))
      let path = folder.file(name)
      let source = Self.levels([path], channels: 6)[4]
      #expect(source > 0.2)
      let gain = [half, 0.5, half / 2, 0][index]
      func check(_ options: [String], _ expected: [Double]) {
        for (level, share) in zip(Self.levels(options + [path], channels: expected.count), expected) {
          #expect(abs(level / source - share) < 0.002, "matrix \(index) \(options)")
        }
      }
      let share = gain / (1 + half + (isPseudo ? 2 : 1) * gain)
      check(["--channels", "2"], [share, isPseudo ? share : 0])
      check(["--channels", "2", "--downmix", "stream"], [share, isPseudo ? share : 0])
      check(["--channels", "1"], [gain / (3 + 2 * gain)])
      check(["--channels", "2", "--downmix", "itu"], [half / (1 + 2 * half), 0])
      check(["--channels", "1", "--downmix", "itu"], [0.5 / (2 + 2 * half)])
      let sound = try AudioFile.decode(path, channelCount: 1, downmix: .itu)
      #expect(sound.format.layout == .mono)
      let json = try aac("info", "--json", path).json()
      let downmix = try #require(json["downmix"] as? [String: Any])
      #expect(downmix["matrixIndex"] as? Int == index)
      #expect(downmix["pseudoSurround"] as? Bool == isPseudo)
      #expect(abs((downmix["surroundGain"] as? Double ?? -1) - gain) < 1e-6)
      #expect(json["dynamicRange"] is NSNull)
      #expect(aac("info", path).text.contains("matrix \(index) of the stream"))
    }
  }

  /// A stream without a matrix is mixed by BS.775, whatever is asked for.
  @Test func streamsWithoutAMatrix() throws {
    let folder = try Folder()
    try Self.write("x.m4a", in: folder, .surround51, tonesIn: [.frontCenter, .backRight])
    let path = folder.file("x.m4a")
    let stream = aac("decode", "-f", "f32le", "--channels", "2", "--downmix", "stream", path, "-")
    #expect(stream.status == 0)
    #expect(
      stream.data == aac("decode", "-f", "f32le", "--channels", "2", "--downmix", "itu", path, "-").data)
  }
}
