import AAC

/// Which frames of a track are sound, in order: what lies around and between them is dropped.
struct SoundStretches {
  /// In frames from the start of the first packet.
  private(set) var stretches: [Range<Int64>] = []
  private(set) var frameCount: Int64 = 0
  /// Frames in front of the first stretch; of nothing but what is dropped, its priming.
  private(set) var priming: Int64 = 0
  private var end: Int64 = 0

  mutating func add(_ packet: Packet) {
    let start = end + Int64(packet.priming)
    end += Int64(packet.duration)
    let stop = end - Int64(packet.padding)
    if stretches.isEmpty { priming += Int64(packet.priming) }
    guard start < stop else { return }
    frameCount += stop - start
    if let last = stretches.last, last.upperBound == start {
      stretches[stretches.count - 1] = last.lowerBound..<stop
    } else {
      stretches.append(start..<stop)
    }
  }

  /// An edit for each stretch, where the movie counts in frames too.
  var edits: [EditList.Edit] {
    guard !stretches.isEmpty else { return [EditList.Edit(duration: 0, mediaTime: priming)] }
    return stretches.map { EditList.Edit(duration: UInt64($0.count), mediaTime: $0.lowerBound) }
  }
}
