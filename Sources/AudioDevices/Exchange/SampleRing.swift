import PCM
import Synchronization

/// Interleaved frames on their way from one thread to one other, without locks and without allocation.
///
/// One thread puts frames in (`offer` or `push`), one thread takes them out (`read` or `take`). A capture
/// callback offers: what finds no room is dropped and counted, and the place of the gap travels with the
/// frames, so that the reader knows the position in the stream of every frame it gets. A player pushes: what
/// finds no room stays with the caller.
@safe
final class SampleRing: @unchecked Sendable {
  /// Frames that were dropped in one go.
  struct Gap: Equatable {
    /// Position in the stream (frames that were offered before, kept or lost) of the first lost frame.
    var position: Int
    var frames: Int
  }

  let channelCount: Int
  /// Frames that fit: a power of two.
  let capacity: Int
  private let mask: Int
  /// `capacity * channelCount` samples. Between `taken` and `written` they belong to the reader, the rest to
  /// the writer.
  private let memory: UnsafeMutablePointer<Float>
  /// Gaps whose place is ahead of the reader; `position` counts stored frames here.
  private let gaps: UnsafeMutablePointer<Gap>
  private static let gapRoom = 64

  private let written = Atomic<Int>(0)
  private let taken = Atomic<Int>(0)
  private let gapsWritten = Atomic<Int>(0)
  private let gapsTaken = Atomic<Int>(0)
  /// All lost frames; only the writer changes it.
  private let lostTotal = Atomic<Int>(0)
  /// Lost frames since the last stored one; only the writer uses it.
  private let pending = Atomic<Int>(0)
  /// Lost frames that the reader knows of; only the reader changes it.
  private let lostDelivered = Atomic<Int>(0)
  /// Frames up to here are to be passed over.
  private let discardEnd = Atomic<Int>(0)

  /// - Parameter frames: the least capacity; it is rounded up to a power of two.
  init(channelCount: Int, frames: Int) {
    self.channelCount = max(1, channelCount)
    var capacity = 64
    while capacity < frames, capacity < 1 << 28 { capacity <<= 1 }
    self.capacity = capacity
    mask = capacity - 1
    let count = capacity * self.channelCount
    // unsafe: both blocks are freed in deinit.
    unsafe memory = .allocate(capacity: count)
    unsafe memory.initialize(repeating: 0, count: count)
    unsafe gaps = .allocate(capacity: Self.gapRoom)
    unsafe gaps.initialize(repeating: Gap(position: 0, frames: 0), count: Self.gapRoom)
  }

  deinit {
    // unsafe: allocated in init; nothing else holds them.
    unsafe memory.deallocate()
    unsafe gaps.deallocate()
  }

  /// Frames that can be taken now.
  var available: Int {
    let start = max(taken.load(ordering: .acquiring), discardEnd.load(ordering: .acquiring))
    return max(0, written.load(ordering: .acquiring) - start)
  }

  /// Frames that can be put in now.
  var room: Int {
    max(0, capacity - (written.load(ordering: .acquiring) - taken.load(ordering: .acquiring)))
  }

  /// Frames that were offered, kept or lost.
  var offered: Int { written.load(ordering: .acquiring) + lostTotal.load(ordering: .acquiring) }

  /// Frames that were dropped in all.
  var lost: Int { lostTotal.load(ordering: .acquiring) }

  /// Frames that were put in and not dropped.
  var stored: Int { written.load(ordering: .acquiring) }

  /// Frames that left the ring, passed over ones included.
  var removed: Int { taken.load(ordering: .acquiring) }
}

// MARK: The writer's side

extension SampleRing {
  /// What became of offered frames.
  struct Offered {
    var stored: Int
    /// The gap that ended with these frames, now that its length is known.
    var closed: Gap?
  }

  /// Puts in `frames` interleaved frames (`nil`: silence); the newest are dropped where there is no room.
  @unsafe
  func offer(_ samples: UnsafePointer<Float>?, frames: Int) -> Offered {
    let start = written.load(ordering: .relaxed)
    let free = capacity - (start - taken.load(ordering: .acquiring))
    let missing = pending.load(ordering: .relaxed)
    var closed: Gap?
    if missing > 0, frames > 0 {
      guard free > 0, storeGap(Gap(position: start, frames: missing), keeping: 1) else {
        lose(frames, after: missing)
        return Offered(stored: 0, closed: nil)
      }
      closed = Gap(position: start + lostTotal.load(ordering: .relaxed) - missing, frames: missing)
      pending.store(0, ordering: .relaxed)
    }
    let count = min(frames, free)
    unsafe copy(samples, frames: count, to: start)
    written.store(start + count, ordering: .sequentiallyConsistent)
    if count < frames { lose(frames - count, after: 0) }
    return Offered(stored: count, closed: closed)
  }

  /// Tells the reader of frames that were lost at the very end. The writer puts nothing in after it.
  func finish() -> Gap? {
    let missing = pending.load(ordering: .relaxed)
    guard missing > 0 else { return nil }
    let start = written.load(ordering: .relaxed)
    guard storeGap(Gap(position: start, frames: missing), keeping: 0) else { return nil }
    pending.store(0, ordering: .relaxed)
    return Gap(position: start + lostTotal.load(ordering: .relaxed) - missing, frames: missing)
  }

  /// Puts in frames of `buffer` from frame `first` on, as many as there is room for, and returns how many.
  func push(_ buffer: borrowing PCMBuffer, from first: Int) -> Int {
    let start = written.load(ordering: .relaxed)
    let free = capacity - (start - taken.load(ordering: .acquiring))
    var count = min(free, buffer.frameCount - first)
    // A buffer may declare more frames than it has.
    for channel in buffer.channels.indices { count = min(count, buffer.channels[channel].count - first) }
    guard count > 0, first >= 0, buffer.channelCount == channelCount else { return 0 }
    for channel in 0..<channelCount {
      // unsafe: indices are masked into the ring; the array was found long enough.
      unsafe buffer.channels[channel].withUnsafeBufferPointer { samples in
        for frame in 0..<count {
          let place = ((start &+ frame) & mask) &* channelCount &+ channel
          unsafe memory[place] = samples[first + frame]
        }
      }
    }
    written.store(start + count, ordering: .sequentiallyConsistent)
    return count
  }

  /// Has the reader pass over everything that was put in so far.
  func discard() { discardEnd.store(written.load(ordering: .relaxed), ordering: .sequentiallyConsistent) }

  private func lose(_ frames: Int, after missing: Int) {
    pending.store(missing + frames, ordering: .relaxed)
    lostTotal.store(lostTotal.load(ordering: .relaxed) + frames, ordering: .releasing)
  }

  private func storeGap(_ gap: Gap, keeping spare: Int) -> Bool {
    let index = gapsWritten.load(ordering: .relaxed)
    guard index - gapsTaken.load(ordering: .acquiring) < Self.gapRoom - spare else { return false }
    // unsafe: the index is reduced to the room; the reader does not look at it before the store below.
    unsafe gaps[index % Self.gapRoom] = gap
    gapsWritten.store(index + 1, ordering: .releasing)
    return true
  }

  @unsafe
  private func copy(_ samples: UnsafePointer<Float>?, frames: Int, to start: Int) {
    let place = start & mask
    let first = min(frames, capacity - place)
    let rest = frames - first
    let target = unsafe memory + place * channelCount
    if let samples = unsafe samples {
      // unsafe: the first part ends with the memory, the rest is shorter than the memory.
      unsafe target.update(from: samples, count: first * channelCount)
      unsafe memory.update(from: samples + first * channelCount, count: rest * channelCount)
    } else {
      unsafe target.update(repeating: 0, count: first * channelCount)
      unsafe memory.update(repeating: 0, count: rest * channelCount)
    }
  }
}

// MARK: The reader's side

extension SampleRing {
  /// A contiguous stretch of the stream.
  struct Block: Equatable {
    /// Position in the stream of the first frame.
    var position: Int
    var frames: Int
    /// Frames that were lost right in front of it.
    var lostBefore: Int
  }

  /// Reads up to `frames` frames to the start of `buffer`, which is made as long as that, and ends in front of
  /// a gap. No frames with a loss are possible at the very end.
  func read(_ frames: Int, into buffer: inout PCMBuffer) -> Block {
    let (start, block) = claim(frames)
    buffer.resize(to: block.frames, format: buffer.format)
    guard block.frames > 0 else { return block }
    for channel in 0..<min(channelCount, buffer.channelCount) {
      // unsafe: indices are masked into the ring; the array was made long enough.
      unsafe buffer.channels[channel].withUnsafeMutableBufferPointer { samples in
        for frame in 0..<block.frames {
          unsafe samples[frame] = memory[((start &+ frame) & mask) &* channelCount &+ channel]
        }
      }
    }
    taken.store(start + block.frames, ordering: .sequentiallyConsistent)
    return block
  }

  /// Takes up to `frames` interleaved frames to `samples`, which must have room for them.
  @unsafe
  func take(_ frames: Int, into samples: UnsafeMutablePointer<Float>) -> Int {
    let (start, block) = claim(frames)
    let place = start & mask
    let first = min(block.frames, capacity - place)
    // unsafe: the first part ends with the memory, the rest is shorter than the memory.
    unsafe samples.update(from: memory + place * channelCount, count: first * channelCount)
    unsafe (samples + first * channelCount).update(
      from: memory, count: (block.frames - first) * channelCount)
    taken.store(start + block.frames, ordering: .sequentiallyConsistent)
    return block.frames
  }

  /// Passes over what is to be discarded, so that its room is free.
  func settle() {
    if discardEnd.load(ordering: .acquiring) > taken.load(ordering: .relaxed) { _ = claim(0) }
  }

  private func claim(_ frames: Int) -> (start: Int, block: Block) {
    let end = written.load(ordering: .sequentiallyConsistent)
    var start = taken.load(ordering: .relaxed)
    let discard = discardEnd.load(ordering: .acquiring)
    if discard > start {
      start = min(discard, end)
      taken.store(start, ordering: .releasing)
    }
    var limit = max(0, min(frames, end - start))
    var lostBefore = 0
    var index = gapsTaken.load(ordering: .relaxed)
    while index < gapsWritten.load(ordering: .acquiring) {
      // unsafe: stored before `gapsWritten` was raised.
      let gap = unsafe gaps[index % Self.gapRoom]
      guard gap.position <= start else {
        limit = min(limit, gap.position - start)
        break
      }
      lostBefore += gap.frames
      index += 1
    }
    gapsTaken.store(index, ordering: .releasing)
    let lost = lostDelivered.load(ordering: .relaxed) + lostBefore
    lostDelivered.store(lost, ordering: .relaxed)
    return (start, Block(position: start + lost, frames: limit, lostBefore: lostBefore))
  }
}
