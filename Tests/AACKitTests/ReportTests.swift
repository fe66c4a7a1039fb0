import AAC
import AACContainers
import AACKit
import AudioFiles
import Foundation
import PCM
import TestServers
import Testing

/// Faults that other AAC software had between devices, readers and files; the numbers are those of
/// `Documentation/Reports.md`.
@Suite struct ReportTests {
  private static func quickOptions() -> EncodeOptions {
    var options = EncodeOptions()
    options.effort = .min
    return options
  }

  private static func sine(_ hertz: Double, rate: Int, seconds: Double, level: Float = 0.5) -> [Float] {
    let step = 2 * Double.pi * hertz / Double(rate)
    return (0..<Int(seconds * Double(rate))).map { level * Float(sin(step * Double($0))) }
  }

  /// The frequency of a tone, from the first to the last crossing of its middle half.
  private static func pitch(_ samples: [Float], rate: Int) -> Double {
    let middle = samples.count / 4..<samples.count * 3 / 4
    var places: [Double] = []
    for frame in middle where samples[frame] < 0 && samples[frame + 1] >= 0 {
      let part = samples[frame] / (samples[frame] - samples[frame + 1])
      places.append(Double(frame) + Double(part))
    }
    guard let first = places.first, let last = places.last, places.count > 1 else { return 0 }
    return Double(places.count - 1) * Double(rate) / (last - first)
  }

  private static func power(_ samples: [Float]) -> Double {
    let sum = samples.reduce(0.0) { $0 + Double($1) * Double($1) }
    return sum / Double(max(1, samples.count))
  }

  /// Streams of any format one after another come out in the one that was asked for.
  @Test func b029_changesToAFixedFormat() throws {
    let parts = [
      try DamageTests.tone(.mono, rate: 22050, seconds: 0.3),
      try DamageTests.tone(.stereo, rate: 44100, seconds: 0.3),
      try DamageTests.tone(.surround51, rate: 48000, seconds: 0.3),
    ]
    let reader = try AACReader(MemorySource(try DamageTests.adts(parts)))
    let converting = ConvertingReader(reader, to: PCMFormat(sampleRate: 48000, layout: .stereo))
    var count = 0
    var buffer = PCMBuffer(format: converting.format)
    while try converting.read(1000, into: &buffer) > 0 {
      #expect(buffer.format == PCMFormat(sampleRate: 48000, layout: .stereo))
      count += buffer.frameCount
    }
    var exact = 0.0
    for (part, rate) in zip(parts, [22050.0, 44100, 48000]) {
      exact += Double(part.1.count * 1024) * 48000 / rate
    }
    #expect(abs(Double(count) - exact) < 10, "\(count) of \(exact)")
    #expect(reader.statistics.configurationChanges == 2 && reader.statistics.concealedFrames == 0)
  }

  /// Whatever channels a device has, each of the file's has sound: nothing is on one side only.
  @Test(arguments: [ChannelLayout.mono, .stereo, .surround30, .quad], [1, 2])
  func b050_anyChannelsOfADevice(layout: ChannelLayout, count: Int) throws {
    let folder = try Folder()
    // The loudest channel is the last, so that taking the first one only would show.
    let channels = layout.speakers.indices.map { channel in
      Self.sine(440, rate: 48000, seconds: 0.3, level: channel == layout.channelCount - 1 ? 0.5 : 0)
    }
    let sound = PCMBuffer(format: PCMFormat(sampleRate: 48000, layout: layout), channels: channels)
    let take = try Take(
      sound, to: .file(folder.file("x.m4a")), quick(.m4a) { $0.encoding.channelCount = count })
    #expect(take.summary.error == nil)
    let decoded = try AudioFile.decode(folder.file("x.m4a"))
    #expect(decoded.channelCount == count && decoded.frameCount == sound.frameCount)
    let powers = decoded.channels.map { Self.power($0) }
    #expect((powers.max() ?? 0) > 0.005, "\(powers)")
    if layout == .mono { #expect(powers.allSatisfy { abs($0 - 0.125) < 0.01 }, "\(powers)") }
    if layout == .stereo, count == 1 { #expect(abs(powers[0] - 0.125 / 4) < 0.004, "\(powers)") }
  }

  /// Mono on a device of two channels is on both sides.
  @Test func b051_monoOnBothSides() throws {
    let folder = try Folder()
    let path = try folder.encode(music(frames: 9000, layout: .mono), "x.m4a")
    let listener = Listener()
    let player = Player([PlayerItem(path)], on: listener.backend())
    try player.start()
    #expect(words(player.run()) == ["start 0", "end 0", "finished"])
    let decoded = try AudioFile.decode(path)
    #expect(listener.channels[0] == listener.channels[1])
    #expect(differences([listener.channels[0]], [decoded.channels[0]]).isEmpty)
  }

  /// The header says the rate of the samples behind it: the tone keeps its pitch and the sound its length.
  @Test(arguments: [(16000, 48000), (48000, 44100), (96000, 44100), (44100, 44100)])
  func b054_b056_ratesOfTheDevice(device: Int, file: Int) throws {
    let folder = try Folder()
    let sound = PCMBuffer(
      format: PCMFormat(sampleRate: device, layout: .mono),
      channels: [Self.sine(1000, rate: device, seconds: 0.5)])
    for name in ["x.m4a", "x.aac"] {
      let take = try Take(
        sound, to: .file(folder.file(name)),
        quick(ContainerFormat(fileExtension: String(name.suffix(3)))) { $0.encoding.sampleRate = file })
      #expect(take.summary.frames == Int64(file / 2))
      let decoded = try AudioFile.decode(folder.file(name))
      #expect(decoded.format.sampleRate == file)
      #expect(abs(Self.pitch(decoded.channels[0], rate: file) - 1000) < 0.5)
      if name == "x.m4a" { #expect(decoded.frameCount == file / 2) }
    }
  }

  /// Any rate asked for: a file with sound at that rate, or an error before anything is written.
  @Test func b057_anyRateRecordsOrIsRefused() throws {
    let folder = try Folder()
    let sound = noise(frames: 4800, layout: .mono, seed: 3, rate: 48000)
    for rate in SamplingRate.indexed {
      let path = folder.file("\(rate).aac")
      let take = try Take(sound, to: .file(path), quick(.adts) { $0.encoding.sampleRate = rate })
      #expect(take.summary.error == nil, "\(rate)")
      let decoded = try AudioFile.decode(path)
      #expect(decoded.format.sampleRate == rate)
      let power = Self.power(decoded.channels[0])
      #expect(power > 0.001, "\(rate): \(power)")
    }
    let before = folder.names
    for rate in [0, -1, 1, 7349, 47250, 50000, 96001, 192_000, .max] {
      #expect(throws: AACKitError.self, "\(rate)") {
        try Take(sound, to: .file(folder.file("x.aac")), quick(.adts) { $0.encoding.sampleRate = rate })
      }
    }
    #expect(folder.names == before)
  }

  /// A device that tells no rate or no channels is refused, and no file is made.
  @Test(arguments: [
    PCMFormat(sampleRate: 0, layout: .stereo), PCMFormat(sampleRate: -48000, layout: .mono),
    PCMFormat(sampleRate: 48000, layout: .discrete(0)),
  ])
  func b096_devicesWithoutARate(format: PCMFormat) throws {
    let folder = try Folder()
    let source = SoundSource(id: "x", format: format) { _, _, _ in 0 }
    let backend = FileBackend(sources: [source])
    #expect(throws: (any Error).self) {
      let recorder = try Recorder(
        from: .input(of: backend), to: .file(folder.file("x.m4a")), settings: quick(.m4a))
      try recorder.start()
    }
    #expect(folder.names.isEmpty)
  }

  /// Sound beyond full scale is counted, and recorded all the same.
  @Test func b097_clippingIsCounted() throws {
    let folder = try Folder()
    let sound = PCMBuffer(
      format: PCMFormat(sampleRate: 48000, layout: .mono),
      channels: [Self.sine(440, rate: 48000, seconds: 0.5, level: 2)])
    let take = try Take(sound, to: .file(folder.file("x.m4a")), quick(.m4a))
    let counted = take.events.reduce(0) { sum, event in
      if case .levels(let levels) = event { sum + levels.clippedSamples } else { sum }
    }
    #expect(counted > 0 && counted <= sound.channels[0].count { abs($0) >= 1 })
    #expect(take.summary.frames == 24000)
  }

  /// No length is made up: headers are counted for that of a file, and a pipe's is known at its end.
  @Test func b143_lengthsOfADTS() throws {
    let (configuration, packets) = try DamageTests.tone(.mono, seconds: 0.5)
    let bytes = try DamageTests.adts([(configuration, packets)])
    let file = try AACReader(MemorySource(bytes))
    #expect(file.frameCount == nil)
    #expect(try openPacketReader(MemorySource(bytes)).survey()?.packetCount == Int64(packets.count))
    let feed = FeedSource()
    feed.feed(bytes)
    feed.finish()
    let pipe = try AACReader(feed)
    #expect(pipe.frameCount == nil)
    #expect(try DamageTests.read(pipe)[0].count == packets.count * 1024)
  }
}
