import AAC

/// Which frames of a track are sound, in order: what lies around and between them is dropped.
struct SoundStretches: Equatable {
  /// In frames from the start of the first packet; the end of the last one may be open (`Int64.max`).
  private(set) var stretches: [Range<Int64>] = []
  private(set) var frameCount: Int64 = 0
  /// Frames in front of the first stretch; of nothing but what is dropped, its priming.
  private(set) var priming: Int64 = 0
  /// Frames of sound in front of each stretch.
  private var starts: [Int64] = []
  private var end: Int64 = 0

  init() {}

  /// - Parameter stretches: in order, without overlap.
  init(_ stretches: [Range<Int64>]) {
    self.stretches = stretches
    priming = stretches.first?.lowerBound ?? 0
    end = stretches.last?.upperBound ?? 0
    for stretch in stretches {
      starts.append(frameCount)
      frameCount &+= stretch.upperBound &- stretch.lowerBound
    }
  }

  // MARK: Writing

  mutating func add(_ packet: Packet) {
    let start = end + Int64(packet.priming)
    end += Int64(packet.duration)
    let stop = end - Int64(packet.padding)
    if stretches.isEmpty { priming += Int64(packet.priming) }
    guard start < stop else { return }
    if let last = stretches.last, last.upperBound == start {
      stretches[stretches.count - 1] = last.lowerBound..<stop
    } else {
      stretches.append(start..<stop)
      starts.append(frameCount)
    }
    frameCount += stop - start
  }

  /// An edit for each stretch, where the movie counts in frames too.
  var edits: [EditList.Edit] {
    guard !stretches.isEmpty else { return [EditList.Edit(duration: 0, mediaTime: priming)] }
    return stretches.map { EditList.Edit(duration: UInt64($0.count), mediaTime: $0.lowerBound) }
  }

  // MARK: Reading

  /// What becomes of the frames of a packet that starts at `position`.
  func trim(_ packet: inout Packet, at position: Int64) {
    let duration = Int64(packet.duration)
    let index = min(firstIndex { stretches[$0].upperBound > position }, stretches.count - 1)
    guard index >= 0 else { return }
    let stretch = stretches[index]
    packet.presentationTime = starts[index] &+ (position &- stretch.lowerBound)
    // What prepares the decoder between stretches is not earlier than the sound in front of it.
    if index > 0 { packet.presentationTime = max(packet.presentationTime, starts[index] &- duration) }
    let priming = max(0, min(stretch.lowerBound &- position, duration))
    packet.priming = Int(priming)
    packet.padding = Int(max(0, min(position &+ duration &- stretch.upperBound, duration - priming)))
  }

  /// Where frame `time` of the sound is, counted from the start of the first packet.
  func position(of time: Int64) -> Int64 {
    let index = max(0, firstIndex { starts[$0] > time } - 1)
    guard index < stretches.count else { return time }
    let (sum, overflow) = stretches[index].lowerBound.addingReportingOverflow(time &- starts[index])
    return overflow ? .max : sum
  }

  /// The first stretch of which something holds that holds of all later ones too, or their number.
  private func firstIndex(where holds: (Int) -> Bool) -> Int {
    var (low, high) = (0, stretches.count)
    while low < high {
      let middle = (low + high) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
