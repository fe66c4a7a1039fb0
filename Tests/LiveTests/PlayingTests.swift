import AACKit
import Foundation
import TestServers
import Testing

extension LiveTests {
  /// Playing on a real server, one test after the other: each hears everything that its server plays.
  @Suite(.serialized) struct PlayingTests {
    private static let server = Result { try AudioServer() }
    let server: AudioServer
    let backend: PulseBackend

    init() throws {
      server = try Self.server.get()
      backend = try PulseBackend(server: server.address)
    }

    /// The 16-bit samples of `aac decode`, as floats.
    private func decode(_ path: String) throws -> [[Float]] {
      let result = try AACProcess(["decode", "-q", "-f", "s16le", path, "-"], nil, try Folder()).result()
      #expect(result.status == 0, "\(result.errors)")
      let values = stride(from: 0, to: result.output.count - 1, by: 2).map { index in
        Float(Int16(bitPattern: UInt16(result.output[index]) | UInt16(result.output[index + 1]) << 8)) / 32768
      }
      return (0..<2).map { channel in stride(from: channel, to: values.count, by: 2).map { values[$0] } }
    }

    private func sounding(_ channels: [[Float]]) -> [[Float]] {
      guard let first = channels.compactMap({ $0.firstIndex { $0 != 0 } }).min(),
        let last = channels.compactMap({ $0.lastIndex { $0 != 0 } }).max()
      else { return channels.map { _ in [] } }
      return channels.map { Array($0[first...last]) }
    }

    /// What the loudspeaker gets is what `aac decode` writes, from the first sample to the last.
    @Test(arguments: [72_000, 480, 1], ["m4a", "aac"]) func playsEverySample(frames: Int, type: String) throws
    {
      let folder = try Folder()
      let path = try folder.encode(music(frames: frames), "x.\(type)")
      let expected = try decode(path)
      // Of an MP4 file exactly what went in; ADTS has no place for priming and padding.
      if type == "m4a" {
        #expect(expected[0].count == frames)
        #expect(expected[0][0] != 0 && expected[0][frames - 1] != 0)
      }
      let listener = try Listener(backend, "aacnull.monitor")
      let result = try AACProcess(["play", "--device", "aacnull", path], server, folder).result()
      #expect(result.status == 0, "\(result.errors)")
      let heard = listener.sound()
      #expect(heard.lost == 0)
      #expect(differences(heard.channels, sounding(expected)).isEmpty)
    }

    /// Two clips shorter than the latency, then a longer one, without a seam; PCM as it is.
    @Test func playsWithoutASeam() throws {
      let folder = try Folder()
      let format = PCMFormat(sampleRate: 48_000, layout: .stereo)
      var paths: [String] = []
      var expected = [[Float]](repeating: [], count: 2)
      for (index, count) in [1, 480, 30_000].enumerated() {
        let samples = (0..<2).map { channel in
          (0..<count).map { frame -> Float in
            let number = (frame * 7919 + channel * 104_729) % 60_001 - 30_000
            return Float(number == 0 ? 1 : number) / 32768
          }
        }
        paths.append(try folder.save(PCMBuffer(format: format, channels: samples), "\(index).wav"))
        for channel in 0..<2 { expected[channel] += samples[channel] }
      }
      let listener = try Listener(backend, "aacnull.monitor")
      let result = try AACProcess(["play", "-q"] + paths, server, folder).result()
      #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
      #expect(differences(listener.sound().channels, expected).isEmpty)
    }

    /// 44.1 kHz on a device of 48 kHz: libsoxr's quality, at the right pitch.
    @Test func convertsOtherRates() throws {
      let folder = try Folder()
      let frames = 66_150
      let tone = (0..<frames).map { Float(0.5 * cos(2 * .pi * 997 * Double($0) / 44_100)) }
      let sound = PCMBuffer(format: PCMFormat(sampleRate: 44_100, layout: .stereo), channels: [tone, tone])
      let path = try folder.save(sound, "x.wav")
      let listener = try Listener(backend, "aacnull.monitor")
      #expect(try AACProcess(["play", "-q", path], server, folder).result().status == 0)
      let heard = listener.sound().channels[0]
      #expect(abs(heard.count - 72_000) < 200, "\(heard.count)")
      try #require(heard.count > 60_000)
      let factor = 2 * cos(2 * Double.pi * 997 / 48_000)
      let worst = (5000..<55_000).map { index in
        abs(Double(heard[index + 1]) + Double(heard[index - 1]) - factor * Double(heard[index]))
      }.max()
      // Three samples, rounded to 16 bits in the file and once more at the device: 2 · (1 + factor ÷ 2) steps at most.
      #expect((worst ?? 1) < 4 / 32768, "\(String(describing: worst))")
    }

    @Test func followsTheInterrupt() throws {
      let folder = try Folder()
      let path = try folder.save(music(frames: 480_000), "x.wav")
      for signal in [SIGINT, SIGTERM] {
        let program = try AACProcess(["play", "--progress", "json", path], server, folder)
        #expect(program.wait(forText: "itemStarted"))
        let start = MonotonicTime.now
        program.signal(signal)
        #expect(program.result().status == 130)
        #expect(MonotonicTime.now.seconds(since: start) < 2)
      }
    }

    /// The position is that of what is heard: the marker's place in the monitor agrees with it.
    @Test func positionIsWhatIsHeard() throws {
      let folder = try Folder()
      let path = try folder.save(music(frames: 96_000), "x.wav")
      let player = Player([PlayerItem(path)], on: backend)
      try player.start()
      var places: [(time: MonotonicTime, position: Double)] = []
      while !player.events.isAtEnd {
        if case .position(let seconds) = player.events.next(timeout: .milliseconds(20)) {
          places.append((.now, seconds))
        }
      }
      try #require(places.count >= 5)
      let rates = zip(places, places.dropFirst()).map {
        ($1.position - $0.position) / $1.time.seconds(since: $0.time)
      }
      #expect(abs(rates.sorted()[rates.count / 2] - 1) < 0.15, "\(rates)")
    }

    /// A jump on a real server: the sound from the place on, exactly, to the end.
    @Test func jumps() throws {
      let folder = try Folder()
      let sound = music(frames: 240_000)
      let path = try folder.save(sound, "x.wav")
      let exact = try AudioFile.decode(path).channels
      let listener = try Listener(backend, "aacnull.monitor")
      let player = Player([PlayerItem(path)], on: backend)
      try player.start()
      usleep(700_000)
      try player.seek(to: 4)
      var events: [PlayerEvent] = []
      while !player.events.isAtEnd {
        if let event = player.events.next(timeout: .milliseconds(50)) { events.append(event) }
      }
      // A busy machine may have underruns.
      events.removeAll { event in
        switch event {
        case .position, .underrun, .recovered: true
        default: false
        }
      }
      #expect(events.count == 3 && events.last == .finished, "\(events)")
      let heard = listener.sound().channels
      let tail = exact.map { Array($0[192_000...]) }
      #expect(heard[0].count < 48_000 + 72_000)
      #expect(differences(heard.map { Array($0.suffix(48_000)) }, tail).isEmpty)
    }

    // MARK: Faults

    private func withSink(_ body: (String) throws -> Void) throws {
      let module = try server.pactl(
        "load-module", "module-null-sink", "sink_name=fleeting", "norewinds=1", "rate=48000", "channels=2",
        "format=s16le")
      defer { _ = try? server.pactl("unload-module", module) }
      try body(module)
    }

    /// The device is unplugged: playing goes on at the default one.
    @Test func movesWhenUnplugged() throws {
      let folder = try Folder()
      let path = try folder.save(music(frames: 120_000), "x.wav")
      try withSink { module in
        let program = try AACProcess(
          ["play", "--progress", "json", "--device", "fleeting", path], server, folder)
        #expect(program.wait(forText: "\"seconds\":1"))
        try server.pactl("unload-module", module)
        let result = program.result()
        #expect(result.status == 0, "\(result.errors)")
        let moved = result.events.first { $0["event"] as? String == "moved" }
        #expect(moved?["device"] as? String == "aacnull", "\(result.errors)")
        #expect(result.events.last?["event"] as? String == "finished")
      }
    }

    @Test func stopsWhenUnplugged() throws {
      let folder = try Folder()
      let path = try folder.save(music(frames: 240_000), "x.wav")
      try withSink { module in
        var settings = PlayerSettings()
        settings.device = "fleeting"
        settings.onUnplug = .stop
        let player = Player([PlayerItem(path)], on: backend, settings: settings)
        try player.start()
        usleep(500_000)
        try server.pactl("unload-module", module)
        var last: PlayerEvent?
        for _ in 0..<100 where !player.events.isAtEnd {
          last = player.events.next(timeout: .milliseconds(100)) ?? last
        }
        guard case .failed(let error) = last, case .device(let reason) = error.reason else {
          Issue.record("\(String(describing: last))")
          return
        }
        #expect(reason.reason == .deviceGone && error.advice != nil)
      }
    }

    @Test func followsTheDefault() throws {
      let folder = try Folder()
      let path = try folder.save(music(frames: 120_000), "x.wav")
      let program = try AACProcess(["play", "--progress", "json", path], server, folder)
      #expect(program.wait(forText: "\"seconds\":1"))
      defer { _ = try? server.pactl("set-default-sink", "aacnull") }
      try server.pactl("set-default-sink", "aacalt")
      let result = program.result()
      #expect(result.status == 0)
      let moved = result.events.first { $0["event"] as? String == "moved" }
      #expect(moved?["device"] as? String == "aacalt", "\(result.errors)")
    }

    @Test func serverIsKilled() throws {
      let folder = try Folder()
      let path = try folder.save(music(frames: 480_000), "x.wav")
      let mortal = try AudioServer()
      let program = try AACProcess(["play", "--progress", "json", path], mortal, folder)
      #expect(program.wait(forText: "\"event\":\"position\""))
      try mortal.kill()
      let result = program.result(seconds: 10)
      #expect(result.status == 1, "\(result.errors)")
      #expect(result.errors.contains("the audio server is gone"))
      #expect(result.events.last?["event"] as? String == "failed")
    }

    @Test func noServer() throws {
      let folder = try Folder()
      let path = try folder.save(music(frames: 4_800), "x.wav")
      let result = try AACProcess(["play", path], nil, folder).result()
      #expect(result.status == 1)
      #expect(result.errors.contains("no audio server answers"))
      #expect(result.errors.contains("start PulseAudio or PipeWire"))
    }

    @Test func unknownDevice() throws {
      let folder = try Folder()
      let path = try folder.save(music(frames: 4_800), "x.wav")
      let result = try AACProcess(["play", "--device", "speaker", path], server, folder).result()
      #expect(result.status == 1)
      #expect(result.errors.contains("aacnull (AACNull)") && result.errors.contains("aacalt (AACAlt)"))
      #expect(
        try AACProcess(["play", "--device", "AACAlt", "-q", path], server, folder).result().status == 0)
      #expect(try AACProcess(["play", "--device", "aac", "-q", path], server, folder).result().status == 2)
    }

    // MARK: A station

    /// A station over HTTP, with titles, until it is interrupted; what is heard is its sound.
    @Test func station() throws {
      let folder = try Folder()
      let path = try folder.encode(music(frames: 48_000 * 10), "x.aac")
      let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
      let web = try WebServer { connection in
        let interval = 4096
        connection.send(
          "HTTP/1.0 200 OK\r\nicy-name: Live\r\nicy-metaint: 4096\r\nContent-Type: audio/aac\r\n\r\n")
        for start in stride(from: 0, to: bytes.count - interval, by: interval) {
          let title = [UInt8]("StreamTitle='Song \(start < bytes.count / 3 ? 1 : 2)';".utf8)
          connection.send([UInt8](bytes[start..<start + interval]))
          connection.send([2] + title + [UInt8](repeating: 0, count: 32 - title.count))
          // Three seconds in one go, then by the clock.
          if start > bytes.count * 3 / 10 { usleep(UInt32(interval * 10_000_000 / bytes.count)) }
        }
        connection.waitForEnd(seconds: 20)
      }
      let listener = try Listener(backend, "aacnull.monitor")
      let program = try AACProcess(["play", "--progress", "json", web.address("/live.aac")], server, folder)
      #expect(program.wait(forText: "Song 2", seconds: 20))
      program.signal(SIGINT)
      let result = program.result()
      #expect(result.status == 130)
      let names = result.events.compactMap { $0["event"] as? String }
      #expect(names.filter { $0 == "connected" }.count == 1 && names.contains("itemStarted"), "\(names)")
      #expect(result.events.compactMap { $0["title"] as? String } == ["Song 1", "Song 2"])
      #expect(
        result.events.first { $0["event"] as? String == "itemStarted" }?["station"] as? String == "Live")
      // Song 2 begins at about a third of ten seconds, and its title comes when it is heard.
      let heard = listener.sound().channels[0]
      #expect(heard.count > 48_000 * 3 && heard.count < 48_000 * 6, "\(heard.count)")
    }
  }
}
