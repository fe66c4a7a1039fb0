/// A stretch of sound: planar `Float` samples, full scale at ±1.0.
///
/// `channels[c]` holds at least `frameCount` samples of channel `c`; samples past `frameCount` are spare
/// room, so a buffer can be filled again and again without allocating.
public struct PCMBuffer: Sendable {
  public var format: PCMFormat
  /// Valid frames in every channel.
  public var frameCount: Int
  public var channels: [[Float]]

  public var channelCount: Int { channels.count }

  /// Silence of `frameCount` frames.
  public init(format: PCMFormat, frameCount: Int = 0) {
    self.format = format
    self.frameCount = frameCount
    channels = [[Float]](
      repeating: [Float](repeating: 0, count: frameCount), count: format.channelCount)
  }

  /// Wraps planar samples. All channels must be of one length, one for each channel of the layout.
  public init(format: PCMFormat, channels: [[Float]]) {
    precondition(channels.count == format.channelCount, "one array for each channel of the layout")
    let frames = channels.first?.count ?? 0
    precondition(channels.allSatisfy { $0.count == frames }, "channels of one length")
    self.format = format
    self.frameCount = frames
    self.channels = channels
  }

  /// Makes room for `frames` frames in each of the format's channels and declares them valid.
  /// Allocates only when a channel is shorter than that; the samples are then unspecified.
  public mutating func resize(to frames: Int, format newFormat: PCMFormat) {
    format = newFormat
    if channels.count != newFormat.channelCount {
      channels = [[Float]](repeating: [], count: newFormat.channelCount)
    }
    for channel in channels.indices where channels[channel].count < frames {
      channels[channel].append(
        contentsOf: repeatElement(0, count: frames - channels[channel].count))
    }
    frameCount = frames
  }
}
