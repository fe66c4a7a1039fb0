public import AudioFiles
import PCM

/// How loud a recording is. It is measured while it is paused or waits, too.
public struct RecordingLevels: Sendable, Equatable {
  /// Seconds of the recording.
  public var time: Double
  /// Largest magnitude of each channel since the last levels; 1 is full scale.
  public var peaks: [Float]
  /// Effective level of each channel since the last levels.
  public var rms: [Float]
  /// Samples at full scale or beyond since the last levels, over all channels.
  public var clippedSamples: Int
  public var loudness: Loudness
}

/// Measures a recording.
struct RecordingMeter {
  private var levels: LevelMeter
  private let loudness: LoudnessMeter
  private let interval: Int
  private var clipped = 0

  init(_ format: PCMFormat, interval seconds: Double) throws(AudioFileError) {
    levels = LevelMeter(channelCount: format.channelCount)
    loudness = try LoudnessMeter(format)
    interval = max(1, Int((seconds * Double(format.sampleRate)).rounded()))
  }

  /// Adds sound; what was measured where an interval is full.
  mutating func add(_ buffer: PCMBuffer, at time: Double) throws(AudioFileError) -> RecordingLevels? {
    levels.add(buffer)
    try loudness.add(buffer)
    for channel in buffer.channels where clips(channel, buffer.frameCount) {
      clipped += channel.prefix(buffer.frameCount).count { $0.magnitude >= 1 }
    }
    guard levels.frameCount >= interval else { return nil }
    defer {
      levels.reset()
      clipped = 0
    }
    return RecordingLevels(
      time: time, peaks: levels.peaks, rms: levels.peaks.indices.map { levels.rms($0) },
      clippedSamples: clipped, loudness: loudness.loudness)
  }

  private func clips(_ samples: [Float], _ count: Int) -> Bool {
    for index in 0..<count where samples[index].magnitude >= 1 { return true }
    return false
  }
}
