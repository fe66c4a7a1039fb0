import AAC

/// Turns a track's times into frames at the output rate, and finds what is to be trimmed.
struct TrackTiming: Equatable {
  /// Frames a second in which packets are timed.
  var timeRate: Int
  /// Frames of one packet at that rate.
  var packetDuration: Int
  var priming = 0
  var padding = 0
  /// Frames after trimming; `nil` where the number of packets is not known.
  var validFrames: Int64?
  /// Which frames these are, where they are in several places; else empty.
  private var stretches = SoundStretches()
  var source = StreamInfo.DelaySource.none
  var remarks: [String] = []

  private let mediaScale: UInt32

  /// - Parameter typicalDelta: the usual duration of a sample in the media's time scale.
  init(_ configuration: AudioSpecificConfig, mediaScale: UInt32, typicalDelta: UInt32) {
    timeRate = configuration.outputRate
    if mediaScale == 0 { remarks.append("the file tells no time scale; the sampling rate is taken") }
    self.mediaScale = mediaScale > 0 ? mediaScale : UInt32(clamping: timeRate)
    packetDuration = configuration.outputFrameLength
    // Unannounced spectral band replication: the file counts in frames of twice the core rate.
    let core = configuration.samplingRate.hertz
    if timeRate == core, Int(mediaScale) == 2 * core, Int(typicalDelta) == 2 * configuration.frameLength {
      timeRate = 2 * core
      packetDuration = 2 * configuration.frameLength
    }
  }

  /// Which frames are sound.
  var sound: SoundStretches {
    if !stretches.stretches.isEmpty { return stretches }
    let start = Int64(priming)
    return SoundStretches([start..<(validFrames.map { start &+ max(0, $0) } ?? .max)])
  }

  /// Media time in frames, to the nearest.
  func frames(_ mediaTime: UInt64) -> Int64 { Self.scale(mediaTime, timeRate, mediaScale) }

  /// `value * numerator / denominator` to the nearest; bounded instead of overflowing.
  static func scale(_ value: UInt64, _ numerator: Int, _ denominator: UInt32) -> Int64 {
    let divisor = UInt64(max(1, denominator))
    let product = value.multipliedFullWidth(by: UInt64(max(0, numerator)))
    let (low, carry) = product.low.addingReportingOverflow(divisor / 2)
    let high = product.high + (carry ? 1 : 0)
    guard high < divisor else { return 1 << 62 }
    return Int64(min(divisor.dividingFullWidth((high, low)).quotient, 1 << 62))
  }

  /// Works out priming, padding and length from what the file says.
  ///
  /// An edit list that trims something wins over `iTunSMPB`, which is then only asked for the exact length
  /// where the edit's is coarse. A last sample that is shorter than a packet tells of padding too.
  mutating func resolve(
    packetCount: Int64?, mediaDuration: UInt64?, edits: EditList?, movieScale: UInt32, gapless: GaplessInfo?
  ) {
    let total = packetCount.map { $0 * Int64(packetDuration) }
    let end = mediaEnd(total: total, mediaDuration: mediaDuration)
    let gapless = gapless.flatMap { fitting($0, total: total) }
    if let edits, let (edit, later) = playedEdits(edits, movieScale) {
      if !later.isEmpty {
        if let total, apply([edit] + later, total: total, movieScale) { return }
        remarks.append("only the first edit of the edit list is played")
      }
      if apply(edit, total: total, end: end, movieScale: movieScale, gapless: gapless) { return }
    }
    if let gapless, let total {
      priming = gapless.priming
      validFrames = min(gapless.validFrames, total - Int64(priming))
      padding = Int(clamping: total - Int64(priming) - (validFrames ?? 0))
      source = .iTunSMPB
      return
    }
    guard let total, let end else { return }
    validFrames = end - Int64(priming)
    padding = Int(clamping: total - end)
    if source == .none, padding > 0 { source = .sampleTimes }
  }

  /// The first edit that plays something and those behind it; edits that go on right where one ends are one with it.
  /// What else the list asks for is left out and remarked on: players hear a track from its first sound on, too.
  private mutating func playedEdits(
    _ list: EditList, _ movieScale: UInt32
  ) -> (first: EditList.Edit, later: [EditList.Edit])? {
    guard let first = list.firstUseful else {
      if list.count > 0 { remarks.append("the edit list plays nothing, and is left out") }
      return nil
    }
    if list.leadingSilence > 0 { remarks.append("the edit list starts with silence, which is left out") }
    if !list.edits.allSatisfy(\.hasUsualRate) {
      remarks.append("the edit list asks for another speed, which is left out")
    }
    if list.count > list.edits.count { remarks.append("the edit list is too long, and is left out in part") }
    var edits = [first]
    for next in list.later {
      let last = edits.count - 1
      if edits[last].isFollowed(by: next, mediaScale, movieScale) {
        edits[last].duration &+= next.duration
      } else {
        edits.append(next)
      }
    }
    // Without a clock of the movie its times say nothing.
    if movieScale == 0 { edits[0].duration = 0 }
    return (edits[0], Array(edits.dropFirst()))
  }

  /// Takes over several stretches of the media; false where they are not in order, ask for silence between them, or meet
  /// in one packet.
  private mutating func apply(_ edits: [EditList.Edit], total: Int64, _ movieScale: UInt32) -> Bool {
    guard movieScale > 0 else { return false }
    // What a coarse clock may be off by.
    let step = Int64(timeRate) / Int64(movieScale) + 1
    var ranges: [Range<Int64>] = []
    for edit in edits {
      guard edit.mediaTime >= 0, edit.duration > 0 else { return false }
      let start = frames(UInt64(edit.mediaTime))
      let (end, overflow) = start.addingReportingOverflow(
        Self.scale(edit.duration, timeRate, movieScale))
      guard !overflow, start < total, end <= total + step else { return false }
      if let last = ranges.last {
        guard last.upperBound <= start + step else { return false }
        let clipped = min(last.upperBound, start)
        guard last.lowerBound < clipped, clipped <= start - start % Int64(max(1, packetDuration)) else {
          return false
        }
        ranges[ranges.count - 1] = last.lowerBound..<clipped
      }
      ranges.append(start..<min(end, total))
    }
    guard let first = ranges.first, let last = ranges.last, first.lowerBound <= Int64(Int32.max) else {
      return false
    }
    stretches = SoundStretches(ranges)
    priming = Int(first.lowerBound)
    validFrames = stretches.frameCount
    padding = Int(clamping: total - last.upperBound)
    source = .editList
    return true
  }

  /// Where the media ends: earlier than its packets do, if the last one is said to be shorter.
  private func mediaEnd(total: Int64?, mediaDuration: UInt64?) -> Int64? {
    guard let total else { return nil }
    guard let mediaDuration, mediaScale == UInt32(clamping: timeRate) || Int(mediaScale) * 2 == timeRate
    else {
      return total
    }
    let end = frames(mediaDuration)
    return end < total && total - end < Int64(packetDuration) ? end : total
  }

  /// `iTunSMPB` counts at the core rate or at the output rate: the one that fits the packets.
  private func fitting(_ gapless: GaplessInfo, total: Int64?) -> GaplessInfo? {
    guard let total else { return gapless }
    for ratio in [1, 2] {
      let scaled = gapless.scaled(by: ratio)
      if abs(scaled.total - total) < Int64(packetDuration) { return scaled }
    }
    return Int64(gapless.priming) + gapless.validFrames <= total ? gapless : nil
  }

  /// False where the edit trims nothing.
  private mutating func apply(
    _ edit: EditList.Edit, total: Int64?, end: Int64?, movieScale: UInt32, gapless: GaplessInfo?
  ) -> Bool {
    let start = frames(UInt64(max(0, edit.mediaTime)))
    guard start <= total ?? .max, start <= Int64(Int32.max) else {
      remarks.append("the edit list starts behind the end and is left out")
      return false
    }
    guard let total, let end else {
      guard start > 0 || edit.duration > 0 else { return false }
      priming = Int(start)
      if edit.duration > 0 { validFrames = Self.scale(edit.duration, timeRate, movieScale) }
      source = .editList
      return true
    }
    let rest = max(0, end - start)
    var valid = rest
    if edit.duration > 0 {
      let told = Self.scale(edit.duration, timeRate, movieScale)
      // A coarse clock rounds the length: within its step the exact one is taken from elsewhere.
      let step = Int64(timeRate) / Int64(max(1, movieScale))
      if abs(told - rest) >= max(1, step) { valid = min(told, rest) }
      if let gapless, Int64(gapless.priming) == start, abs(told - gapless.validFrames) < max(1, step) {
        valid = min(gapless.validFrames, total - start)
      }
    }
    guard start > 0 || valid < end else { return false }
    priming = Int(start)
    validFrames = valid
    padding = Int(clamping: total - start - valid)
    source = .editList
    return true
  }
}

extension EditList.Edit {
  /// Whether `next` begins where this one ends, as far as the coarser of the two clocks can tell.
  fileprivate func isFollowed(by next: Self, _ mediaScale: UInt32, _ movieScale: UInt32) -> Bool {
    guard duration > 0, next.duration > 0, next.mediaTime >= 0, movieScale > 0 else { return false }
    let end = TrackTiming.scale(duration, Int(mediaScale), movieScale)
    let (sum, overflow) = mediaTime.addingReportingOverflow(end)
    guard !overflow else { return false }
    return (sum - next.mediaTime).magnitude <= UInt64(mediaScale / movieScale) + 1
  }
}
