import AACKit
import AudioDevices
import Foundation
import PCM
import TestServers
import Testing
import Threads

extension LiveTests {
  /// Recordings whose device, server or disk fails.
  @Suite("aac record: faults", .serialized) struct RecordFaultTests {
    let server: AudioServer
    let folder: Folder

    init() throws {
      // Each test has its own: a server that streams have been moved about on keeps other rates.
      server = try AudioServer()
      folder = try Folder()
    }

    private func record(_ path: String, _ options: [String] = []) throws -> AACProcess {
      try AACProcess(["record", path, "--progress", "json"] + options, server, folder)
    }

    /// An output that can be unplugged, with what ends it.
    private func plug(_ name: String) throws -> String {
      try server.pactl("load-module", "module-null-sink", "sink_name=\(name)", "norewinds=1", "rate=44100")
    }

    @Test("unplugged: the recording moves to the default and keeps pitch and format")
    func b093_unplugMoves() throws {
      let module = try plug("usb1")
      let speakers = try [Loudspeaker(server, "usb1"), Loudspeaker(server, "aacnull")]
      defer { for speaker in speakers { speaker.stop() } }
      let path = folder.file("x.m4a")
      let process = try record(path, ["--device", "usb1.monitor", "-b", "192k"])
      #expect(process.wait(for: "levels"))
      usleep(1_500_000)
      try server.pactl("unload-module", module)
      #expect(process.wait(for: "moved"), "\(process.errors)")
      usleep(2_000_000)
      process.signal(SIGINT)
      #expect(process.end() == 130, "\(process.errors)")
      #expect(process.events("moved").first?["device"] as? String == "aacnull.monitor")
      let moment = try #require(process.events("moved").first?["time"] as? Double)
      let sound = try decode(path, folder)
      #expect(sound.count == 2)
      // Apart from the moment of the change the tone is that of the device, at the file's rate.
      let change = Int(moment * 44100)
      #expect(sound[0].count > change + 44100)
      for part in [sound[0][0..<change - 13230], sound[0][(change + 22050)...]] {
        let check = ToneCheck(Array(part), rate: 44100)
        #expect(abs(check.frequency - 997) < 0.1, "\(check)")
        #expect(check.phase < 0.1, "\(check)")
      }
    }

    @Test("unplugged: the recording ends, says so, and the file is whole")
    func unplugStops() throws {
      let module = try plug("usb2")
      let speaker = try Loudspeaker(server, "usb2")
      defer { speaker.stop() }
      let path = folder.file("x.m4a")
      let process = try record(path, ["--device", "usb2.monitor", "--on-unplug", "stop", "-b", "192k"])
      #expect(process.wait(for: "levels"))
      usleep(1_500_000)
      try server.pactl("unload-module", module)
      #expect(process.end() == 1, "\(process.errors)")
      #expect(process.errors.contains("the device is gone"), "\(process.errors)")
      let sound = try decode(path, folder)
      #expect(sound[0].count > 44100)
      let check = ToneCheck(Array(sound[0].dropLast(4410)), rate: 44100)
      #expect(abs(check.frequency - 997) < 0.1 && check.phase < 0.1, "\(check)")
    }

    @Test("the default changes: a recording of the default goes with it")
    func defaultChanges() throws {
      let speakers = try ["aacnull", "aacalt"].map { try Loudspeaker(server, $0) }
      defer {
        for speaker in speakers { speaker.stop() }
        _ = try? server.pactl("set-default-source", "aacnull.monitor")
      }
      let path = folder.file("x.m4a")
      let process = try record(path, ["-b", "192k"])
      #expect(process.wait(for: "levels"))
      usleep(1_000_000)
      try server.pactl("set-default-source", "aacalt.monitor")
      #expect(process.wait(for: "moved"), "\(process.errors)")
      usleep(1_500_000)
      process.signal(SIGINT)
      #expect(process.end() == 130, "\(process.errors)")
      let sound = try decode(path, folder)
      let check = ToneCheck(Array(sound[0].suffix(48000)), rate: 48000)
      #expect(abs(check.frequency - 997) < 0.1 && check.phase < 0.1, "\(check)")
    }

    @Test("the server dies: what was recorded is finished")
    func serverDies() throws {
      let path = folder.file("x.m4a")
      let process = try record(path)
      #expect(process.wait(for: "levels"))
      usleep(1_000_000)
      try server.kill()
      #expect(process.end() == 1, "\(process.errors)")
      #expect(process.errors.contains("the audio server is gone"), "\(process.errors)")
      #expect(try decode(path, folder)[0].count > 40_000)
      #expect(try ffmpeg(path, folder).errors == "")
      // And the next recording is like the first one.
      try server.start()
      let next = try record(folder.file("y.m4a"), ["-d", "0.5"])
      #expect(next.end() == 0, "\(next.errors)")
      #expect(try decode(folder.file("y.m4a"), folder)[0].count == 24000)
    }

    @Test("the server dies and comes back: the recording goes on, with silence for the time between")
    func b091_serverComesBack() throws {
      let path = folder.file("x.m4a")
      var speaker = try Loudspeaker(server, "aacnull")
      let process = try record(path, ["--reconnect", "20", "-b", "192k"])
      #expect(process.wait(for: "levels"))
      usleep(1_000_000)
      let start = MonotonicTime.now
      try server.kill()
      #expect(process.wait(for: "reconnecting"), "\(process.errors)")
      usleep(500_000)
      try server.start()
      #expect(process.wait(for: "reconnected"), "\(process.errors)")
      let gone = MonotonicTime.now.seconds(since: start)
      speaker = try Loudspeaker(server, "aacnull")
      usleep(1_500_000)
      process.signal(SIGINT)
      #expect(process.end() == 130, "\(process.errors)")
      speaker.stop()
      let silence = try #require(process.events("reconnected").first?["silence"] as? Double)
      #expect(silence > 0.4 && silence < gone + 0.2, "\(silence) of \(gone) s")
      let sound = try decode(path, folder)
      let check = ToneCheck(Array(sound[0].suffix(40000)), rate: 48000)
      #expect(abs(check.frequency - 997) < 0.1 && check.phase < 0.1, "\(check)")
      #expect(Double(sound[0].count) / 48000 > 1 + silence + 1.5)
    }

    @Test("no server: a word, what to do, and no file")
    func noServer() throws {
      let told = try aac(folder, nil, "record", folder.file("x.m4a"), "-d", "1")
      #expect(told.status == 1)
      #expect(told.errors.contains("no audio server answers"), "\(told.errors)")
      #expect(told.errors.contains("PULSE_SERVER"), "\(told.errors)")
      #expect(!folder.names.contains("x.m4a"))
    }

    @Test("a device that is not there: the ones that are")
    func noDevice() throws {
      let told = try aac(folder, server, "record", folder.file("x.m4a"), "-d", "1", "--device", "nosuch")
      #expect(told.status == 1)
      #expect(told.errors.contains("aacalt.monitor"), "\(told.errors)")
      #expect(!folder.names.contains("x.m4a"))
    }

    @Test("an output that exists or cannot be written is told before anything is recorded")
    func unwritable() throws {
      try Data([1]).write(to: URL(filePath: folder.file("old.m4a")))
      for (path, words) in [
        (folder.file("old.m4a"), "-y"), (folder.file("no/x.m4a"), "No such"),
        (folder.path + "/", "directory"),
      ] {
        let told = try aac(folder, server, "record", "-f", "m4a", "-d", "1", path)
        #expect(told.status == 1, "\(path): \(told.errors)")
        #expect(told.errors.contains(words), "\(path): \(told.errors)")
      }
      #expect(try Data(contentsOf: URL(filePath: folder.file("old.m4a"))) == Data([1]))
    }

    @Test("the old file stays where the new one never begins, and is replaced where it does")
    func replacing() throws {
      let path = folder.file("x.m4a")
      try Data([1]).write(to: URL(filePath: path))
      let refused = try aac(folder, nil, "record", "-y", path, "-d", "1")
      #expect(refused.status == 1)
      #expect(try Data(contentsOf: URL(filePath: path)) == Data([1]))
      let told = try aac(folder, server, "record", "-y", path, "-d", "1")
      #expect(told.status == 0, "\(told.errors)")
      #expect(try decode(path, folder)[0].count == 48000)
      #expect(folder.names.filter { !$0.hasPrefix(".errors") && !$0.hasPrefix(".output") } == ["x.m4a"])
    }

    @Test("a file that may not grow: what was written plays", arguments: ["x.m4a", "x.aac"])
    func fileLimit(name: String) throws {
      let path = folder.file(name)
      let process = try AACProcess(
        ["record", path, "-d", "20", "-b", "256k"], server, folder, shell: "ulimit -f 100; exec \"$@\"")
      #expect(process.end() == 1, "\(process.errors)")
      #expect(process.errors.contains("File too large"), "\(process.errors)")
      // 100 blocks of 512 bytes at 32 kB a second.
      let told = try ffmpeg(path, folder)
      #expect(told.seconds > 1.2 && told.seconds < 1.8, "\(told)")
      let repaired = try aac(folder, nil, "repair", path)
      #expect(repaired.status == 0, "\(repaired.errors)")
      #expect(try ffmpeg(path, folder).errors == "")
    }

    /// In a name space of its own where this user may make one, else on a file system that is mounted for it.
    @Test("a disk that gets full")
    func fullDisk() throws {
      let mount = folder.file("disk")
      try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: true)
      let copy = folder.file("x.m4a")
      let process = try AACProcess(
        ["record", "-d", "20", "-b", "256k", mount + "/x.m4a"], server, folder,
        shell: """
          exec unshare --user --map-root-user --mount sh -c '
            mount -t tmpfs -o size=128k tmpfs \(mount) || exit 99
            "$@"; status=$?; cp \(mount)/x.m4a \(copy); exit $status' sh "$@"
          """)
      #expect(process.end() == 1, "\(process.errors)")
      #expect(process.errors.contains("No space left"), "\(process.errors)")
      let told = try ffmpeg(copy, folder)
      #expect(told.seconds > 3 && told.seconds < 4.2, "\(told)")
      let repaired = try aac(folder, nil, "repair", copy)
      #expect(repaired.status == 0, "\(repaired.errors)")
      #expect(try ffmpeg(copy, folder).errors == "")
    }

    /// Packets last 21 ms. Where each takes 30, silence for what was lost soon takes all the time there is, and only
    /// what the ring held at first is whole; standing still now and then leaves whole stretches of sound.
    @Test(
      "an encoder slower than real time: the loss is exact, and sound stays where it was in time",
      arguments: [(packets: 1, pause: 30_000, whole: 7), (packets: 60, pause: 1_500_000, whole: 30)])
    func slowEncoder(packets: Int, pause: Int, whole: Int) throws {
      let speaker = try Loudspeaker(server, "aacnull")
      defer { speaker.stop() }
      let backend = try PulseBackend(server: server.address)
      let opened = Guarded<CaptureStream?>(nil)
      let source = RecordingSource { () throws(AudioDeviceError) -> CaptureStream in
        let stream = try backend.openCapture(
          StreamRequest(device: "aacnull.monitor", bufferLength: .milliseconds(500)))
        opened.withLock { $0 = stream }
        return stream
      }
      var settings = RecorderSettings()
      settings.encoding.effort = .min
      settings.encoding.channelCount = 1
      settings.encoding.rate = .constant(128_000)
      settings.duration = 8
      let count = Guarded(0)
      settings.onPacket = { _ in
        let isPause = count.withLock { count in
          count += 1
          return count % packets == 0
        }
        if isPause { usleep(UInt32(pause)) }
      }
      let path = folder.file("x.m4a")
      let recorder = try Recorder(from: source, to: .file(path), settings: settings)
      try recorder.start()
      var told: Int64 = 0
      while let event = recorder.events.next(timeout: .seconds(60)) {
        if case .lost(let frames, _) = event { told += frames }
      }
      let summary = try #require(recorder.summary)
      let stream = try #require(opened.withLock { $0 })
      #expect(summary.frames == 8 * 48000)
      #expect(stream.lostFrames > 24000)
      #expect(summary.lostFrames == stream.lostFrames)
      #expect(told <= stream.lostFrames && told >= stream.lostFrames - (stream.position - summary.frames))
      #expect(stream.bufferFrames <= 32768)
      // Silence stands for what was lost, so that the tone is where it would have been.
      let sound = try decode(path, folder)[0]
      var turns: [Double] = []
      for start in stride(from: 4800, to: sound.count - 2400, by: 2400) {
        let window = Array(sound[start..<start + 2400])
        guard window.allSatisfy({ $0.isFinite }), window.reduce(0, { $0 + $1 * $1 }) / 2400 > 0.12 else {
          continue
        }
        var (cosine, sine) = (0.0, 0.0)
        for index in window.indices {
          let angle = 2 * .pi * 997 * Double(start + index) / 48000
          cosine += Double(window[index]) * cos(angle)
          sine += Double(window[index]) * sin(angle)
        }
        turns.append(atan2(sine, cosine))
      }
      let first = try #require(turns.first)
      #expect(turns.count > whole)
      #expect(turns.allSatisfy { abs(remainder($0 - first, 2 * .pi)) < 0.1 }, "\(turns)")
    }
  }
}
