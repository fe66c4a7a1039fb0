import AudioDevices
import Foundation
import TestServers
import Testing

extension LiveTests {
  /// `aac record` on a real sound server.
  @Suite("aac record", .serialized) struct RecordTests {
    let server: AudioServer
    let folder: Folder

    init() throws {
      server = try AudioServer.shared.get()
      folder = try Folder()
    }

    /// What is recorded of which output's monitor, and the rate and channels that the file is to have.
    private static let takes: [(device: String, options: [String], rate: Int, channels: Int, name: String)] =
      [
        ("aacnull.monitor", [], 48000, 2, "a.m4a"),
        ("aacnull.monitor", ["--channels", "1"], 48000, 1, "b.aac"),
        ("aacnull.monitor", ["--rate", "44100"], 44100, 2, "c.m4a"),
        ("aacnull.monitor", ["--rate", "44100", "--channels", "1"], 44100, 1, "d.m4a"),
        ("aacalt.monitor", [], 44100, 2, "e.m4a"),
        ("aacalt.monitor", ["--channels", "1"], 44100, 1, "f.m4a"),
        ("aacalt.monitor", ["--rate", "48000"], 48000, 2, "g.loas"),
        ("aacalt.monitor", ["--rate", "32000", "--channels", "1"], 32000, 1, "h.m4a"),
      ]

    @Test("ten seconds of a tone: pitch, level, length, no break", arguments: [false, true])
    func tone(isLoaded: Bool) throws {
      let speakers = try ["aacnull", "aacalt"].map { try Loudspeaker(server, $0) }
      defer { for speaker in speakers { speaker.stop() } }
      let load = try (0..<(isLoaded ? 3 : 0)).map { _ in try busyLoop() }
      defer { for process in load { kill(process.processIdentifier, SIGKILL) } }
      let processes = try Self.takes.map { take in
        try AACProcess(
          ["record", folder.file(take.name), "-d", "10", "--device", take.device, "--progress", "json"]
            + ["-b", "\(96 * take.channels)k"] + take.options, server, folder)
      }
      for process in processes { #expect(process.end() == 0, "\(process.errors)") }
      for process in load { kill(process.processIdentifier, SIGKILL) }
      for (take, process) in zip(Self.takes, processes) {
        let finished = process.events("finished").first
        #expect(finished?["lost"] as? Int == 0, "\(take): \(process.errors)")
        #expect(finished?["samples"] as? Int == 10 * take.rate, "\(take)")
        #expect(process.events("hole").isEmpty, "\(take): \(process.errors)")
        let sound = try decode(folder.file(take.name), folder)
        #expect(sound.count == take.channels)
        for channel in sound {
          // ADTS and LOAS cannot tell what is priming and padding.
          let isExact = take.name.hasSuffix("m4a")
          #expect(
            isExact
              ? channel.count == 10 * take.rate : abs(Double(channel.count) / Double(take.rate) - 10) < 0.05)
          let start = isExact ? 0 : 1024
          let check = ToneCheck(
            Array(channel[start..<min(channel.count, start + 10 * take.rate)]), rate: take.rate)
          #expect(abs(check.frequency - 997) < 0.1, "\(take): \(check)")
          #expect(abs(check.level + 6.02) < 0.1, "\(take): \(check)")
          // One frame more or less would turn it by 0.13; what coding does is a third of that.
          #expect(check.phase < 0.05, "\(take): \(check)")
          #expect(check.levelChange < 0.2, "\(take): \(check)")
        }
      }
    }

    private func busyLoop() throws -> Process {
      let process = Process()
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = ["-c", "while :; do :; done"]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      return process
    }

    @Test("a signal ends the recording and the file is finished", arguments: [SIGINT, SIGTERM])
    func signals(number: Int32) throws {
      let path = folder.file("x.m4a")
      let process = try AACProcess(["record", path, "--progress", "json"], server, folder)
      #expect(process.wait(for: "levels"))
      let start = MonotonicTime.now
      usleep(1_000_000)
      process.signal(number)
      #expect(process.end() == 130, "\(process.errors)")
      // Nothing plays: it is a recording of silence.
      let seconds = MonotonicTime.now.seconds(since: start)
      let sound = try decode(path, folder)
      #expect(Double(sound[0].count) / 48000 > 0.9 && Double(sound[0].count) / 48000 < seconds + 1)
      #expect(sound.allSatisfy { $0.allSatisfy { $0.magnitude < 1e-4 } })
      #expect(try isPlain(path))
      #expect(try ffmpeg(path, folder).errors == "")
    }

    @Test("killed at any moment: the file plays up to the last second, and repair finishes it")
    func b138_killed() throws {
      var generator = SystemRandomNumberGenerator()
      let speaker = try Loudspeaker(server, "aacnull")
      defer { speaker.stop() }
      for round in 0..<5 {
        let takes = try (0..<10).map { index in
          let path = folder.file("\(round)-\(index)." + (index < 7 ? "m4a" : "aac"))
          return (
            path: path,
            process: try AACProcess(
              ["record", path, "--device", "aacnull.monitor", "--progress", "json"], server, folder)
          )
        }
        // From the first sound on: before it there is nothing to be lost.
        var starts: [MonotonicTime] = []
        for take in takes {
          #expect(take.process.wait(for: "levels"), "\(take.process.errors)")
          starts.append(.now)
        }
        let order = takes.indices.map { (index: $0, wait: Double.random(in: 0.2...3, using: &generator)) }
          .sorted { $0.wait < $1.wait }
        print("killed after \(order.map(\.wait)) s")
        let begin = MonotonicTime.now
        for (index, wait) in order {
          usleep(UInt32(max(0, begin.advanced(bySeconds: wait).seconds(since: .now)) * 1e6))
          takes[index].process.signal(SIGKILL)
          let length = MonotonicTime.now.seconds(since: starts[index])
          #expect(takes[index].process.end() == -SIGKILL)
          try check(takes[index].path, atLeast: length - 1)
        }
      }
    }

    private func check(_ path: String, atLeast seconds: Double) throws {
      #expect(try ffmpeg(path, folder).seconds >= seconds, "\(path)")
      let before = try packetCount(path)
      let repaired = try aac(folder, nil, "repair", path)
      #expect(repaired.status == 0, "\(repaired.errors)")
      #expect(try packetCount(path) == before, "\(path): \(repaired.errors)")
      let after = try ffmpeg(path, folder)
      #expect(after.errors == "", "\(path)")
      #expect(after.seconds >= seconds)
      if path.hasSuffix("m4a") { #expect(try isPlain(path)) }
    }

    private func packetCount(_ path: String) throws -> Int? {
      let info = try aac(folder, nil, "info", "--json", path)
      let told = try JSONSerialization.jsonObject(with: Data(info.output)) as? [String: Any]
      return told?["frames"] as? Int
    }

    /// Whether an MP4 file has its tables in front and no fragments.
    private func isPlain(_ path: String) throws -> Bool {
      let data = try Data(contentsOf: URL(filePath: path))
      var types: [String] = []
      var place = 0
      while place + 8 <= data.count {
        let size = data[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
        types.append(String(decoding: data[place + 4..<place + 8], as: UTF8.self))
        guard size >= 8 else { break }
        place += size
      }
      return types == ["ftyp", "moov", "mdat"]
    }
  }
}
