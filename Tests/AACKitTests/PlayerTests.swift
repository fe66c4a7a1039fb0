import AACKit
import Foundation
import TestServers
import Testing

@Suite struct PlayerTests {
  private static let device = PCMFormat(sampleRate: 48_000, layout: .stereo)

  /// Plays to the end on a device without a clock.
  private func hear(
    _ items: [PlayerItem], _ settings: PlayerSettings = PlayerSettings(), format: PCMFormat = device
  ) throws -> (channels: [[Float]], events: [PlayerEvent]) {
    let recorder = Listener(format)
    let player = Player(items, on: recorder.backend(), settings: settings)
    try player.start()
    let events = player.run()
    return (recorder.channels, events)
  }

  @Test(arguments: ["x.wav", "x.flac"]) func filesOfTheDevicesFormatStayAsTheyAre(name: String) throws {
    let folder = try Folder()
    let sound = coarse(noise(frames: 70_001, seed: 1, rate: 48_000))
    let heard = try hear([PlayerItem(try folder.save(sound, name))])
    #expect(differences(heard.channels, sound.channels).isEmpty)
    #expect(words(heard.events) == ["start 0", "end 0", "finished"])
  }

  @Test(arguments: ["x.m4a", "x.aac"]) func decodedSoundStaysAsItIs(name: String) throws {
    let folder = try Folder()
    let path = try folder.encode(music(frames: 60_000), name)
    let heard = try hear([PlayerItem(path)])
    let decoded = try AudioFile.decode(path)
    #expect(
      differences(heard.channels, decoded.channels.map { Array($0.prefix(decoded.frameCount)) }).isEmpty)
    guard case .itemStarted(0, let info) = heard.events.first else {
      Issue.record("\(heard.events)")
      return
    }
    #expect(info.isSeekable && !info.isLive && info.format == Self.device)
  }

  /// Not a sample between items, and none missing.
  @Test func itemsFollowWithoutASeam() throws {
    let folder = try Folder()
    let first = try folder.encode(music(frames: 30_001), "a.m4a")
    let second = try folder.save(coarse(noise(frames: 5_003, seed: 2, rate: 48_000)), "b.wav")
    let third = try folder.encode(music(frames: 20_000, seed: 5), "c.aac")
    let heard = try hear([first, second, third].map { PlayerItem($0) })
    var expected = [[Float]](repeating: [], count: 2)
    for path in [first, second, third] {
      let sound = try AudioFile.decode(path)
      for channel in 0..<2 { expected[channel] += sound.channels[channel].prefix(sound.frameCount) }
    }
    #expect(differences(heard.channels, expected).isEmpty)
    #expect(
      words(heard.events)
        == ["start 0", "end 0", "start 1", "end 1", "start 2", "end 2", "finished"])
  }

  /// Items of one rate, which is not the device's: converted as one sound.
  @Test func convertedItemsFollowWithoutASeam() throws {
    let folder = try Folder()
    let whole = coarse(music(frames: 40_000, layout: .mono, rate: 44_100))
    func part(_ range: Range<Int>) -> PCMBuffer {
      PCMBuffer(format: whole.format, channels: whole.channels.map { Array($0[range]) })
    }
    let paths = [
      try folder.save(part(0..<17_777), "a.wav"), try folder.save(part(17_777..<17_800), "b.wav"),
      try folder.save(part(17_800..<40_000), "c.wav"),
    ]
    let heard = try hear(paths.map { PlayerItem($0) })
    let reader = ConvertingReader(BufferReader(whole), to: Self.device)
    var expected = PCMBuffer(format: Self.device)
    var all = [[Float]](repeating: [], count: 2)
    while try reader.read(8192, into: &expected) > 0 {
      for channel in 0..<2 { all[channel] += expected.channels[channel].prefix(expected.frameCount) }
    }
    #expect(all[0].count == (40_000 * 480 + 220) / 441)
    #expect(differences(heard.channels, all).isEmpty)
  }

  @Test func otherFormatsInBetween() throws {
    let folder = try Folder()
    let first = coarse(noise(frames: 9_000, seed: 3, rate: 48_000))
    let last = coarse(noise(frames: 8_000, seed: 4, rate: 48_000))
    let items = [
      try folder.save(first, "a.wav"),
      try folder.save(coarse(music(frames: 22_050, layout: .surround51, rate: 44_100)), "b.wav"),
      try folder.save(coarse(music(frames: 8_000, layout: .mono, rate: 16_000)), "c.wav"),
      try folder.save(last, "d.wav"),
    ]
    let heard = try hear(items.map { PlayerItem($0) })
    #expect(heard.channels[0].count == 9_000 + 24_000 + 24_000 + 8_000)
    #expect(differences(heard.channels.map { Array($0.prefix(9_000)) }, first.channels).isEmpty)
    #expect(differences(heard.channels.map { Array($0.suffix(8_000)) }, last.channels).isEmpty)
    #expect(words(heard.events).last == "finished")
  }

  /// What is far shorter than the latency is heard whole, by a clock too.
  @Test(arguments: [1, 100, 5000], [true, false]) func b100_shortClips(frames: Int, hasClock: Bool) throws {
    let folder = try Folder()
    var sound = coarse(noise(frames: frames, seed: 5, rate: 48_000))
    for channel in 0..<2 { (sound.channels[channel][0], sound.channels[channel][frames - 1]) = (0.5, -0.25) }
    let recorder = Listener()
    let player = Player(
      [PlayerItem(try folder.save(sound, "x.wav"))], on: recorder.backend(hasClock ? .clock(speed: 4) : .free)
    )
    try player.start()
    #expect(words(player.run()) == ["start 0", "end 0", "finished"])
    #expect(differences(recorder.channels, sound.channels).isEmpty)
  }

  /// The first sample is the exact one, wherever playing begins.
  @Test(arguments: ["x.m4a", "x.aac", "x.wav", "x.flac"]) func startsAtAnyPlace(name: String) throws {
    let folder = try Folder()
    let sound = coarse(music(frames: 150_000))
    let isPCM = name.hasSuffix("wav") || name.hasSuffix("flac")
    let path = isPCM ? try folder.save(sound, name) : try folder.encode(sound, name)
    let whole = try AudioFile.decode(path)
    for frame in [0, 1, 1023, 1024, 1025, 7000, 47_999, 48_000, 100_003, whole.frameCount - 1] {
      var settings = PlayerSettings()
      settings.start = Double(frame) / 48_000
      let heard = try hear([PlayerItem(path)], settings)
      let rest = whole.channels.map { Array($0[frame..<whole.frameCount]) }
      #expect(differences(heard.channels, rest).isEmpty, "frame \(frame)")
    }
    for seconds in [Double(whole.frameCount) / 48_000, 3.5, 1e9, .infinity] {
      var settings = PlayerSettings()
      settings.start = seconds
      let heard = try hear([PlayerItem(path)], settings)
      #expect(heard.channels[0].isEmpty, "\(seconds)")
      #expect(words(heard.events).last == "finished")
    }
  }

  /// A jump while it plays: what follows is the sound from there on, to its end.
  @Test("B143", arguments: ["x.m4a", "x.aac", "x.wav"]) func jumps(name: String) throws {
    let folder = try Folder()
    let sound = coarse(music(frames: 160_000))
    let path = name == "x.wav" ? try folder.save(sound, name) : try folder.encode(sound, name)
    let whole = try AudioFile.decode(path)
    for frame in [150_000, 12_345, 0] {
      let recorder = Listener(holdsAfter: 20_000)
      let player = Player([PlayerItem(path)], on: recorder.backend())
      try player.start()
      #expect(recorder.wait(for: 20_000))
      try player.seek(to: Double(frame) / 48_000)
      func isThere() -> Bool { abs(player.position - Double(frame) / 48_000) < 0.001 }
      for _ in 0..<1000 where !isThere() { usleep(5000) }
      #expect(isThere())
      recorder.release()
      #expect(words(player.run()) == ["start 0", "end 0", "finished"])
      let tail = whole.channels.map { Array($0[frame..<whole.frameCount]) }
      let heard = recorder.channels.map { Array($0.suffix(tail[0].count)) }
      #expect(differences(heard, tail).isEmpty, "frame \(frame)")
      #expect(recorder.frameCount < 20_000 + 10_000 + tail[0].count)
    }
  }

  /// A jump back while the next item is decoded already, and one back from the very end.
  @Test func jumpsBackIntoTheItemThatIsHeard() throws {
    let folder = try Folder()
    let first = coarse(music(frames: 48_000))
    let second = coarse(music(frames: 24_000, seed: 7))
    let items = [try folder.save(first, "a.wav"), try folder.save(second, "b.wav")]
    // The device takes up to 2400 frames at once: it stands still before the second item is heard.
    let recorder = Listener(holdsAfter: 44_000)
    let player = Player(items.map { PlayerItem($0) }, on: recorder.backend())
    try player.start()
    #expect(recorder.wait(for: 44_000))
    usleep(200_000)
    #expect(player.currentItem == 0)
    try player.seek(to: 0.5)
    for _ in 0..<1000 where abs(player.position - 0.5) > 0.001 { usleep(5000) }
    #expect(abs(player.position - 0.5) < 0.001)
    recorder.release()
    #expect(words(player.run()) == ["start 0", "end 0", "start 1", "end 1", "finished"])
    let tail = (0..<2).map { Array(first.channels[$0][24_000...]) + second.channels[$0] }
    #expect(differences(recorder.channels.map { Array($0.suffix(48_000)) }, tail).isEmpty)
  }

  @Test func pipesCannotBeRewound() throws {
    let folder = try Folder()
    let sound = coarse(noise(frames: 60_000, seed: 9, rate: 48_000))
    let path = try folder.save(sound, "x.wav")
    let pipe = Pipe()
    let data = try Data(contentsOf: URL(filePath: path))
    Thread.detachNewThread { [handle = pipe.fileHandleForWriting] in
      try? handle.write(contentsOf: data)
      try? handle.close()
    }
    let recorder = Listener(holdsAfter: 10_000)
    var settings = PlayerSettings()
    settings.start = 0.25
    let player = Player(
      [PlayerItem(descriptor: pipe.fileHandleForReading.fileDescriptor, name: "pipe")],
      on: recorder.backend(), settings: settings)
    try player.start()
    #expect(recorder.wait(for: 10_000))
    let error = #expect(throws: AACKitError.self) { try player.seek(to: 0) }
    guard case .unsupported = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
    recorder.release()
    #expect(words(player.run()).last == "finished")
    #expect(differences(recorder.channels, sound.channels.map { Array($0[12_000...]) }).isEmpty)
  }

  /// A pipe that has a name.
  @Test(arguments: ["x.wav", "x.m4a"]) func namedPipe(name: String) throws {
    let folder = try Folder()
    let sound = loud(frames: 20_000, seed: 22)
    let path = name == "x.wav" ? try folder.save(sound, name) : try folder.encode(sound, name)
    let pipe = folder.file("pipe")
    // unsafe: reads the path up to its zero byte, which Swift provides.
    let status = unsafe mkfifo(pipe, 0o600)
    #expect(status == 0)
    let data = try Data(contentsOf: URL(filePath: path))
    Thread.detachNewThread { try? data.write(to: URL(filePath: pipe)) }
    let heard = try hear([PlayerItem(pipe)])
    let whole = try AudioFile.decode(path)
    #expect(differences(heard.channels, whole.channels.map { Array($0.prefix(20_000)) }).isEmpty)
  }

  /// A pipe that comes too late: silence, an event, and then all the rest.
  @Test func goesOnAfterAnUnderrun() throws {
    let folder = try Folder()
    let sound = loud(frames: 96_000, seed: 21)
    let data = try Data(contentsOf: URL(filePath: try folder.save(sound, "x.wav")))
    let pipe = Pipe()
    Thread.detachNewThread { [handle = pipe.fileHandleForWriting] in
      try? handle.write(contentsOf: data.prefix(data.count / 2))
      usleep(2_000_000)
      try? handle.write(contentsOf: data.suffix(from: data.count / 2))
      try? handle.close()
    }
    let recorder = Listener()
    let player = Player(
      [PlayerItem(descriptor: pipe.fileHandleForReading.fileDescriptor, name: "pipe")],
      on: recorder.backend(.clock(speed: 1)))
    try player.start()
    let events = player.run()
    #expect(events.contains(.underrun) && events.last == .finished, "\(events)")
    #expect(events.contains { if case .recovered = $0 { true } else { false } }, "\(events)")
    #expect(differences(withoutSilence(recorder.channels), sound.channels).isEmpty)
  }

  @Test func volume() throws {
    let folder = try Folder()
    let sound = coarse(noise(frames: 60_000, seed: 11, rate: 48_000))
    let path = try folder.save(sound, "x.wav")
    for volume in [Float(0), 0.5, 7, -1, .nan] {
      var settings = PlayerSettings()
      settings.volume = volume
      let heard = try hear([PlayerItem(path)], settings)
      let factor: Float = volume == 0.5 ? 0.5 : volume.isNaN || volume == 7 ? 1 : 0
      #expect(differences(heard.channels, sound.channels.map { $0.map { $0 * factor } }).isEmpty, "\(volume)")
    }
  }

  /// A change on the way: a short slope between the two, and back to exactly what is in the file.
  @Test func volumeChanges() throws {
    let folder = try Folder()
    var sound = PCMBuffer(format: Self.device, frameCount: 400_000)
    for channel in 0..<2 {
      for frame in 0..<400_000 { sound.channels[channel][frame] = 0.5 }
    }
    let recorder = Listener(holdsAfter: 50_000)
    let player = Player([PlayerItem(try folder.save(sound, "x.wav"))], on: recorder.backend())
    try player.start()
    #expect(recorder.wait(for: 50_000))
    player.volume = 0.25
    #expect(player.volume == 0.25)
    recorder.release()
    #expect(recorder.wait(for: 200_000))
    player.volume = 1
    #expect(words(player.run()).last == "finished")
    let heard = recorder.channels[0]
    let steps = zip(heard, heard.dropFirst()).map { abs($1 - $0) }
    #expect((steps.max() ?? 1) < 0.001)
    #expect(heard.contains(0.125))
    #expect(heard.count == 400_000 && heard[49_000] == 0.5)
    #expect(recorder.channels[1] == heard)
    if heard.last == 0.5 { #expect(heard.suffix(1000).allSatisfy { $0 == 0.5 }) }
  }

  @Test func stopEndsAtOnce() throws {
    let folder = try Folder()
    let path = try folder.save(coarse(noise(frames: 480_000, seed: 12, rate: 48_000)), "x.wav")
    let recorder = Listener()
    let player = Player([PlayerItem(path)], on: recorder.backend(.clock(speed: 1)))
    try player.start()
    #expect(recorder.wait(for: 10_000))
    let start = MonotonicTime.now
    player.stop()
    #expect(words(player.run()).last == "stopped")
    #expect(MonotonicTime.now.seconds(since: start) < 1)
    let count = recorder.frameCount
    usleep(100_000)
    #expect(recorder.frameCount == count && count < 100_000)
    player.stop()
    #expect(throws: AACKitError.self) { try player.start() }
  }

  /// A pipe that gives nothing does not hold anybody up.
  @Test func stopWhileWaitingForAPipe() throws {
    let pipe = Pipe()
    let player = Player(
      [PlayerItem(descriptor: pipe.fileHandleForReading.fileDescriptor, name: "pipe")],
      on: Listener().backend())
    try player.start()
    usleep(100_000)
    player.stop()
    #expect(words(player.run(seconds: 2)) == ["stopped"])
  }

  @Test func stopBeforeStart() throws {
    let player = Player([PlayerItem("x")], on: Listener().backend())
    player.stop()
    #expect(words(player.run(seconds: 2)) == ["stopped"])
    #expect(throws: AACKitError.self) { try player.start() }
  }

  @Test func pauseHoldsEverything() throws {
    let folder = try Folder()
    let sound = loud(frames: 96_000, seed: 13)
    let recorder = Listener()
    let player = Player(
      [PlayerItem(try folder.save(sound, "x.wav"))], on: recorder.backend(.clock(speed: 1)))
    try player.pause()
    try player.start()
    usleep(300_000)
    #expect(recorder.frameCount == 0 && player.isPaused)
    try player.resume()
    #expect(recorder.wait(for: 20_000))
    try player.pause()
    try player.pause()
    usleep(200_000)
    let (count, position) = (recorder.frameCount, player.position)
    usleep(300_000)
    #expect(recorder.frameCount == count && player.position == position)
    #expect(abs(position - Double(count) / 48_000) < 0.2)
    try player.resume()
    #expect(
      words(player.run()) == ["paused", "resumed", "start 0", "paused", "resumed", "end 0", "finished"])
    #expect(differences(withoutSilence(recorder.channels), sound.channels).isEmpty)
  }

  /// The tail too can be held, and a jump back from it is possible.
  @Test func pauseInTheTail() throws {
    let folder = try Folder()
    let sound = loud(frames: 24_000, seed: 14)
    let recorder = Listener(holdsAfter: 5_000)
    let player = Player(
      [PlayerItem(try folder.save(sound, "x.wav"))], on: recorder.backend(.clock(speed: 1)))
    try player.start()
    #expect(recorder.wait(for: 5_000))
    try player.pause()
    recorder.release()
    usleep(700_000)
    #expect(!player.events.isAtEnd && recorder.frameCount < 24_000)
    try player.seek(to: 0)
    try player.resume()
    #expect(words(player.run()).last == "finished")
    let heard = withoutSilence(recorder.channels).map { Array($0.suffix(24_000)) }
    #expect(differences(heard, sound.channels).isEmpty)
  }

  @Test func positionFollowsTheClock() throws {
    let folder = try Folder()
    let path = try folder.save(coarse(noise(frames: 72_000, seed: 15, rate: 48_000)), "x.wav")
    let player = Player([PlayerItem(path)], on: Listener().backend(.clock(speed: 1)))
    #expect(player.position == 0 && player.currentItem == nil)
    try player.start()
    let events = player.run()
    let positions = events.compactMap { if case .position(let seconds) = $0 { seconds } else { nil } }
    #expect(positions.count >= 4 && positions == positions.sorted())
    #expect(positions.allSatisfy { $0 <= 1.5 })
    let steps = zip(positions, positions.dropFirst()).map { $1 - $0 }.sorted()
    #expect(abs(steps[steps.count / 2] - 0.25) < 0.1, "\(steps)")
    #expect(player.duration == 1.5)
  }

  @Test func unreadableItemsArePassedOver() throws {
    let folder = try Folder()
    let sound = coarse(noise(frames: 3_000, seed: 16, rate: 48_000))
    let good = try folder.save(sound, "a.wav")
    try Data([1, 2, 3]).write(to: URL(filePath: folder.file("bad.wav")))
    try Data().write(to: URL(filePath: folder.file("empty.m4a")))
    let names = [
      folder.file("no.m4a"), good, folder.file("bad.wav"), folder.file("empty.m4a"), folder.path, good,
    ]
    let heard = try hear(names.map { PlayerItem($0) })
    #expect(
      words(heard.events)
        == [
          "failure 0", "start 1", "end 1", "failure 2", "failure 3", "failure 4", "start 5", "end 5",
          "finished",
        ])
    #expect(differences(heard.channels, sound.channels.map { $0 + $0 }).isEmpty)
    let nothing = try hear([PlayerItem(folder.file("no.m4a")), PlayerItem(folder.file("bad.wav"))])
    #expect(words(nothing.events) == ["failure 0", "failure 1", "failed"])
    #expect(try words(hear([]).events) == ["finished"])
  }

  /// A file that ends in the middle: what is there is played, the damage is told.
  @Test func cutOffFile() throws {
    let folder = try Folder()
    let path = try folder.encode(music(frames: 100_000), "x.m4a")
    let data = try Data(contentsOf: URL(filePath: path))
    try data.prefix(data.count / 2).write(to: URL(filePath: folder.file("cut.m4a")))
    let heard = try hear([PlayerItem(folder.file("cut.m4a")), PlayerItem(path)])
    #expect(
      heard.events.contains { if case .damaged = $0 { true } else { false } }
        || words(heard.events).contains("failure 0"))
    #expect(words(heard.events).last == "finished")
    let whole = try AudioFile.decode(path)
    #expect(
      differences(
        heard.channels.map { Array($0.suffix(100_000)) }, whole.channels.map { Array($0.prefix(100_000)) }
      ).isEmpty)
  }

  @Test func failingDevice() throws {
    struct Broken: Error {}
    let folder = try Folder()
    let path = try folder.save(coarse(noise(frames: 96_000, seed: 17, rate: 48_000)), "x.wav")
    let backend = FileBackend(
      sinks: [SoundSink(id: "broken", format: Self.device) { _, _ in throw Broken() }], pacing: .free)
    let player = Player([PlayerItem(path)], on: backend)
    try player.start()
    guard case .failed(let error) = player.run().last, case .device(let reason) = error.reason else {
      Issue.record("no failure of the device")
      return
    }
    #expect(reason.description.contains("Broken"))
    let none = Player([PlayerItem(path)], on: FileBackend())
    let refused = #expect(throws: AACKitError.self) { try none.start() }
    #expect(refused?.advice != nil)
  }

  /// Players that are dropped while they play end, and give their file back.
  @Test func droppedPlayersEnd() throws {
    let folder = try Folder()
    let path = try folder.save(coarse(noise(frames: 480_000, seed: 18, rate: 48_000)), "x.wav")
    let recorder = Listener()
    do {
      let player = Player([PlayerItem(path)], on: recorder.backend(.clock(speed: 1)))
      try player.start()
      #expect(recorder.wait(for: 1000))
    }
    let count = recorder.frameCount
    func isOpen() throws -> Bool {
      let folder = "/proc/self/fd"
      return try FileManager.default.contentsOfDirectory(atPath: folder).contains {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0)) == path
      }
    }
    for _ in 0..<200 where try isOpen() { usleep(10_000) }
    #expect(try !isOpen())
    #expect(recorder.frameCount < count + 10_000)
  }
}
