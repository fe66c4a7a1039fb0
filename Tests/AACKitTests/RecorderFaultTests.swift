import AACKit
import Foundation
import PCM
import Testing
import Threads

@Suite("Recorder: losses and faults") struct RecorderFaultTests {
  @Test("paused sound is left out; levels go on")
  func pause() throws {
    let folder = try Folder()
    let backend = NullBackend(signal: .sine(frequency: 997, amplitude: 0.5))
    let recorder = try Recorder(
      from: .input(of: backend), to: .file(folder.file("x.aac")),
      settings: quick(.adts) { $0.encoding.channelCount = 1 })
    let start = MonotonicTime.now
    try recorder.start()
    var events: [RecorderEvent] = []
    func listen(_ seconds: Double) {
      let end = MonotonicTime.now.advanced(bySeconds: seconds)
      while MonotonicTime.now < end, !recorder.events.isAtEnd {
        if let event = recorder.events.next(timeout: .milliseconds(10)) { events.append(event) }
      }
    }
    listen(0.5)
    let pause = MonotonicTime.now
    recorder.pause()
    listen(0.8)
    let resume = MonotonicTime.now
    recorder.resume()
    listen(0.5)
    let end = MonotonicTime.now
    recorder.stop()
    listen(20)
    let summary = try #require(recorder.summary)
    // From the device's start, which was after ours, to the pause, and from there to the stop.
    let most = pause.seconds(since: start) + end.seconds(since: resume)
    #expect(summary.seconds < most + 0.2, "\(summary.seconds) s of \(most)")
    #expect(summary.seconds > most - 0.4, "\(summary.seconds) s of \(most)")
    let pauses = events.compactMap { if case .paused(let time) = $0 { time } else { nil } }
    let resumes = events.compactMap { if case .resumed(let time) = $0 { time } else { nil } }
    #expect(pauses.count == 1 && pauses == resumes)
    let times = events.compactMap { if case .levels(let levels) = $0 { levels.time } else { nil } }
    #expect(times.count { $0 == pauses.first } >= 5)
  }

  @Test("what the microphone heard before the stop is recorded, and little more") func b090_stop() throws {
    let folder = try Folder()
    let backend = NullBackend(format: PCMFormat(sampleRate: 48000, layout: .mono))
    let opened = Guarded<CaptureStream?>(nil)
    let source = RecordingSource { () throws(AudioDeviceError) -> CaptureStream in
      let stream = try backend.openCapture(StreamRequest(latency: .milliseconds(500)))
      opened.withLock { $0 = stream }
      return stream
    }
    let recorder = try Recorder(from: source, to: .file(folder.file("x.aac")), settings: quick(.adts))
    try recorder.start()
    let stream = try #require(opened.withLock { $0 })
    while stream.position < 48000 { usleep(5000) }
    let start = try #require(stream.time(ofFrame: 0))
    let heard = MonotonicTime.now.seconds(since: start)
    recorder.stop()
    let after = MonotonicTime.now.seconds(since: start)
    let summary = try #require(recorder.wait(timeout: .seconds(20)))
    #expect(summary.seconds >= heard - 0.001, "\(summary.seconds) s of \(heard)")
    #expect(summary.seconds < after + 0.6, "\(summary.seconds) s of \(after)")
  }

  @Test(
    "B089: an encoder that is too slow: the loss is counted to the frame and there is silence in its place")
  func slowEncoder() throws {
    let folder = try Folder()
    let source = SlowTake()
    let take = try Take(
      source.source, to: .file(folder.file("x.aac")),
      quick(.adts) {
        $0.encoding.channelCount = 1
        // A packet of 21 ms of sound in 30 ms: too slow, ten times as fast a clock given.
        $0.onPacket = { _ in usleep(6000) }
        $0.duration = 12
      })
    let stream = try #require(source.stream)
    #expect(take.summary.frames == 12 * 48000)
    #expect(stream.lostFrames > 48000)
    #expect(take.summary.lostFrames == stream.lostFrames)
    // What was lost behind the last block is told by the stream alone.
    #expect(take.lostFrames <= stream.lostFrames)
    #expect(stream.lostFrames - take.lostFrames <= stream.position - 12 * 48000)
    #expect(stream.bufferFrames <= 48000 * 2)
  }

  @Test("a disk that stands still: packets wait in so much memory, and no more")
  func slowDisk() throws {
    let pipe = Pipe()
    let most = Guarded(0)
    let isDone = Guarded(false)
    // Stands still until the memory is full and sound was lost, then takes all.
    let reader = Thread {
      while !isDone.withLock({ $0 }) { usleep(10_000) }
      while let data = try? pipe.fileHandleForReading.read(upToCount: 65536), !data.isEmpty {}
    }
    reader.start()
    let source = SlowTake()
    let take = try Take(
      source.source, to: .descriptor(pipe.fileHandleForWriting.fileDescriptor),
      quick(.adts) {
        $0.encoding.channelCount = 1
        $0.encoding.rate = .constant(128_000)
        $0.queueBytes = 4096
        $0.duration = 20
      }
    ) { recorder in
      let end = MonotonicTime.now.advanced(bySeconds: 60)
      while MonotonicTime.now < end {
        let bytes = recorder.waitingBytes
        most.withLock { $0 = max($0, bytes) }
        if bytes > 4096, let stream = source.stream, stream.lostFrames > 0 { break }
        usleep(1000)
      }
      isDone.withLock { $0 = true }
    }
    try pipe.fileHandleForWriting.close()
    let stream = try #require(source.stream)
    #expect(take.summary.error == nil)
    #expect(take.summary.frames == 20 * 48000)
    #expect(stream.lostFrames > 0)
    #expect(take.summary.lostFrames == stream.lostFrames)
    #expect(most.withLock { $0 } > 4096)
    #expect(most.withLock { $0 } < 4096 + 768 + 1)
  }

  @Test("B107: what is no sound is repaired and told")
  func notFinite() throws {
    let folder = try Folder()
    var sound = noise(frames: 20_000, layout: .stereo, seed: 4)
    sound.channels[0][5000] = .nan
    sound.channels[1][5001] = .infinity
    sound.channels[1][5002] = -1e30
    let take = try Take(sound, to: .file(folder.file("x.m4a")), quick(.m4a))
    #expect(take.summary.error == nil && take.summary.frames == 20_000)
    let counts = take.events.compactMap { if case .repairedSamples(let count, _) = $0 { count } else { nil } }
    #expect(counts.reduce(0, +) == 3)
  }

  @Test("a disk that is full ends the recording with a word, and nothing hangs")
  func fullDisk() throws {
    let take = try Take(
      noise(frames: 2_000_000, layout: .mono, seed: 4), to: .file("/dev/full"), quick(.adts))
    #expect(take.summary.error?.description.contains("/dev/full") == true, "\(take.summary)")
    #expect(take.summary.files.first?.problem != nil)
  }

  @Test("a reader of the pipe that goes away ends it too")
  func closedPipe() throws {
    signal(SIGPIPE, SIG_IGN)
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()
    let take = try Take(
      noise(frames: 200_000, layout: .mono, seed: 4),
      to: .descriptor(pipe.fileHandleForWriting.fileDescriptor), quick(.adts))
    #expect(take.summary.error != nil)
  }

  @Test("what cannot be is refused before anything is made")
  func refusals() throws {
    let folder = try Folder()
    let sound = noise(frames: 1000, layout: .mono, seed: 4)
    try Data([1]).write(to: URL(filePath: folder.file("old.m4a")))
    func failure(_ path: String, _ settings: RecorderSettings) -> AACKitError.Reason? {
      #expect(throws: AACKitError.self) { try Take(sound, to: .file(path), settings) }?.reason
    }
    #expect(failure(folder.file("old.m4a"), quick(.m4a)) == .exists)
    #expect(failure(folder.path, quick(.m4a)) == .isDirectory)
    if case .cannotWrite = failure(folder.file("no/x.m4a"), quick(.m4a)) {} else { Issue.record("no folder") }
    if case .unsupported = failure(folder.file("x.raw"), quick(.raw)) {} else { Issue.record("raw") }
    if case .unsupported = failure(folder.file("x.aac"), quick(.adts) { $0.duration = -1 }) {
    } else {
      Issue.record("duration")
    }
    if case .codec = failure(folder.file("x.aac"), quick(.adts) { $0.encoding.rate = .constant(1) }) {
    } else {
      Issue.record("rate")
    }
    #expect(folder.names == ["old.m4a"])
    #expect(try Data(contentsOf: URL(filePath: folder.file("old.m4a"))) == Data([1]))
  }

  @Test("a device that is not there is told with those that are")
  func noDevice() throws {
    let folder = try Folder()
    let backend = FileBackend(sources: [
      TestSignal.silence.source(id: "a", format: .init(sampleRate: 48000, layout: .mono))
    ])
    let error = #expect(throws: AACKitError.self) {
      try Recorder(from: .input(of: backend, StreamRequest(device: "b")), to: .file(folder.file("x.aac")))
    }
    #expect(error?.advice == "name one of: a")
    #expect(folder.names.isEmpty)
  }

  @Test("a recorder that is dropped finishes its file")
  func dropped() throws {
    let folder = try Folder()
    let backend = NullBackend(signal: .sine(frequency: 997, amplitude: 0.5))
    var recorder: Recorder? = try Recorder(
      from: .input(of: backend), to: .file(folder.file("x.m4a")), settings: quick(.m4a))
    try recorder?.start()
    Thread.sleep(forTimeInterval: 0.3)
    let events = try #require(recorder?.events)
    recorder = nil
    var last: RecorderEvent?
    while let event = events.next(timeout: .seconds(20)) { last = event }
    guard case .finished(let summary)? = last else {
      Issue.record("\(String(describing: last))")
      return
    }
    #expect(summary.frames > 0)
    #expect(try Int64(AudioFile.decode(folder.file("x.m4a")).frameCount) == summary.frames)
  }
}

/// A test tone ten times as fast as real time, and the stream that was opened.
private final class SlowTake: Sendable {
  private let opened = Guarded<CaptureStream?>(nil)

  var stream: CaptureStream? { opened.withLock { $0 } }

  var source: RecordingSource {
    let backend = NullBackend(
      signal: .sine(frequency: 997, amplitude: 0.5), format: PCMFormat(sampleRate: 48000, layout: .mono),
      pacing: .clock(speed: 10))
    return RecordingSource { () throws(AudioDeviceError) -> CaptureStream in
      let stream = try backend.openCapture(StreamRequest(bufferLength: .seconds(1)))
      self.opened.withLock { $0 = stream }
      return stream
    }
  }
}
