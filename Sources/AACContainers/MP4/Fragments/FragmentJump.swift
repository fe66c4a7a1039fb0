/// Going to a place in fragments without reading the headers of all that lie before.
extension SampleWalk {
  /// Goes to the beginning of a fragment that holds a sample or lies before it, by the file's index.
  ///
  /// - Returns: the number of the sample that `next` gives then; `nil` where no index leads there and nothing changed.
  ///   Only right where this walk has not begun.
  mutating func jump(to index: Int64, in window: ByteWindow) throws(ContainerError) -> Int64? {
    guard table == nil, var target = fragments, window.source.isSeekable, index >= 0 else { return nil }
    do throws(ContainerError) {
      guard let reached = try target.jump(to: index, in: window) else { return nil }
      fragments = target
      return reached
    } catch {
      // A damaged hint is none.
      if case .malformed = error.reason { return nil }
      if case .truncated = error.reason { return nil }
      throw error
    }
  }
}

extension FragmentWalk {
  /// As `SampleWalk.jump`. Samples are told from times, so they must all be equally long, but for the last ones.
  fileprivate mutating func jump(to index: Int64, in window: ByteWindow) throws(ContainerError) -> Int64? {
    var first = self
    guard let sample = try first.next(in: window), let start = first.decodeTime, sample.duration > 0 else {
      return nil
    }
    let delta = UInt64(sample.duration)
    let (distance, isFar) = UInt64(index).multipliedReportingOverflow(by: delta)
    let (time, isFarther) = start.addingReportingOverflow(distance)
    guard !isFar, !isFarther, let place = try hint(of: time, in: window) else { return nil }
    var target = self
    guard try target.open(at: place, in: window), let reached = target.decodeTime, reached <= time,
      reached >= start, (reached - start) % delta == 0
    else { return nil }
    self = target
    return Int64(exactly: (reached - start) / delta)
  }

  /// Where the media ends, by going to the last fragment that is listed at the end of the file and reading on from
  /// there; `nil` where that is far from the end, or nothing is listed.
  func listedEnd(in window: ByteWindow) throws(ContainerError) -> UInt64? {
    guard let place = try lastListed(in: window) else { return nil }
    var last = self
    guard try last.open(at: place, in: window), let start = last.decodeTime else { return nil }
    var end = start
    for _ in 0..<Self.mostAtEnd {
      guard let sample = try last.next(in: window) else { return end }
      let (sum, isFar) = end.addingReportingOverflow(UInt64(sample.duration))
      if isFar { return nil }
      end = sum
    }
    return nil
  }

  /// Samples behind the last listed place.
  private static var mostAtEnd: Int { 1 << 17 }
}

extension MP4Opening {
  /// Frames of a fragmented file after trimming, by its index or its header; `nil` where they tell nothing.
  ///
  /// They may be wrong: a file can be cut off, or lie.
  func expectedFrames(_ timing: TrackTiming, in window: ByteWindow) -> Int64? {
    guard movie.isFragmented, let fragments else { return nil }
    let hints = FragmentHints(trackID: track.id, movieEnd: moov.end)
    if window.source.isSeekable {
      if let told = try? hints.duration(in: window) {
        return TrackTiming.scale(told.time, timing.timeRate, told.scale)
      }
      if let end = try? fragments.listedEnd(in: window) {
        return max(0, timing.frames(end) - Int64(timing.priming))
      }
    }
    // All ones: not known. Writers that are still at it say 0.
    guard movie.timescale > 0, let told = movie.fragmentDuration, told > 0,
      told != UInt64(UInt32.max), told != .max
    else {
      return nil
    }
    return TrackTiming.scale(told, timing.timeRate, movie.timescale)
  }
}
