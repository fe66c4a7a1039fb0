/// How far work on a sound has come.
public struct Progress: Sendable, Equatable {
  /// Frames done, at `sampleRate`.
  public var frames: Int64
  /// Frames in all; `nil` where only the end will tell.
  public var total: Int64?
  public var sampleRate: Int

  public init(frames: Int64, total: Int64?, sampleRate: Int) {
    self.frames = frames
    self.total = total
    self.sampleRate = sampleRate
  }

  /// Seconds of sound done.
  public var seconds: Double { sampleRate > 0 ? Double(frames) / Double(sampleRate) : 0 }

  /// 0…1, `nil` where the total is not known.
  public var fraction: Double? {
    guard let total, total > 0 else { return nil }
    return min(1, Double(frames) / Double(total))
  }
}
