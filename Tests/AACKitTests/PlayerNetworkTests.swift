import AACKit
import Foundation
import TestServers
import Testing

/// Addresses, on a device without hardware.
@Suite struct PlayerNetworkTests {
  @Test("B139") func fileAtAnAddress() throws {
    let folder = try Folder()
    let path = try folder.encode(music(frames: 70_000), "x.m4a")
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    let server = try WebServer { connection in
      connection.send("HTTP/1.1 200 OK\r\nContent-Type: audio/mp4\r\nContent-Length: \(bytes.count)\r\n\r\n")
      connection.send(bytes)
    }
    let whole = try AudioFile.decode(path)
    for start in [0, 0.5] {
      let recorder = Listener()
      var settings = PlayerSettings()
      settings.start = start
      let player = Player([PlayerItem(server.address("/x.m4a"))], on: recorder.backend(), settings: settings)
      try player.start()
      let events = player.run()
      #expect(words(events) == ["connected", "start 0", "end 0", "finished"])
      let frame = Int(start * 48_000)
      let rest = whole.channels.map { Array($0[frame..<whole.frameCount]) }
      #expect(differences(recorder.channels, rest).isEmpty)
    }
  }

  @Test func refusal() throws {
    let server = try WebServer { connection in
      connection.send("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")
    }
    let player = Player([PlayerItem(server.address("/x"))], on: Listener().backend())
    try player.start()
    guard case .failed(let error) = player.run().last else {
      Issue.record("no failure")
      return
    }
    #expect(error.reason == .http(HTTPError(.status(401, "Unauthorized"))))
    #expect(error.advice?.contains("password") == true)
  }

  /// A server that does not answer does not hold up a stop.
  @Test func stopWhileConnecting() throws {
    let server = try WebServer { connection in connection.waitForEnd(seconds: 20) }
    let player = Player([PlayerItem(server.address("/x"))], on: Listener().backend())
    try player.start()
    usleep(200_000)
    let start = MonotonicTime.now
    player.stop()
    #expect(words(player.run(seconds: 3)) == ["stopped"])
    #expect(MonotonicTime.now.seconds(since: start) < 1)
  }

  /// A station in real time: gathered first, titles when they are heard, joined again when it breaks.
  @Test func station() throws {
    let folder = try Folder()
    let path = try folder.encode(music(frames: 48_000 * 8), "x.aac")
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    let interval = 4000
    let server = try WebServer { connection in
      connection.send(
        "ICY 200 OK\r\nicy-name:Test\r\nicy-metaint:\(interval)\r\nContent-Type:audio/aac\r\n\r\n")
      // The first connection breaks after five of the eight seconds.
      let range = connection.number == 0 ? 0..<bytes.count * 5 / 8 : bytes.count * 5 / 8..<bytes.count
      var sent = 0
      for start in stride(from: range.lowerBound, to: range.upperBound, by: interval) {
        guard start + interval <= range.upperBound else { break }
        let title = [UInt8]("StreamTitle='Part \(connection.number + 1)';".utf8)
        connection.send([UInt8](bytes[start..<start + interval]))
        connection.send([2] + title + [UInt8](repeating: 0, count: 32 - title.count))
        sent += interval
        // A second in one go, then by the clock.
        if sent > bytes.count / 8 { usleep(UInt32(interval * 8_000_000 / bytes.count)) }
      }
      if connection.number > 0 { connection.waitForEnd(seconds: 20) }
    }
    let recorder = Listener()
    var settings = PlayerSettings()
    settings.liveBuffer = 1.5
    let player = Player(
      [PlayerItem(server.address("/live"))], on: recorder.backend(.clock(speed: 1)), settings: settings)
    try player.start()
    var events = player.wait(seconds: 20) { $0 == .title("Part 2") }
    usleep(300_000)
    player.stop()
    events += player.run()
    let list = words(events).filter { !$0.hasPrefix("reconnecting") && !$0.hasPrefix("damaged") }
    #expect(
      list == ["connected", "start 0", "title Part 1", "connected", "title Part 2", "stopped"],
      "\(words(events))")
    #expect(events.contains { if case .buffering = $0 { true } else { false } })
    #expect(events.contains { if case .reconnecting(1, _) = $0 { true } else { false } })
    let started = events.compactMap { if case .itemStarted(_, let info) = $0 { info } else { nil } }
    #expect(started.first?.isLive == true && started.first?.duration == nil)
    #expect(started.first?.response?.stationName == "Test")
    #expect(recorder.frameCount > 48_000 * 4)
    let error = #expect(throws: AACKitError.self) { try player.seek(to: 0) }
    #expect(error != nil)
  }

  /// Frames of AAC whose length nobody tells, but which end: all of it is heard, at its own speed.
  @Test func endOfUnknownLength() throws {
    let folder = try Folder()
    let tone = (0..<100_000).map { Float(0.5 * sin(2 * .pi * 50 * Double($0) / 48_000)) }
    let sound = PCMBuffer(format: PCMFormat(sampleRate: 48_000, layout: .stereo), channels: [tone, tone])
    let path = try folder.encode(sound, "x.aac")
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    let server = try WebServer { connection in
      connection.send("HTTP/1.1 200 OK\r\nContent-Type: audio/aac\r\nTransfer-Encoding: chunked\r\n\r\n")
      connection.send("\(String(bytes.count, radix: 16))\r\n")
      connection.send(bytes + [UInt8]("\r\n0\r\n\r\n".utf8))
    }
    let recorder = Listener()
    let player = Player([PlayerItem(server.address("/x.aac"))], on: recorder.backend())
    try player.start()
    #expect(words(player.run()) == ["connected", "start 0", "end 0", "finished"])
    let whole = try AudioFile.decode(path)
    #expect(abs(recorder.frameCount - whole.frameCount) <= 2)
    let heard = recorder.channels[0]
    // Up to where the tone breaks off, which no filter leaves as it is.
    let worst = zip(heard, whole.channels[0]).prefix(101_000).map { abs($0 - $1) }.max() ?? 1
    // A speed that can be bent costs a shift of up to two frames, 0.0033 each at this frequency.
    #expect(worst < 0.01, "\(worst)")
  }

  /// Without end and as fast as it can: memory stays bounded, and the speed is not bent.
  @Test func fastSender() throws {
    let folder = try Folder()
    let path = try folder.encode(music(frames: 48_000), "x.aac")
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    let server = try WebServer { connection in
      connection.send("HTTP/1.1 200 OK\r\nContent-Type: audio/aac\r\n\r\n")
      while connection.send(bytes) {}
    }
    let recorder = Listener()
    var settings = PlayerSettings()
    settings.http.bufferSize = 1 << 16
    let player = Player(
      [PlayerItem(server.address("/live"))], on: recorder.backend(.clock(speed: 1)), settings: settings)
    try player.start()
    #expect(recorder.wait(for: 96_000))
    player.stop()
    let events = player.run()
    #expect(words(events) == ["connected", "start 0", "stopped"])
  }
}
