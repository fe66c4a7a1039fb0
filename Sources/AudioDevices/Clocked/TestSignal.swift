public import PCM

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Sound that is known beforehand: each sample follows from its position alone.
public enum TestSignal: Sendable, Hashable {
  case silence
  /// Full scale is an amplitude of 1; the same in every channel.
  case sine(frequency: Double, amplitude: Double)
  /// Pseudo-random samples that 16 bits hold exactly, another one in each channel.
  case noise(seed: UInt64)

  /// The sample of a channel at a position.
  public func sample(at position: Int64, channel: Int, sampleRate: Int) -> Float {
    switch self {
    case .silence: return 0
    case .sine(let frequency, let amplitude):
      // Whole periods are left out first, so that long signals stay exact.
      let turns = (Double(position) * (frequency / Double(sampleRate))).truncatingRemainder(dividingBy: 1)
      return Float(amplitude * sin(2 * Double.pi * turns))
    case .noise(let seed):
      // Steele, Lea and Flood's mixing of a counter (SplitMix64).
      var word = seed &+ UInt64(bitPattern: position) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(channel) << 56
      word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
      word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
      return Float(Int16(truncatingIfNeeded: word >> 40)) / 32768
    }
  }

  private var isDifferentInEachChannel: Bool { if case .noise = self { true } else { false } }

  /// A source that gives this signal.
  /// - Parameter frames: its length; `nil` for no end.
  public func source(id: DeviceInfo.ID, format: PCMFormat, frames: Int64? = nil) -> SoundSource {
    SoundSource(id: id, format: format) { position, wanted, samples in
      let count = frames.map { Int(max(0, min(Int64(wanted), $0 - position))) } ?? wanted
      let channels = format.channelCount
      for frame in 0..<count {
        var value: Float = 0
        for channel in 0..<channels {
          if channel == 0 || isDifferentInEachChannel {
            value = sample(at: position &+ Int64(frame), channel: channel, sampleRate: format.sampleRate)
          }
          samples[frame &* channels &+ channel] = value
        }
      }
      return count
    }
  }
}
