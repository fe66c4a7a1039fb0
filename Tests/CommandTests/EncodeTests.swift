import AAC
import AACContainers
import AACKit
import AudioFiles
import Foundation
import PCM
import Testing

@testable import AACCommand

@Suite struct EncodeTests {
  private func info(_ path: String) throws -> [String: Any] { try aac("info", "--json", path).json() }

  @Test("B031, B035") func lengthsAreExact() throws {
    let folder = try Folder()
    for frames in [1, 1023, 1024, 1025, 10000] {
      let input = try folder.tone("x.wav", frames: frames)
      #expect(aac("encode", "-y", input, folder.file("x.m4a")).status == 0)
      #expect(try info(folder.file("x.m4a"))["samples"] as? Int == frames)
      #expect(aac("decode", "-y", folder.file("x.m4a"), folder.file("y.wav")).status == 0)
      #expect(try AudioFileReader(path: folder.file("y.wav")).frameCount == Int64(frames))
    }
  }

  /// What comes out is what went in, at its place, in every container and through pipes.
  @Test(arguments: ["m4a", "mp4", "aac", "adif", "raw"]) func containers(type: String) throws {
    let folder = try Folder()
    let input = try folder.tone("x.wav", frames: 20000)
    let outcome = aac("encode", input, folder.file("x.\(type)"))
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(aac("decode", folder.file("x.\(type)"), folder.file("y.wav")).status == 0)
    let comparison = try aac("compare", "--json", input, folder.file("y.wav")).json()
    #expect((comparison["snr"] as? Double ?? 0) > 20, "\(comparison)")
    let isTrimmed = type == "m4a" || type == "mp4" || type == "raw"
    if isTrimmed { #expect(comparison["offset"] as? Int == 0) }
  }

  @Test("B123") func pipesBothWays() throws {
    let folder = try Folder()
    try folder.tone("x.wav", frames: 20000)
    let encoded = aac("encode", "-q", "-", "-", input: try folder.read("x.wav"))
    #expect(encoded.status == 0, "\(encoded.errors)")
    #expect(encoded.errors.isEmpty)
    try folder.write(encoded.data, to: "x.mp4")
    #expect(try info(folder.file("x.mp4"))["container"] as? String == "fmp4")
    let decoded = aac("decode", "-f", "s16le", "-", "-", input: encoded.data)
    #expect(decoded.data.count == 20000 * 4)
    // A pipe gives the very packets that a file gives.
    let adts = aac("encode", "-f", "adts", "-", "-", input: try folder.read("x.wav"))
    #expect(aac("encode", folder.file("x.wav"), folder.file("x.aac")).status == 0)
    #expect(adts.data == (try folder.read("x.aac")))
  }

  @Test func rawInput() throws {
    let folder = try Folder()
    let sound = tones(frames: 9000, layout: .stereo, rate: 48000)
    for format in [SampleFormat.s16le, .s24be, .f32le, .f64be] {
      var writer = SampleWriter(format)
      var bytes: [UInt8] = []
      let count = writer.write(sound, 0..<9000, into: &bytes)
      try folder.write([UInt8](bytes.prefix(count)), to: "x.pcm")
      let outcome = aac(
        "encode", "-y", "--raw-input", "\(format.rawValue),48000,2", folder.file("x.pcm"),
        folder.file("x.m4a"))
      #expect(outcome.status == 0, "\(outcome.errors)")
      let info = try info(folder.file("x.m4a"))
      #expect(info["samples"] as? Int == 9000)
      #expect(info["sampleRate"] as? Int == 48000)
    }
  }

  @Test("B055") func ratesAndChannels() throws {
    let folder = try Folder()
    let input = try folder.tone("x.wav", frames: 22050)
    let cases: [(options: [String], rate: Int, channels: Int, samples: Int)] = [
      ([], 44100, 2, 22050), (["--rate", "16000"], 16000, 2, 8000), (["--channels", "1"], 44100, 1, 22050),
      (["--rate", "48000", "--channels", "6"], 48000, 6, 24000),
    ]
    for (options, rate, channels, samples) in cases {
      let outcome = aac(["encode", "-y"] + options + [input, folder.file("x.m4a")])
      #expect(outcome.status == 0, "\(outcome.errors)")
      let info = try info(folder.file("x.m4a"))
      #expect(info["sampleRate"] as? Int == rate)
      #expect(info["channels"] as? Int == channels)
      #expect(info["samples"] as? Int == samples)
    }
  }

  /// Surround layouts keep their channels: the tone of each comes back where it was.
  @Test("B045", arguments: [ChannelLayout.surround51, .surround71])
  func surround(layout: ChannelLayout) throws {
    let folder = try Folder()
    let input = try folder.tone("x.wav", frames: 12000, layout: layout, rate: 48000)
    #expect(aac("encode", input, folder.file("x.m4a")).status == 0)
    let comparison = try aac("compare", "--json", input, folder.file("x.m4a")).json()
    let channels = try #require(comparison["channels"] as? [[String: Any]])
    #expect(channels.count == layout.channelCount)
    for (channel, speaker) in zip(channels, layout.speakers) where speaker != .lowFrequency {
      #expect((channel["snr"] as? Double ?? 0) > 10, "\(comparison)")
    }
  }

  @Test func sideSurroundsAreBackSurrounds() throws {
    let folder = try Folder()
    let side = ChannelLayout([.frontLeft, .frontRight, .frontCenter, .lowFrequency, .sideLeft, .sideRight])
    let input = try folder.tone("x.wav", frames: 3000, layout: side)
    #expect(aac("encode", input, folder.file("x.m4a")).status == 0)
    #expect(try info(folder.file("x.m4a"))["layout"] as? String == "5.1")
  }

  @Test func bitRates() throws {
    let folder = try Folder()
    let input = try folder.tone("x.wav", frames: 3000)
    for options in [["-b", "96k"], ["-b", "96000"], ["--abr", "96k"], ["-V", "3"], ["--quality", "min"]] {
      #expect(aac(["encode", "-y"] + options + [input, folder.file("x.m4a")]).status == 0)
    }
    for rate in ["2k", "900k"] {
      let outcome = aac("encode", "-y", "-b", rate, input, folder.file("y.m4a"))
      #expect(outcome.status == 1)
      #expect(
        outcome.errors.contains("out of range") && outcome.errors.contains("possible are"),
        "\(outcome.errors)")
      #expect(!folder.names.contains("y.m4a"))
    }
  }

  @Test func toolsCanBeLeftOut() throws {
    let folder = try Folder()
    let input = try folder.tone("x.wav", frames: 30000)
    let outcome = aac(
      "encode", "--no-tns", "--no-ms", "--no-pns", "--no-is", "--no-short", "-b", "64k", input,
      folder.file("x.m4a"))
    #expect(outcome.status == 0)
    for line in aac("info", "--frames", "--json", folder.file("x.m4a")).text.split(separator: "\n") {
      let frame = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      #expect((frame?["tools"] as? [String]) == [])
      #expect((frame?["windows"] as? [String])?.allSatisfy { $0 == "long" } == true)
    }
  }

  @Test func tagsAndChecksums() throws {
    let folder = try Folder()
    let input = try folder.tone("x.wav", frames: 3000)
    #expect(aac("encode", "--tag", "title=A=B", "--tag", "artist=Ü", input, folder.file("x.m4a")).status == 0)
    let tags = try info(folder.file("x.m4a"))["tags"] as? [String: String]
    #expect(tags?["title"] == "A=B")
    #expect(tags?["artist"] == "Ü")
    #expect(aac("encode", "--crc", "--mpeg2", input, folder.file("x.aac")).status == 0)
    let adts = try info(folder.file("x.aac"))
    #expect(adts["checksums"] as? Bool == true)
    #expect(adts["mpegVersion"] as? Int == 2)
    #expect((adts["warnings"] as? [String]) == [])
  }

  @Test func severalFiles() throws {
    let folder = try Folder()
    let inputs = try (0..<5).map { try folder.tone("t\($0).wav", frames: 3000 + $0) }
    try FileManager.default.createDirectory(atPath: folder.file("out"), withIntermediateDirectories: false)
    let outcome = aac(["encode", "-j", "3"] + inputs + [folder.file("out")])
    #expect(outcome.status == 0, "\(outcome.errors)")
    for index in 0..<5 {
      #expect(try info(folder.file("out/t\(index).m4a"))["samples"] as? Int == 3000 + index)
    }
    // One that fails does not stop the others.
    try FileManager.default.removeItem(atPath: folder.file("out/t4.m4a"))
    let again = aac(["encode", "-j", "2"] + inputs + [folder.file("out/")])
    #expect(again.status == 1)
    #expect(again.errors.contains("t0.m4a: exists already"))
    #expect(try info(folder.file("out/t4.m4a"))["samples"] as? Int == 3004)
    let clash = aac("encode", folder.file("t0.wav"), folder.file("t0.flac"), folder.file("out"))
    #expect(clash.status == 2)
  }

  @Test func badSounds() throws {
    let folder = try Folder()
    let none = aac("encode", try folder.tone("none.wav", frames: 0), folder.file("x.aac"))
    #expect(none.status == 1)
    #expect(none.errors.contains("none.wav: holds no samples"), "\(none.errors)")
    let nine = aac(
      "encode", try folder.tone("nine.wav", frames: 100, layout: .discrete(9)), folder.file("x.m4a"))
    #expect(nine.status == 1)
    #expect(nine.errors.contains("9 channels") && nine.errors.contains("1 to 8"), "\(nine.errors)")
    var sound = tones(frames: 20000, layout: .stereo, rate: 44100)
    sound.channels[1][11025] = .nan
    let writer = try AudioFileWriter(path: folder.file("nan.wav"), .wav, sound.format, .float32)
    try writer.write(sound)
    try writer.close()
    let nan = aac("encode", folder.file("nan.wav"), folder.file("x.m4a"))
    #expect(nan.status == 1)
    #expect(nan.errors.contains("frame 11025, channel 2"), "\(nan.errors)")
    #expect(nan.errors.contains("0.250 s"), "\(nan.errors)")
    #expect(!folder.names.contains("x.m4a"))
  }

  /// An interrupt while a pipe is read: what has come is kept, unless it would replace something.
  @Test func interruptedPipes() throws {
    let folder = try Folder()
    let cancellation = Cancellation()
    let format = PCMFormat(sampleRate: 44100, layout: .stereo)
    let input = BufferReader(tones(frames: 50000, layout: .stereo, rate: 44100))
    let sink = MemorySink()
    var options = EncodeOptions()
    options.endsWhenCancelled = true
    let summary = try Transcoder.encode(input, to: sink, options, cancellation: cancellation) { progress in
      if progress.frames > 20000 { cancellation.cancel() }
    }
    #expect(summary.wasCancelled)
    let reader = try AACReader(MemorySource(sink.bytes))
    #expect(reader.format == format)
    #expect(reader.frameCount == summary.frames)
    #expect((20000..<40000).contains(summary.frames))
    options.endsWhenCancelled = false
    let error = #expect(throws: AACKitError.self) {
      try Transcoder.encode(input, to: MemorySink(), options, cancellation: cancellation)
    }
    #expect(error?.reason == .cancelled)
    try folder.tone("x.wav", frames: 50000)
    let outcome = aac("encode", folder.file("x.wav"), folder.file("x.m4a"), cancellation: cancellation)
    #expect(outcome.status == 130)
    #expect(folder.names == ["x.wav"])
  }

  @Test func aacInputsAreEncodedAnew() throws {
    let folder = try Folder()
    let input = try folder.tone("x.wav", frames: 9000)
    #expect(aac("encode", input, folder.file("x.m4a")).status == 0)
    #expect(aac("encode", "-b", "64k", folder.file("x.m4a"), folder.file("y.aac")).status == 0)
    #expect(try info(folder.file("y.aac"))["container"] as? String == "adts")
    // Also from a pipe, and for comparisons.
    let piped = aac("encode", "-b", "64k", "-f", "adts", "-", "-", input: try folder.read("x.m4a"))
    #expect(piped.data == (try folder.read("y.aac")))
    let json = try aac("compare", "--json", input, "-", input: try folder.read("x.m4a")).json()
    #expect(json["offset"] as? Int == 0)
    #expect(json["framesB"] as? Int == 9000)
  }

  @Test func capabilities() throws {
    let outcome = try aac("codecs", "--json").json()
    let encoder = try #require((outcome["encoders"] as? [[String: Any]])?.first)
    #expect((encoder["sampleRates"] as? [Int])?.count == 13)
    #expect((encoder["layouts"] as? [String])?.contains("5.1") == true)
  }
}

/// Whatever `aac codecs` lists goes both ways.
@Suite struct CapabilityTests {
  @Test("B068") func everythingListedWorks() throws {
    let capabilities = Capabilities()
    #expect(capabilities.encodedRates == capabilities.decodedRates)
    let combinations =
      capabilities.encodedRates.map { (rate: $0, layout: ChannelLayout.stereo) }
      + capabilities.encodedLayouts.map { (rate: 48000, layout: $0) }
    #expect(combinations.count > 20)
    for (rate, layout) in combinations {
      let range = AACEncoder.bitRates(sampleRate: rate, channelCount: layout.channelCount)
      for bitRate in [range.lowerBound, range.upperBound] {
        var options = EncodeOptions()
        options.rate = .constant(bitRate)
        let sink = MemorySink()
        let sound = tones(frames: 3000, layout: layout, rate: rate)
        let summary = try Transcoder.encode(BufferReader(sound), to: sink, options)
        #expect(summary.frames == 3000)
        let reader = try AACReader(MemorySource(sink.bytes))
        let counter = DiscardingWriter()
        try Transcoder.copy(reader, to: counter)
        #expect(counter.frameCount == 3000, "\(rate) Hz \(layout.name)")
        #expect(reader.format == sound.format)
        #expect(reader.concealedCount == 0)
      }
    }
  }
}
