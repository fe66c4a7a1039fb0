import Foundation
import PCM
import TestServers
import Testing

@testable import AudioDevices

/// Everything that needs a server, one after the other.
@Suite(.serialized) enum ServerTests {}

extension ServerTests {
  @Suite struct SoundTests {
    let server: AudioServer
    let backend: PulseBackend

    init() throws {
      server = try AudioServer.shared.get()
      backend = try PulseBackend(server: server.address)
    }

    @Test func listHasNamesFormatsAndDefaults() throws {
      let devices = try backend.devices()
      let output = try #require(devices.first { $0.id == "aacnull" })
      #expect(output.name == "AACNull")
      #expect(output.direction == .output)
      #expect(output.format == PCMFormat(sampleRate: 48_000, layout: .stereo))
      #expect(output.isDefault && !output.isMonitor)
      let other = try #require(devices.first { $0.id == "aacalt" })
      #expect(other.name == "AACAlt")
      #expect(other.format == PCMFormat(sampleRate: 44_100, layout: .stereo))
      #expect(!other.isDefault)
      let input = try #require(devices.first { $0.id == "aacnull.monitor" })
      #expect(input.direction == .input && input.isDefault && input.isMonitor)
      #expect(try backend.defaultDevice(.output) == output)
      #expect(try backend.defaultDevice(.input) == input)
    }

    /// What is played arrives at the monitor bit by bit, the first and the last sample included.
    @Test(arguments: [200, 100])
    func playedNoiseIsCapturedUnchanged(milliseconds: Int) throws {
      let latency = Duration.milliseconds(milliseconds)
      let capture = try backend.openCapture(StreamRequest(device: "aacnull.monitor", latency: latency))
      let playout = try backend.openPlayout(StreamRequest(device: "aacnull", latency: latency))
      #expect(capture.format == PCMFormat(sampleRate: 48_000, layout: .stereo))
      #expect(playout.format == capture.format)
      #expect(capture.grantedLatency <= latency * 1.01)
      let sent = noise(playout.format, 60_000)
      try capture.start()
      var take = Take(capture)
      // Less than the ring at first: the rest is written while it plays.
      var first = 0
      while first < 5000 { first += playout.write(sent, from: first) }
      try playout.start()
      while first < sent.frameCount {
        first += playout.write(sent, from: first)
        _ = playout.wait(forRoom: 4800, timeout: .milliseconds(50))
        take.readThere(capture)
      }
      try playout.drain()
      #expect(playout.end == .finished)
      #expect(playout.deviceFrames == 60_000)
      take.read(capture, more: 24_000)
      capture.stop()
      take.readThere(capture)
      #expect(take.lost == 0 && take.misplaced == 0)
      #expect(take.sounding.count == 60_000)
      #expect(differences(take.part(take.sounding), sent.channels).isEmpty)
      #expect(take.events.map(\.kind) == [.ended(.stopped, nil)])
      let told = events(playout.nextEvent, seconds: 0.1) { _ in false }
      #expect(told.map(\.kind) == [.ended(.finished, nil)])
    }

    /// Channels by their places, heard by another program in another order.
    @Test func channelsReachTheirPlaces() throws {
      let order = "front-left,front-right,rear-left,rear-right,front-center,lfe"
      let module = try server.pactl(
        "load-module", "module-null-sink", "sink_name=six", "norewinds=1", "rate=48000", "channels=6",
        "channel_map=\(order)")
      defer { _ = try? server.pactl("unload-module", module) }
      let playout = try backend.openPlayout(StreamRequest(device: "six"))
      #expect(playout.format == PCMFormat(sampleRate: 48_000, layout: .surround51))
      let heard = try server.record("six.monitor", channels: 6, order: order) {
        var buffer = PCMBuffer(format: playout.format, frameCount: 24_000)
        for channel in 0..<6 {
          for frame in 0..<24_000 { buffer.channels[channel][frame] = Float(channel + 1) / 8 }
        }
        writeAll(buffer, to: playout)
        try playout.start()
        try playout.drain()
      }
      // Left, right, both at the back, centre, low frequencies.
      #expect(heard == [1, 2, 5, 6, 3, 4].map { Float($0) / 8 })
    }

    /// What C calls must not be bound to the actor that opens a stream.
    @MainActor @Test func streamsOpenedOnTheMainActorRun() throws {
      let capture = try backend.openCapture(StreamRequest(latency: .milliseconds(20)))
      try capture.start()
      var take = Take(capture)
      take.read(capture, until: 4800)
      #expect(take.channels[0].count >= 4800)
    }

    /// A sound that is far shorter than the latency, at once and as a whole.
    @Test func b098_drainKeepsTheTailOfAShortSound() throws {
      let capture = try backend.openCapture(
        StreamRequest(device: "aacalt.monitor", latency: .milliseconds(50)))
      let playout = try backend.openPlayout(StreamRequest(device: "aacalt", latency: .milliseconds(200)))
      #expect(playout.format.sampleRate == 44_100)
      try capture.start()
      var take = Take(capture)
      let sent = noise(playout.format, 100)
      #expect(playout.write(sent) == 100)
      try playout.start()
      try playout.drain()
      take.read(capture, more: 22_050)
      #expect(differences(take.part(take.sounding), sent.channels).isEmpty)
      #expect(throws: AudioDeviceError.self) { try playout.drain() }
      #expect(playout.write(sent) == 0)
    }

    @Test func toneHasItsLevelAndFrequency() throws {
      let capture = try backend.openCapture(StreamRequest(latency: .milliseconds(50)))
      let playout = try backend.openPlayout(StreamRequest())
      try capture.start()
      #expect(writeAll(sine(playout.format, 60_000, frequency: 997), to: playout))
      try playout.start()
      var take = Take(capture)
      try playout.drain()
      take.read(capture, more: 12_000)
      let range = take.sounding
      try #require(range.count > 59_000)
      let found = fit(
        Array(take.channels[1][range.lowerBound + 2000..<range.lowerBound + 50_000]), rate: 48_000,
        near: 996.7)
      #expect(abs(found.frequency - 997) < 0.001)
      #expect(abs(20 * log10(found.amplitude / 0.5)) < 0.001)
      #expect(found.ratio > 90)
    }

    /// The server's own conversion, for who asks for it.
    @Test func serverConvertsWhereItIsAskedTo() throws {
      let request = StreamRequest(
        device: "aacnull.monitor", sampleRate: 16_000, layout: .mono, conversion: .server,
        latency: .milliseconds(50))
      let capture = try backend.openCapture(request)
      #expect(capture.format == PCMFormat(sampleRate: 16_000, layout: .mono))
      var plain = request
      plain.conversion = .caller
      #expect(try backend.openCapture(plain).format == PCMFormat(sampleRate: 48_000, layout: .stereo))
      let playout = try backend.openPlayout(StreamRequest())
      try capture.start()
      writeAll(sine(playout.format, 48_000, frequency: 997), to: playout)
      try playout.start()
      var take = Take(capture)
      try playout.drain()
      take.read(capture, more: 4000)
      let range = take.sounding
      try #require(range.count > 15_000)
      let found = fit(
        Array(take.channels[0][range.lowerBound + 2000..<range.lowerBound + 14_000]), rate: 16_000,
        near: 996.7)
      #expect(abs(found.frequency - 997) < 0.01)
      #expect(abs(20 * log10(found.amplitude / 0.5)) < 0.1)
    }

    @Test func timesFollowTheMonotonicClock() throws {
      let before = MonotonicTime.now
      let capture = try backend.openCapture(StreamRequest(latency: .milliseconds(50)))
      #expect(capture.time(ofFrame: 0) == nil)
      try capture.start()
      var take = Take(capture)
      take.read(capture, until: 48_000)
      let first = try #require(capture.time(ofFrame: 0))
      let last = try #require(capture.time(ofFrame: 48_000))
      #expect(abs(last.seconds(since: first) - 1) < 1e-6)
      #expect(first > before && first < .now)
      // The frame that comes next is of about now; by the median, for a busy machine wakes threads late.
      var ages: [Double] = []
      for _ in 0..<15 {
        take.read(capture, until: take.channels[0].count + 960)
        ages.append(abs(try #require(capture.time(ofFrame: capture.position)).seconds(since: .now)))
      }
      #expect(ages.sorted()[7] < 0.2)
      #expect(try #require(capture.latency) < .milliseconds(200))
      capture.stop()

      let playout = try backend.openPlayout(StreamRequest(latency: .milliseconds(100)))
      writeAll(sine(playout.format, 40_000, frequency: 440), to: playout)
      #expect(playout.playedFrames == 0)
      try playout.start()
      while playout.deviceFrames < 10_000 { _ = playout.wait(forRoom: 60_000, timeout: .milliseconds(10)) }
      // What is written to the device sounds later by about the latency, and frames pass at their rate.
      var ahead: [Double] = []
      var rates: [Double] = []
      for _ in 0..<15 {
        let (before, played) = (MonotonicTime.now, playout.playedFrames)
        Thread.sleep(forTimeInterval: 0.02)
        rates.append(Double(playout.playedFrames - played) / MonotonicTime.now.seconds(since: before))
        if let time = playout.time(ofFrame: playout.deviceFrames) { ahead.append(time.seconds(since: .now)) }
      }
      #expect(abs(rates.sorted()[7] - 48_000) < 2400, "\(rates)")
      try #require(ahead.count > 7)
      #expect(ahead.sorted()[ahead.count / 2] > 0 && ahead.sorted()[ahead.count / 2] < 0.25, "\(ahead)")
      try playout.pause()
      let held = playout.playedFrames
      #expect(playout.time(ofFrame: 0) == nil)
      _ = playout.wait(forRoom: 60_000, timeout: .milliseconds(200))
      #expect(playout.playedFrames == held)
      try playout.resume()
      try playout.drain()
      #expect(playout.end == .finished)
    }

    @Test func flushDropsWhatWasNotPlayed() throws {
      let capture = try backend.openCapture(StreamRequest(latency: .milliseconds(50)))
      let playout = try backend.openPlayout(StreamRequest(latency: .milliseconds(100)))
      try capture.start()
      writeAll(noise(playout.format, 96_000), to: playout)
      try playout.start()
      while playout.deviceFrames < 10_000 { _ = playout.wait(forRoom: 60_000, timeout: .milliseconds(10)) }
      try playout.flush()
      let end = noise(playout.format, 3000, seed: 77)
      writeAll(end, to: playout)
      try playout.drain()
      #expect(playout.position == 99_000)
      var take = Take(capture)
      take.read(capture, more: 12_000)
      let range = take.sounding
      #expect(range.count < 60_000)
      #expect(differences(take.part(range.upperBound - 3000..<range.upperBound), end.channels).isEmpty)
    }
  }
}
