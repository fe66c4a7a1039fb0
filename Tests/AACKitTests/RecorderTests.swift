import AACKit
import Foundation
import PCM
import Synchronization
import Testing

/// What a recording of sound that is known gave.
struct Take {
  var summary: RecordingSummary
  var events: [RecorderEvent]

  /// Records all of a sound that comes as fast as it is taken.
  init(
    _ sound: PCMBuffer, to target: RecordingTarget, _ settings: RecorderSettings,
    _ body: (Recorder) -> Void = { _ in }
  ) throws {
    let backend = FileBackend(sources: [FileSoundSource(BufferReader(sound)).source(id: "sound")])
    try self.init(.input(of: backend), to: target, settings, body)
  }

  init(
    _ source: RecordingSource, to target: RecordingTarget, _ settings: RecorderSettings,
    _ body: (Recorder) -> Void = { _ in }
  ) throws {
    let recorder = try Recorder(from: source, to: target, settings: settings)
    try recorder.start()
    body(recorder)
    events = []
    while let event = recorder.events.next(timeout: .seconds(60)) { events.append(event) }
    summary = try #require(recorder.summary)
  }

  func times(_ time: (RecorderEvent) -> Double?) -> [Double] { events.compactMap(time) }

  var lostFrames: Int64 {
    events.reduce(0) { sum, event in if case .lost(let frames, _) = event { sum + frames } else { sum } }
  }
}

/// Cheap settings: what is tested is not how well it sounds.
func quick(_ container: ContainerFormat?, _ change: (inout RecorderSettings) -> Void = { _ in })
  -> RecorderSettings
{
  var settings = RecorderSettings()
  settings.encoding.effort = .min
  settings.container = container
  change(&settings)
  return settings
}

func packets(_ path: String) throws -> [[UInt8]] {
  let reader = try openPacketReader(try FileSource(path: path))
  var list: [[UInt8]] = []
  while let packet = try reader.nextPacket() { list.append(packet.data) }
  return list
}

/// Stretches of a tone or of silence, each so many frames long.
func stretches(_ lengths: [(frames: Int, level: Float)], rate: Int = 48000) -> PCMBuffer {
  var samples: [Float] = []
  for (frames, level) in lengths {
    for frame in 0..<frames {
      samples.append(level * Float(sin(2 * .pi * 997 * Double(frame) / Double(rate))))
    }
  }
  return PCMBuffer(format: PCMFormat(sampleRate: rate, layout: .mono), channels: [samples])
}

@Suite("Recorder") struct RecorderTests {
  @Test("a recording has the very packets that encoding the sound gives", arguments: ["x.m4a", "x.aac"])
  func samePackets(name: String) throws {
    let folder = try Folder()
    let sound = noise(frames: 100_000, seed: 3)
    let take = try Take(sound, to: .file(folder.file(name)), quick(nil))
    #expect(take.summary.error == nil)
    #expect(take.summary.frames == 100_000)
    #expect(take.summary.lostFrames == 0)
    let file = try #require(take.summary.files.first)
    #expect(take.summary.files.count == 1)
    #expect(file.path == folder.file(name) && file.problem == nil && file.frames == 100_000)
    var options = EncodeOptions()
    options.effort = .min
    try AudioFile.encode(sound, to: folder.file("whole-" + name), options)
    #expect(try packets(folder.file(name)) == packets(folder.file("whole-" + name)))
    let decoded = try AudioFile.decode(folder.file(name))
    let whole = try AudioFile.decode(folder.file("whole-" + name))
    #expect(decoded.frameCount == whole.frameCount)
    #expect(decoded.channels == whole.channels)
    #expect(folder.names == ["whole-" + name, name])
    guard case .finished(let told)? = take.events.last else {
      Issue.record("the last event is \(String(describing: take.events.last))")
      return
    }
    #expect(told == take.summary)
  }

  @Test("B054: the length asked for, to the sample, whatever the device's rate and channels are")
  func duration() throws {
    let folder = try Folder()
    for (rate, layout, number) in [
      (44100, ChannelLayout.stereo, 1), (48000, .mono, 2), (96000, .stereo, 3), (11025, .surround51, 4),
    ] {
      let sound = noise(frames: 3 * rate, layout: layout, seed: 1, rate: rate)
      let take = try Take(
        sound, to: .file(folder.file("\(number).m4a")),
        quick(.m4a) {
          $0.duration = 1.25
          $0.encoding.sampleRate = 32000
          $0.encoding.channelCount = 2
        })
      #expect(take.summary.frames == 40_000)
      let decoded = try AudioFile.decode(folder.file("\(number).m4a"))
      #expect(decoded.frameCount == 40_000)
      #expect(decoded.format == PCMFormat(sampleRate: 32000, layout: .stereo))
    }
  }

  @Test("B056: a device's whole sound is there after a change of rate: n frames are n · to / from")
  func conversion() throws {
    let folder = try Folder()
    let take = try Take(
      noise(frames: 96_000, layout: .mono, seed: 1, rate: 48000), to: .file(folder.file("x.aac")),
      quick(.adts) { $0.encoding.sampleRate = 44100 })
    #expect(take.summary.frames == 88_200)
  }

  @Test("B057: rates beyond 48 kHz are brought down, and odd ones to the next that can be coded")
  func usualFormat() throws {
    func format(_ rate: Int, _ layout: ChannelLayout) throws -> PCMFormat {
      let folder = try Folder()
      let recorder = try Recorder(
        from: .input(of: NullBackend(format: PCMFormat(sampleRate: rate, layout: layout))),
        to: .file(folder.file("x.aac")), settings: quick(.adts))
      recorder.stop()
      #expect(folder.names.isEmpty)
      return PCMFormat(sampleRate: recorder.encoding.sampleRate, layout: recorder.encoding.layout)
    }
    #expect(try format(192_000, .stereo) == PCMFormat(sampleRate: 48000, layout: .stereo))
    #expect(try format(44100, .surround51) == PCMFormat(sampleRate: 44100, layout: .surround51))
    #expect(try format(30000, .mono) == PCMFormat(sampleRate: 24000, layout: .mono))
  }

  @Test("files that follow each other lose no sample", arguments: ["m4a", "aac"])
  func splitByTime(ext: String) throws {
    let folder = try Folder()
    let sound = noise(frames: 100_000, layout: .mono, seed: 9, rate: 48000)
    let container = try #require(ContainerFormat(fileExtension: ext))
    let take = try Take(
      sound, to: .file(folder.file("x.\(ext)")), quick(container) { $0.splitSeconds = 0.5 })
    #expect(take.summary.files.map(\.frames) == [24000, 24000, 24000, 24000, 4000])
    #expect(folder.names == (1...5).map { "x-00\($0).\(ext)" })
    var options = EncodeOptions()
    options.effort = .min
    for (index, file) in take.summary.files.enumerated() {
      // Each is what encoding its part of the sound gives: no sample is missing, double or elsewhere.
      let range = index * 24000..<min(100_000, (index + 1) * 24000)
      let part = PCMBuffer(format: sound.format, channels: [Array(sound.channels[0][range])])
      try AudioFile.encode(part, to: folder.file("part.\(ext)"), options, replacing: true)
      #expect(try packets(try #require(file.path)) == packets(folder.file("part.\(ext)")))
    }
  }

  @Test("a new file when one is asked for")
  func splitByHand() throws {
    let folder = try Folder()
    let take = try Take(
      .input(of: NullBackend()), to: .file(folder.file("x.m4a")),
      quick(.m4a) {
        $0.encoding.channelCount = 1
        $0.duration = 1
      }
    ) { recorder in
      Thread.sleep(forTimeInterval: 0.5)
      recorder.split()
    }
    #expect(folder.names == ["x-002.m4a", "x.m4a"])
    #expect(take.summary.files.map(\.frames).reduce(0, +) == 48000)
    #expect(take.summary.files.allSatisfy { $0.problem == nil && $0.frames > 4800 })
  }

  @Test("no file is larger than it may be, and the next number that is free is taken")
  func splitBySize() throws {
    let folder = try Folder()
    let sound = noise(frames: 1_440_000, layout: .stereo, seed: 9, rate: 48000)
    try Data([1]).write(to: URL(filePath: folder.file("x-001.m4a")))
    let take = try Take(
      sound, to: .file(folder.file("x.m4a")),
      quick(.m4a) {
        $0.splitBytes = 100_000
        $0.encoding.rate = .constant(192_000)
      })
    #expect(take.summary.frames == 1_440_000)
    #expect((8...9).contains(take.summary.files.count))
    #expect(take.summary.files.first?.path == folder.file("x-002.m4a"))
    #expect(try Data(contentsOf: URL(filePath: folder.file("x-001.m4a"))) == Data([1]))
    for (index, file) in take.summary.files.enumerated() {
      let path = try #require(file.path)
      let size = try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
      #expect(size <= 100_000)
      if index < take.summary.files.count - 1 { #expect(size > 80_000) }
      #expect(try Int64(AudioFile.decode(path).frameCount) == file.frames)
    }
    #expect(take.summary.files.reduce(0) { $0 + $1.frames } == 1_440_000)
  }
}
