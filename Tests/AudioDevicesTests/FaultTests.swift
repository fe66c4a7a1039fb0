import Foundation
import PCM
import TestServers
import Testing

@testable import AudioDevices

extension ServerTests {
  /// Things that go wrong at a server that lives on.
  @Suite struct FaultTests {
    let server: AudioServer
    let backend: PulseBackend

    init() throws {
      server = try AudioServer.shared.get()
      backend = try PulseBackend(server: server.address)
    }

    @Test func unknownDevicesAreRefusedWithAList() throws {
      let error = #expect(throws: AudioDeviceError.self) {
        try backend.openCapture(StreamRequest(device: "nowhere"))
      }
      #expect(
        error?.reason == .noDevice("nowhere", existing: ["aacnull.monitor", "aacalt.monitor"]))
      #expect(error?.advice == "name one of: aacnull.monitor, aacalt.monitor")
      #expect(throws: AudioDeviceError.self) {
        try backend.openPlayout(StreamRequest(device: "aacnull.monitor"))
      }
      #expect(throws: AudioDeviceError.self) { try backend.openPlayout(StreamRequest(latency: .seconds(9))) }
      #expect(throws: AudioDeviceError.self) { try backend.openPlayout(StreamRequest(sampleRate: 5)) }
    }

    private func plug(_ name: String) throws -> String {
      try server.pactl("load-module", "module-null-sink", "sink_name=\(name)", "norewinds=1", "rate=48000")
    }

    private func feed(_ stream: PlayoutStream, seconds: Double) {
      let buffer = sine(stream.format, 4800, frequency: 440)
      let end = MonotonicTime.now.advanced(bySeconds: seconds)
      while MonotonicTime.now < end, stream.end == nil {
        if stream.write(buffer) == 0 { _ = stream.wait(forRoom: 4800, timeout: .milliseconds(20)) }
      }
    }

    @Test func unplugWhileCapturingMoves() throws {
      let module = try plug("usb1")
      let stream = try backend.openCapture(
        StreamRequest(device: "usb1.monitor", latency: .milliseconds(50), onUnplug: .moveToDefault))
      #expect(stream.device.id == "usb1.monitor")
      try stream.start()
      var take = Take(stream)
      take.read(stream, until: 10_000)
      try server.pactl("unload-module", module)
      let told = events(stream.nextEvent) { if case .moved = $0.kind { true } else { false } }
      #expect(told.last?.kind == .moved(to: "aacnull.monitor"))
      let position = stream.position
      take.read(stream, more: 20_000)
      #expect(stream.position > position + 9_000)
      #expect(stream.end == nil)
    }

    @Test func unplugWhileCapturingStops() throws {
      let module = try plug("usb2")
      let stream = try backend.openCapture(
        StreamRequest(device: "usb2.monitor", latency: .milliseconds(50), onUnplug: .stop))
      try stream.start()
      var take = Take(stream)
      take.read(stream, until: 10_000)
      try server.pactl("unload-module", module)
      take.read(stream, until: .max, seconds: 5)
      #expect(stream.end == .deviceGone)
      guard case .ended(.deviceGone, _)? = take.events.last?.kind else {
        Issue.record("no end: \(take.events)")
        return
      }
      #expect(take.events.last?.position == Int64(take.channels[0].count))
      #expect(stream.wait(forFrames: 1, timeout: .seconds(5)) == .ended)
    }

    @Test func unplugWhilePlayingMoves() throws {
      let module = try plug("usb3")
      let stream = try backend.openPlayout(
        StreamRequest(device: "usb3", bufferLength: .milliseconds(200), onUnplug: .moveToDefault))
      writeAll(sine(stream.format, 9600, frequency: 440), to: stream)
      try stream.start()
      feed(stream, seconds: 0.2)
      try server.pactl("unload-module", module)
      feed(stream, seconds: 0.3)
      let told = events(stream.nextEvent) { if case .moved = $0.kind { true } else { false } }
      #expect(told.last?.kind == .moved(to: "aacnull"))
      try stream.drain()
      #expect(stream.end == .finished)
      #expect(stream.deviceFrames == stream.position)
    }

    @Test func unplugWhilePlayingStops() throws {
      let module = try plug("usb4")
      let stream = try backend.openPlayout(StreamRequest(device: "usb4", onUnplug: .stop))
      writeAll(sine(stream.format, 9600, frequency: 440), to: stream)
      try stream.start()
      feed(stream, seconds: 0.2)
      try server.pactl("unload-module", module)
      feed(stream, seconds: 5)
      #expect(stream.end == .deviceGone)
      let error = #expect(throws: AudioDeviceError.self) { try stream.drain() }
      #expect(error?.reason == .deviceGone)
    }

    @Test func anotherDefaultIsToldAndFollowed() async throws {
      let server = server
      var changes = backend.deviceEvents().makeAsyncIterator()
      let stream = try backend.openPlayout(StreamRequest())
      #expect(stream.device.id == "aacnull")
      writeAll(sine(stream.format, 96_000, frequency: 440), to: stream)
      try stream.start()
      try server.pactl("set-default-sink", "aacalt")
      defer { _ = try? server.pactl("set-default-sink", "aacnull") }
      var told: [DeviceEvent] = []
      while let event = await changes.next() {
        told.append(event)
        if case .defaultChanged = event { break }
      }
      guard case .defaultChanged(.output, let device)? = told.last else {
        Issue.record("no new default: \(told)")
        return
      }
      #expect(device?.id == "aacalt")
      #expect(device?.isDefault == true)
      let moves = events(stream.nextEvent) { if case .deviceFormatChanged = $0.kind { true } else { false } }
      #expect(moves.contains { $0.kind == .moved(to: "aacalt") })
      #expect(moves.last?.kind == .deviceFormatChanged(PCMFormat(sampleRate: 44_100, layout: .stereo)))
      #expect(stream.format.sampleRate == 48_000)
    }

    @Test func devicesThatComeAndGoAreTold() async throws {
      var changes = backend.deviceEvents().makeAsyncIterator()
      let module = try plug("usb5")
      var told: [String] = []
      while told.count < 2, let event = await changes.next() {
        if case .added(let device) = event { told.append(device.id) }
      }
      #expect(told.sorted() == ["usb5", "usb5.monitor"])
      try server.pactl("unload-module", module)
      while told.count < 4, let event = await changes.next() {
        if case .removed(let device) = event { told.append(device.id) }
      }
      #expect(told.suffix(2).sorted() == ["usb5", "usb5.monitor"])
    }

    @Test func suspensionIsTold() throws {
      let stream = try backend.openCapture(StreamRequest(latency: .milliseconds(50)))
      try stream.start()
      var take = Take(stream)
      take.read(stream, until: 4800)
      try server.pactl("suspend-sink", "aacnull", "1")
      let asleep = events(stream.nextEvent) { $0.kind == .suspended }
      try server.pactl("suspend-sink", "aacnull", "0")
      let awake = events(stream.nextEvent) { $0.kind == .awake }
      #expect(asleep.last?.kind == .suspended)
      #expect(awake.last?.kind == .awake)
      take.read(stream, more: 9600)
      #expect(stream.end == nil)
    }

    @Test func drainOfASleepingDeviceGivesUp() throws {
      let stream = try backend.openPlayout(StreamRequest(device: "aacalt"))
      writeAll(sine(stream.format, 20_000, frequency: 440), to: stream)
      try stream.start()
      try server.pactl("suspend-sink", "aacalt", "1")
      defer { _ = try? server.pactl("suspend-sink", "aacalt", "0") }
      let error = #expect(throws: AudioDeviceError.self) { try stream.drain(timeout: .milliseconds(100)) }
      #expect(error?.reason == .stalled)
      #expect(stream.end == .stopped)
    }

    @Test func underrunIsToldAndRecovered() throws {
      let stream = try backend.openPlayout(StreamRequest(latency: .milliseconds(200)))
      let buffer = sine(stream.format, 9600, frequency: 440)
      writeAll(buffer, to: stream)
      try stream.start()
      // A busy machine may have more of them, but this one always comes.
      let told = events(stream.nextEvent) { $0.kind == .underrun && $0.position == 9600 }
      #expect(told.last?.position == 9600 && told.last?.kind == .underrun)
      Thread.sleep(forTimeInterval: 0.2)
      writeAll(buffer, to: stream)
      let recovered = events(stream.nextEvent) { if case .recovered = $0.kind { true } else { false } }
      guard case .recovered(let silence)? = recovered.last?.kind else {
        Issue.record("not recovered: \(recovered)")
        return
      }
      #expect(silence > .milliseconds(150))
      try stream.drain()
      #expect(stream.deviceFrames == 19_200)
    }

    @Test("B089") func overrunIsCountedExactly() throws {
      let stream = try backend.openCapture(
        StreamRequest(latency: .milliseconds(20), bufferLength: .milliseconds(50)))
      try stream.start()
      while stream.lostFrames < 5000 { Thread.sleep(forTimeInterval: 0.02) }
      var take = Take(stream)
      take.read(stream, more: 30_000)
      stream.stop()
      take.readThere(stream)
      #expect(take.misplaced == 0)
      #expect(take.lost == stream.lostFrames && take.lost >= 5000)
      #expect(Int64(take.channels[0].count) == stream.position)
      let told = take.events.compactMap { event -> Int64? in
        if case .overrun(let frames) = event.kind { frames } else { nil }
      }
      #expect(told.reduce(0, +) == take.lost)
      #expect(take.events.first?.position == Int64(stream.bufferFrames))
    }

    /// Fifty streams, and nothing of them is left.
    @Test func nothingLeaksOverFiftyStreams() throws {
      func round() throws {
        let capture = try backend.openCapture(StreamRequest(latency: .milliseconds(20)))
        let playout = try backend.openPlayout(StreamRequest(latency: .milliseconds(20)))
        writeAll(sine(playout.format, 480, frequency: 440), to: playout)
        try capture.start()
        try playout.start()
        capture.stop()
        playout.stop()
      }
      for _ in 0..<3 { try round() }
      let before = resources()
      for _ in 0..<50 { try round() }
      var after = resources()
      for _ in 0..<50 where after.threads > before.threads || after.files > before.files {
        Thread.sleep(forTimeInterval: 0.05)
        after = resources()
      }
      #expect(after.threads < before.threads + 5)
      #expect(after.files < before.files + 5)
      #expect(before.threads > 0 && before.files > 0)
    }
  }

  /// A server that ends, and none at all.
  @Suite struct DeathTests {
    @Test func noServerIsAnErrorAtOnce() {
      let start = MonotonicTime.now
      let error = #expect(throws: AudioDeviceError.self) {
        try PulseBackend(server: "unix:/nonexistent/native")
      }
      guard case .noServer? = error?.reason else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(error?.advice?.contains("PULSE_SERVER") == true)
      #expect(MonotonicTime.now.seconds(since: start) < 2)
    }

    @Test func deathEndsStreamsAndANewServerIsFound() async throws {
      let server = try AudioServer()
      let backend = try PulseBackend(server: server.address)
      var changes = backend.deviceEvents().makeAsyncIterator()
      let capture = try backend.openCapture(StreamRequest(latency: .milliseconds(50)))
      let playout = try backend.openPlayout(StreamRequest())
      writeAll(sine(playout.format, 90_000, frequency: 440), to: playout)
      try capture.start()
      try playout.start()
      var take = Take(capture)
      take.read(capture, until: 9600)
      try server.kill()
      take.read(capture, until: .max, seconds: 5)
      #expect(capture.end == .serverDied)
      guard case .ended(.serverDied, let words)? = take.events.last?.kind else {
        Issue.record("no end: \(take.events)")
        return
      }
      #expect(words == "Connection terminated")
      let error = #expect(throws: AudioDeviceError.self) { try playout.drain() }
      guard case .serverDied? = error?.reason else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(playout.end == .serverDied)
      #expect(throws: AudioDeviceError.self) { try backend.devices() }
      #expect(throws: AudioDeviceError.self) { try backend.openCapture(StreamRequest()) }
      capture.stop()
      playout.stop()
      #expect(await changes.next() == .serverDied)

      try server.start()
      let again = try backend.openCapture(StreamRequest(latency: .milliseconds(50)))
      try again.start()
      var second = Take(again)
      second.read(again, until: 9600)
      #expect(second.channels[0].count >= 9600)
      while let event = await changes.next() {
        if event == .serverReturned { break }
      }
      again.stop()
    }
  }
}
