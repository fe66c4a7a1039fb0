import Foundation
import PCM
import TestServers
import Testing
import Threads

@testable import AudioDevices

/// The backends without hardware.
@Suite struct ClockedTests {
  private let stereo = PCMFormat(sampleRate: 48_000, layout: .stereo)

  @Test func sourceIsReadToItsEnd() throws {
    let signal = TestSignal.noise(seed: 5)
    let backend = FileBackend(sources: [signal.source(id: "noise", format: stereo, frames: 100_003)])
    #expect(backend.devices().map(\.id) == ["noise"])
    let stream = try backend.openCapture(StreamRequest(bufferLength: .milliseconds(50)))
    #expect(stream.format == stereo)
    try stream.start()
    var take = Take(stream)
    take.read(stream, until: .max)
    #expect(stream.end == .finished)
    #expect(take.channels[0].count == 100_003 && take.lost == 0 && take.misplaced == 0)
    let expected = (0..<2).map { channel in
      (0..<100_003).map { signal.sample(at: Int64($0), channel: channel, sampleRate: 48_000) }
    }
    #expect(differences(take.channels, expected).isEmpty)
    #expect(expected[0] != expected[1])
    #expect(take.events.map(\.kind) == [.ended(.finished, nil)])
    #expect(throws: AudioDeviceError.self) { try stream.start() }
  }

  /// Sound in, sound out, as fast as it goes.
  @Test func sinkGetsEverySampleOfAFreeRun() throws {
    let got = Guarded<[Float]>([])
    let sink = SoundSink(id: "sink", format: stereo) { frames, samples in
      got.withLock { $0.append(contentsOf: samples.prefix(2 * frames)) }
    }
    let backend = FileBackend(sinks: [sink])
    let stream = try backend.openPlayout(StreamRequest(bufferLength: .milliseconds(50)))
    let sent = noise(stereo, 123_457)
    #expect(throws: AudioDeviceError.self) { try stream.drain() }
    try stream.start()
    #expect(writeAll(sent, to: stream))
    try stream.drain()
    #expect(stream.end == .finished)
    #expect(stream.position == 123_457 && stream.deviceFrames == 123_457)
    #expect(stream.playedFrames == 123_457 && stream.time(ofFrame: 0) == nil)
    let over = #expect(throws: AudioDeviceError.self) { try stream.flush() }
    #expect(over?.reason == .misuse("the stream is over"))
    var planar = PCMBuffer(format: stereo)
    let samples = got.withLock { $0 }
    planar.fill(interleaved: samples, frames: samples.count / 2)
    #expect(differences(planar.channels, sent.channels).isEmpty)
  }

  /// Thirty seconds at twenty times real time: no frame too many or too few, and times that do not drift.
  @Test func clockKeepsTimeAtTwentyTimesItsSpeed() throws {
    let backend = NullBackend(
      signal: .sine(frequency: 997, amplitude: 0.5), frames: 1_440_000, pacing: .clock(speed: 20))
    let stream = try backend.openCapture(StreamRequest(bufferLength: .seconds(20)))
    let start = MonotonicTime.now
    try stream.start()
    var frames = 0
    var buffer = PCMBuffer(format: stream.format)
    var drift = 0.0
    var levels = LevelMeter(channelCount: 2)
    var first: MonotonicTime?
    while true {
      let wait = stream.wait(forFrames: 4096, timeout: .seconds(1))
      while let block = stream.read(8192, into: &buffer) {
        #expect(block.position == Int64(frames) && block.lostBefore == 0)
        frames += block.frameCount
        levels.add(buffer)
      }
      if first == nil { first = stream.time(ofFrame: 0) }
      if let first, let time = stream.time(ofFrame: Int64(frames)) {
        drift = max(drift, abs(time.seconds(since: first) * 20 - Double(frames) / 48_000))
      }
      while stream.nextEvent() != nil {}
      if wait == .ended { break }
    }
    let elapsed = MonotonicTime.now.seconds(since: start)
    #expect(frames == 1_440_000)
    #expect(stream.lostFrames == 0 && stream.position == 1_440_000)
    #expect(drift < 1e-4)
    #expect(elapsed >= 1.4)
    #expect(abs(LevelMeter.decibels(levels.rms(0)) + 9.0309) < 0.001)
    #expect(abs(levels.peaks[1] - 0.5) < 1e-4)
  }

  @Test("B098") func playoutIsMeasuredAndTimed() throws {
    let backend = NullBackend(pacing: .clock(speed: 10))
    let stream = try backend.openPlayout(StreamRequest(bufferLength: .seconds(5)))
    // All of it before the start, so that no gap can lower the level.
    writeAll(sine(stereo, 201_600, frequency: 1000), to: stream)
    let start = MonotonicTime.now
    try stream.start()
    try stream.drain()
    #expect(MonotonicTime.now.seconds(since: start) >= 0.42)
    let first = try #require(stream.time(ofFrame: 0))
    let second = try #require(stream.time(ofFrame: 48_000))
    #expect(abs(second.seconds(since: first) - 0.1) < 1e-6)
    #expect(backend.levels.frameCount == 201_600)
    #expect(abs(backend.levels.peaks[0] - 0.5) < 1e-3)
    #expect(abs(LevelMeter.decibels(backend.levels.rms(0)) + 9.0309) < 0.001)
    backend.resetLevels()
    #expect(backend.levels.frameCount == 0)
  }

  @Test func slowReaderLosesTheNewestExactly() throws {
    let signal = TestSignal.noise(seed: 9)
    let backend = NullBackend(signal: signal, frames: 400_000, pacing: .clock(speed: 50))
    let stream = try backend.openCapture(
      StreamRequest(latency: .milliseconds(10), bufferLength: .milliseconds(100)))
    try stream.start()
    var position: Int64 = 0
    var lost: Int64 = 0
    var wrong = 0
    var overruns: Int64 = 0
    var eventsLost = 0
    var buffer = PCMBuffer(format: stream.format)
    while true {
      let wait = stream.wait(forFrames: 2048, timeout: .seconds(1))
      if lost < 20_000 { Thread.sleep(forTimeInterval: 0.01) }
      while let event = stream.nextEvent() {
        if case .overrun(let frames) = event.kind { overruns += frames }
        if case .eventsLost(let count) = event.kind { eventsLost += count }
      }
      while let block = stream.read(1024, into: &buffer) {
        lost += block.lostBefore
        position += block.lostBefore
        if block.position != position { wrong += 1 }
        for frame in 0..<block.frameCount
        where buffer.channels[1][frame]
          != signal.sample(at: position + Int64(frame), channel: 1, sampleRate: 48_000)
        { wrong += 1 }
        position += Int64(block.frameCount)
      }
      if wait == .ended { break }
    }
    #expect(wrong == 0)
    #expect(position == 400_000)
    #expect(lost == stream.lostFrames && lost >= 20_000)
    #expect(overruns == lost || eventsLost > 0)
  }

  @Test func emptyRingIsAnUnderrunAndRecovered() throws {
    let backend = NullBackend(pacing: .clock(speed: 4))
    let stream = try backend.openPlayout(StreamRequest(latency: .milliseconds(20)))
    let buffer = sine(stereo, 4800, frequency: 440)
    writeAll(buffer, to: stream)
    try stream.start()
    let told = events(stream.nextEvent) { $0.kind == .underrun }
    #expect(told.map(\.kind) == [.underrun])
    #expect(told.first?.position == 4800)
    writeAll(buffer, to: stream)
    let recovered = events(stream.nextEvent) { if case .recovered = $0.kind { true } else { false } }
    guard case .recovered(let silence)? = recovered.last?.kind else {
      Issue.record("\(recovered)")
      return
    }
    #expect(silence > .zero)
    try stream.drain()
    #expect(stream.deviceFrames == 9600)
  }

  @Test func pauseHoldsTheClock() throws {
    let backend = NullBackend(signal: .silence, pacing: .clock(speed: 10))
    let stream = try backend.openCapture(
      StreamRequest(latency: .milliseconds(20), bufferLength: .seconds(10)))
    try stream.start()
    while stream.position < 4800 { _ = stream.wait(forFrames: 4800, timeout: .milliseconds(10)) }
    try stream.pause()
    Thread.sleep(forTimeInterval: 0.05)
    let held = stream.position
    Thread.sleep(forTimeInterval: 0.1)
    #expect(stream.position == held && stream.isPaused)
    #expect(throws: AudioDeviceError.self) { try stream.pause() }
    try stream.resume()
    Thread.sleep(forTimeInterval: 0.1)
    #expect(stream.position > held)
    stream.stop()
    let last = stream.position
    // Nothing is made up for the time of the pause.
    #expect(last < held + 48_000 * 10)
    #expect(stream.end == .stopped)
    stream.stop()
  }

  @Test func failuresOfSourcesAndSinksEndTheStream() throws {
    struct Broken: Error, CustomStringConvertible { let description = "the tape is torn" }
    let source = SoundSource(id: "in", format: stereo) { position, frames, _ in
      if position > 10_000 { throw Broken() }
      return frames
    }
    let sink = SoundSink(id: "out", format: stereo) { _, _ in throw Broken() }
    let backend = FileBackend(sources: [source], sinks: [sink])
    let capture = try backend.openCapture(StreamRequest())
    try capture.start()
    var take = Take(capture)
    take.read(capture, until: .max)
    #expect(take.channels[0].count > 10_000)
    #expect(take.events.last?.kind == .ended(.failed, "the tape is torn"))
    let playout = try backend.openPlayout(StreamRequest())
    try playout.start()
    let isTaken = writeAll(noise(stereo, 500_000), to: playout)
    #expect(!isTaken)
    #expect(throws: AudioDeviceError.self) { try playout.drain() }
    #expect(playout.end == .failed)
  }

  @Test func flushAndStopDropWhatWasNotPlayed() throws {
    let got = Guarded(0)
    let sink = SoundSink(id: "sink", format: stereo) { frames, _ in got.withLock { $0 += frames } }
    let backend = FileBackend(sinks: [sink], pacing: .clock(speed: 1))
    let stream = try backend.openPlayout(StreamRequest())
    writeAll(noise(stereo, 48_000), to: stream)
    try stream.start()
    try stream.flush()
    writeAll(noise(stereo, 4800), to: stream)
    try stream.drain()
    #expect(got.withLock { $0 } < 30_000)
    let other = try backend.openPlayout(StreamRequest())
    writeAll(noise(stereo, 48_000), to: other)
    try other.start()
    let start = MonotonicTime.now
    other.stop()
    #expect(MonotonicTime.now.seconds(since: start) < 0.5)
    #expect(other.end == .stopped)
  }
}
