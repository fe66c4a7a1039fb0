import AACKit
import AudioFiles
import Foundation
import PCM
import Testing

@testable import AACCommand

/// PCM to M4A and back: as many samples as there were, each at its place.
@Suite struct ExactLengthTests {
  static let lengths = [1, 1023, 1024, 1025, 2112, 44099, 44100]
  static let layouts: [ChannelLayout] = [.mono, .stereo, .surround51]

  /// Signal to noise ratio of all channels but the low frequency one, without any shift.
  static func ratio(_ sound: PCMBuffer, _ other: PCMBuffer) -> Double {
    var (signal, noise) = (0.0, 0.0)
    for channel in sound.channels.indices
    where sound.format.layout.speakers[channel] != .lowFrequency {
      for frame in 0..<min(sound.frameCount, other.frameCount) {
        let value = Double(sound.channels[channel][frame])
        let error = value - Double(other.channels[channel][frame])
        signal += value * value
        noise += error * error
      }
    }
    return 10 * log10(signal / max(noise, 1e-30))
  }

  @Test(arguments: [44100, 48000, 8000, 96000]) func b031_b035_roundTrips(rate: Int) throws {
    let folder = try Folder()
    let path = folder.file("x.m4a")
    for layout in Self.layouts {
      for length in Self.lengths {
        let comment = Comment(rawValue: "\(rate) Hz \(layout.name) \(length)")
        let sound = tones(frames: length, layout: layout, rate: rate)
        var options = EncodeOptions()
        options.effort = .min
        let summary = try AudioFile.encode(sound, to: path, options, replacing: true)
        #expect(summary.frames == Int64(length), comment)
        let reader = try #require(try AudioFile.open(path) as? AACReader)
        #expect(reader.frameCount == Int64(length), comment)
        #expect(reader.info.priming == 1024, comment)
        let decoded = try AudioFile.decode(path)
        #expect(decoded.format == sound.format, comment)
        #expect(decoded.frameCount == length, comment)
        if length > 1023 { #expect(Self.ratio(sound, decoded) > 8, comment) }
        try Self.checkFFmpeg(path, length, sound.format, comment)
      }
    }
  }

  /// Nothing in, nothing out, and a remark; containers that cannot hold nothing refuse it.
  @Test func emptyInputs() throws {
    let folder = try Folder()
    let input = try folder.tone("empty.wav", frames: 0)
    for options in [[], ["-f", "fmp4"], ["-f", "raw"]] {
      let path = folder.file(options.last == "raw" ? "x.raw" : "x.m4a")
      let outcome = aac(["encode", "-y", input, path] + options)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.errors.contains("empty.wav: holds no samples, and neither does the output"))
      #expect(aac("decode", "-y", path, folder.file("y.wav")).status == 0)
      let decoded = try AudioFile.decode(folder.file("y.wav"))
      #expect(decoded.frameCount == 0 && decoded.format == PCMFormat(sampleRate: 44100, layout: .stereo))
      if options.last != "raw",
        let data = Tool.run("ffmpeg", ["-v", "error", "-i", path, "-f", "s16le", "-"])
      {
        #expect(data.isEmpty)
      }
    }
    let outcome = aac("encode", input, folder.file("x.aac"))
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("empty.wav: holds no samples; check how the input was made"))
    #expect(!folder.names.contains { $0.hasSuffix(".aac") })
  }

  /// FFmpeg takes off the priming and tells the exact duration. Versions up to 6 leave the padding, in their own
  /// files too: they give whole blocks of 1024 frames, and nothing that a file can say about its end changes that.
  private static func checkFFmpeg(
    _ path: String, _ length: Int, _ format: PCMFormat, _ comment: Comment
  ) throws {
    guard let version = Tool.ffmpegVersion,
      let data = Tool.run("ffmpeg", ["-v", "error", "-i", path, "-f", "s16le", "-"])
    else { return }
    let frames = data.count / 2 / format.channelCount
    let blocks = (length + 1023) / 1024 * 1024
    if version <= 6 {
      #expect(frames == blocks, comment)
    } else {
      #expect(frames == length || frames == blocks, comment)
    }
    let entries = "stream=sample_rate,channels,duration_ts,nb_frames"
    let text = try #require(
      Tool.run("ffprobe", ["-v", "error", "-show_entries", entries, "-of", "default=nk=1:nw=1", path]))
    let numbers = String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { Int($0) }
    #expect(numbers == [format.sampleRate, format.channelCount, length, blocks / 1024 + 1], comment)
  }

  /// Onsets stay where they were, to the sample.
  @Test(arguments: [0, 88200]) func b040_onsets(start: Int) throws {
    let folder = try Folder()
    var sound = tones(frames: 100_000, layout: .mono, rate: 44100)
    for frame in 0..<start { sound.channels[0][frame] = 0 }
    try AudioFile.encode(sound, to: folder.file("x.m4a"))
    let decoded = try AudioFile.decode(folder.file("x.m4a"))
    let range = start..<start + 4000
    func error(_ shift: Int) -> Double {
      range.reduce(0.0) { sum, frame in
        let place = frame + shift
        let value = place >= 0 ? decoded.channels[0][place] : 0
        let difference = Double(value - sound.channels[0][frame])
        return sum + difference * difference
      }
    }
    #expect((-3...3).min { error($0) < error($1) } == 0)
  }

  /// A second of a periodic tone, repeated, goes on without a step.
  @Test func b042_loops() throws {
    let folder = try Folder()
    let tone = (0..<44100).map { 0.5 * Float(sin(2 * .pi * 441 * Double($0) / 44100)) }
    let sound = PCMBuffer(format: PCMFormat(sampleRate: 44100, layout: .mono), channels: [tone])
    try AudioFile.encode(sound, to: folder.file("x.m4a"))
    let decoded = try AudioFile.decode(folder.file("x.m4a")).channels[0]
    #expect(decoded.count == 44100)
    let steepest = 0.5 * 2 * Float.pi * 441 / 44100
    #expect(abs(decoded[0] - decoded[44099]) < 1.5 * steepest)
  }

  /// A loud end that fills no block: nothing after it, and nothing louder than it in the padding.
  @Test func b034_loudEnds() throws {
    let folder = try Folder()
    let length = 10 * 1024 + 300
    let tone = (0..<length).map { 0.95 * Float(sin(0.05 * Double($0))) }
    let sound = PCMBuffer(format: PCMFormat(sampleRate: 44100, layout: .mono), channels: [tone])
    try AudioFile.encode(sound, to: folder.file("x.m4a"))
    #expect(try AudioFile.decode(folder.file("x.m4a")).frameCount == length)
    var options = AACReader.Options()
    options.trims = false
    let reader = try AudioFile.open(folder.file("x.m4a"), options: options)
    var (whole, buffer) = ([Float](), PCMBuffer(format: reader.format))
    while try reader.read(8192, into: &buffer) > 0 { whole += buffer.channels[0].prefix(buffer.frameCount) }
    #expect(whole.count == 12 * 1024)
    #expect((whole[(1024 + length)...].map(abs).max() ?? 1) < 0.95)
  }
}

/// Every item of the shared sounds keeps its length.
@Suite(.enabled(if: sharedSounds != nil, "needs the shared sounds")) struct SharedLengthTests {
  @Test func b031_allItems() throws {
    let sounds = try #require(sharedSounds)
    let names = try FileManager.default.contentsOfDirectory(atPath: sounds).filter { $0.hasSuffix(".flac") }
    #expect(names.count > 40)
    let folder = try Folder()
    var options = EncodeOptions()
    options.effort = .min
    for name in names {
      let reader = try AudioFileReader(path: "\(sounds)/\(name)")
      let length = try #require(reader.frameCount)
      let path = folder.file("x.m4a")
      try Transcoder.encode("\(sounds)/\(name)", to: path, options, replacing: true)
      let decoded = try AACReader(path: path)
      let counter = DiscardingWriter()
      try Transcoder.copy(decoded, to: counter)
      #expect(counter.frameCount == length, "\(name)")
      #expect(decoded.info.priming == 1024, "\(name)")
    }
  }
}

private let sharedSounds: String? = {
  let environment = ProcessInfo.processInfo.environment["AAC_SHARED"]
  if let environment, !environment.isEmpty { return environment + "/audio" }
  let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  let beside = package.deletingLastPathComponent().appending(path: "shared/audio").path
  return FileManager.default.fileExists(atPath: beside) ? beside : nil
}()
