import PCM
import Synchronization
import Testing

@testable import AudioDevices

@Suite struct RingTests {
  private let format = PCMFormat(sampleRate: 48_000, layout: .stereo)

  private func offer(_ ring: SampleRing, _ values: Range<Int>) -> SampleRing.Offered {
    let samples = values.flatMap { [Float($0), -Float($0)] }
    // unsafe: the array holds two samples a frame.
    return unsafe samples.withUnsafeBufferPointer { unsafe ring.offer($0.baseAddress, frames: values.count) }
  }

  @Test func framesComeOutAsTheyWentIn() {
    let ring = SampleRing(channelCount: 2, frames: 100)
    #expect(ring.capacity == 128)
    var buffer = PCMBuffer(format: format)
    var next = 0
    for count in [1, 128, 0, 5, 64, 100, 127, 3] {
      #expect(offer(ring, next..<next + count).stored == count)
      #expect(ring.available == count)
      let block = ring.read(1000, into: &buffer)
      #expect(block == SampleRing.Block(position: next, frames: count, lostBefore: 0))
      #expect(Array(buffer.channels[0].prefix(count)) == (next..<next + count).map { Float($0) })
      #expect(Array(buffer.channels[1].prefix(count)) == (next..<next + count).map { -Float($0) })
      next += count
    }
    #expect(ring.offered == next)
    #expect(ring.lost == 0)
  }

  @Test func lossIsCountedWithItsPlace() {
    let ring = SampleRing(channelCount: 2, frames: 64)
    #expect(offer(ring, 0..<60).closed == nil)
    #expect(offer(ring, 60..<70).stored == 4)
    #expect(offer(ring, 70..<80).stored == 0)
    #expect(ring.lost == 16)
    #expect(ring.offered == 80)
    var buffer = PCMBuffer(format: format)
    #expect(ring.read(10, into: &buffer) == SampleRing.Block(position: 0, frames: 10, lostBefore: 0))
    // Now the gap has an end: frames 64 to 79.
    let later = offer(ring, 80..<85)
    #expect(later.stored == 5)
    #expect(later.closed == SampleRing.Gap(position: 64, frames: 16))
    #expect(ring.read(100, into: &buffer) == SampleRing.Block(position: 10, frames: 54, lostBefore: 0))
    #expect(ring.read(100, into: &buffer) == SampleRing.Block(position: 80, frames: 5, lostBefore: 16))
    #expect(buffer.channels[0].prefix(5) == [80, 81, 82, 83, 84])
    #expect(ring.read(100, into: &buffer) == SampleRing.Block(position: 85, frames: 0, lostBefore: 0))
  }

  @Test func lossAtTheEndIsTold() {
    let ring = SampleRing(channelCount: 2, frames: 64)
    #expect(offer(ring, 0..<100).stored == 64)
    #expect(ring.finish() == SampleRing.Gap(position: 64, frames: 36))
    #expect(ring.finish() == nil)
    var buffer = PCMBuffer(format: format)
    #expect(ring.read(100, into: &buffer).frames == 64)
    #expect(ring.read(100, into: &buffer) == SampleRing.Block(position: 100, frames: 0, lostBefore: 36))
    #expect(ring.read(100, into: &buffer).lostBefore == 0)
  }

  @Test func moreGapsThanThereIsRoomForStayExact() {
    let ring = SampleRing(channelCount: 2, frames: 1024)
    var buffer = PCMBuffer(format: format)
    var offered = 0
    var seen = 0
    var lost = 0
    func read(_ frames: Int) {
      let block = ring.read(frames, into: &buffer)
      lost += block.lostBefore
      #expect(block.position == seen + lost)
      #expect(block.frames == 0 || buffer.channels[0][0] == Float(block.position))
      seen += block.frames
    }
    // Two frames of room each time, three offered: one gap every time.
    _ = offer(ring, 0..<1025)
    offered = 1025
    for _ in 0..<300 {
      read(2)
      _ = offer(ring, offered..<offered + 3)
      offered += 3
    }
    _ = ring.finish()
    for _ in 0..<2000 { read(7) }
    #expect(seen + lost == offered)
    #expect(lost == ring.lost)
    #expect(lost >= 300)
  }

  @Test func discardedFramesAreNotPlayed() {
    let ring = SampleRing(channelCount: 2, frames: 64)
    var buffer = PCMBuffer(format: format, frameCount: 64)
    #expect(ring.push(buffer, from: 0) == 64)
    #expect(ring.room == 0)
    ring.discard()
    #expect(ring.available == 0)
    ring.settle()
    #expect(ring.room == 64)
    buffer.channels[0][3] = 0.5
    #expect(ring.push(buffer, from: 3) == 61)
    var out = [Float](repeating: 0, count: 128)
    // unsafe: room for 64 frames of two channels.
    let taken = unsafe out.withUnsafeMutableBufferPointer { memory in
      unsafe memory.baseAddress.map { unsafe ring.take(64, into: $0) }
    }
    #expect(taken == 61)
    #expect(out[0] == 0.5)
  }

  /// Two threads, a generator of pseudo-random bits on both sides, and a reader that is too slow now and then.
  @Test func twoThreadsAgreeOnEveryFrame() throws {
    let ring = SampleRing(channelCount: 1, frames: 512)
    let total = 400_000
    let done = Flag()
    let writer = WorkerThread {
      var noise = PseudoNoise()
      var sizes = PseudoNoise(seed: 99)
      var samples = [Float](repeating: 0, count: 300)
      var sent = 0
      while sent < total {
        let count = min(total - sent, Int(sizes.next() * 100 + 150))
        for frame in 0..<count { samples[frame] = noise.next() }
        // unsafe: the array holds the frames.
        _ = unsafe samples.withUnsafeBufferPointer { unsafe ring.offer($0.baseAddress, frames: count) }
        sent += count
      }
      _ = ring.finish()
      done.isSet.store(true, ordering: .releasing)
    }
    let thread = try #require(writer)
    var noise = PseudoNoise()
    var buffer = PCMBuffer(format: PCMFormat(sampleRate: 48_000, layout: .mono))
    var position = 0
    var lost = 0
    var wrong = 0
    while true {
      let isLast = done.isSet.load(ordering: .acquiring)
      let block = ring.read(200, into: &buffer)
      lost += block.lostBefore
      for _ in 0..<block.lostBefore { _ = noise.next() }
      position += block.lostBefore
      if block.position != position { wrong += 1 }
      for frame in 0..<block.frames where buffer.channels[0][frame] != noise.next() { wrong += 1 }
      position += block.frames
      if isLast, block.frames == 0, block.lostBefore == 0 { break }
    }
    thread.join()
    #expect(wrong == 0)
    #expect(position == total)
    #expect(lost == ring.lost)
  }

  @Test func eventsThatFindNoRoomAreCounted() {
    let core = StreamCore(format: format, bufferFrames: 64)
    for position in 0..<(EventQueue.room + 5) {
      core.events.post(EventQueue.Record(kind: .hole, position: Int64(position), number: 1))
    }
    var events: [StreamEvent] = []
    while let event = core.nextEvent() { events.append(event) }
    #expect(events.first?.kind == .eventsLost(5))
    #expect(events.dropFirst().map(\.position) == (0..<Int64(EventQueue.room)).map { $0 })
    #expect(!core.hasEvents)
    let name = [CChar](repeating: 65, count: 1000) + [0]
    // unsafe: a text with its ending zero.
    unsafe name.withUnsafeBufferPointer { text in
      unsafe core.events.post(EventQueue.Record(kind: .moved, position: 7), text: text.baseAddress)
    }
    let moved = core.nextEvent()
    #expect(moved?.kind == .moved(to: String(repeating: "A", count: EventQueue.textRoom - 1)))
  }

  @Test func clockTellsTimes() {
    let clock = StreamClock()
    #expect(clock.time(ofFrame: 0) == nil)
    clock.publish(
      StreamClock.Anchor(
        frame: 1000, time: MonotonicTime(nanoseconds: 5_000_000_000), framesPerSecond: 48_000))
    #expect(clock.time(ofFrame: 49_000)?.nanoseconds == 6_000_000_000)
    #expect(clock.time(ofFrame: -47_000)?.nanoseconds == 4_000_000_000)
    #expect(clock.frame(at: MonotonicTime(nanoseconds: 5_500_000_000)) == 25_000)
    clock.stand(at: 77)
    #expect(clock.time(ofFrame: 78) == nil)
    #expect(clock.frame(at: .now) == 77)
  }

  @Test func wakeupIsNotMissed() throws {
    let wakeup = Wakeup()
    let flag = Flag()
    let thread = try #require(
      WorkerThread {
        flag.isSet.store(true, ordering: .releasing)
        wakeup.signal()
      })
    #expect(wakeup.wait(until: .now.advanced(bySeconds: 5)) { flag.isSet.load(ordering: .acquiring) })
    thread.join()
    let start = MonotonicTime.now
    #expect(!wakeup.wait(until: .now.advanced(bySeconds: 0.05)) { false })
    #expect(MonotonicTime.now.seconds(since: start) >= 0.05)
  }
}

final class Flag: Sendable {
  let isSet = Atomic<Bool>(false)
}

/// Numbers of 16 bits that repeat after 2^31 - 1: alike at both ends of a line.
struct PseudoNoise {
  private var state: UInt32

  init(seed: UInt32 = 1) { state = seed & 0x7FFF_FFFF }

  /// A sample that 16 bits hold exactly, in -1..<1.
  mutating func next() -> Float {
    for _ in 0..<16 {
      let bit = (state >> 30 ^ state >> 27) & 1
      state = (state << 1 | bit) & 0x7FFF_FFFF
    }
    return Float(Int16(truncatingIfNeeded: Int32(bitPattern: state))) / 32768
  }
}
