import CEbur128
public import PCM

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// How loud a sound is, by EBU R 128. Silence is -infinity in all four.
public struct Loudness: Sendable, Equatable {
  /// Of the last 400 ms, in LUFS.
  public var momentary = -Double.infinity
  /// Of the last three seconds, in LUFS.
  public var shortTerm = -Double.infinity
  /// Of all that was measured, quiet stretches left out, in LUFS.
  public var integrated = -Double.infinity
  /// Highest level between the samples so far, of the loudest channel, in dBTP.
  public var truePeak = -Double.infinity

  public init() {}
}

/// Measures loudness with libebur128 (ITU-R BS.1770, EBU R 128), block by block.
///
/// However long the sound is, the memory stays as it is. Integrated loudness is kept in steps of 0.1 LU for that.
/// Not safe for use from several threads at a time.
@safe
public final class LoudnessMeter {
  private static let blockLength = 4096

  public let format: PCMFormat
  private let state: UnsafeMutablePointer<ebur128_state>
  private var block: [Float]
  /// How the loudness was distributed, for that of several sounds together.
  public private(set) var distribution = LoudnessDistribution()
  /// Frames between two blocks of 400 ms that the gates look at, and how many of them have come.
  private let hop: Int
  private var hopFrames = 0
  private var hops = 0

  /// - Parameter format: its layout tells how much each channel counts: surrounds more (1.5 dB), low frequencies
  ///   not at all, channels without places as front ones.
  /// - Throws: `invalidSettings` for rates and channel counts that cannot be measured.
  public init(_ format: PCMFormat) throws(AudioFileError) {
    self.format = format
    let modes = EBUR128_MODE_S.rawValue | EBUR128_MODE_I.rawValue | EBUR128_MODE_TRUE_PEAK.rawValue
    let mode = Int32(modes | EBUR128_MODE_HISTOGRAM.rawValue)
    // unsafe: the library makes the state, which lives until ebur128_destroy.
    guard (1...64).contains(format.channelCount), (16...2_822_400).contains(format.sampleRate),
      let state = unsafe ebur128_init(UInt32(format.channelCount), UInt(format.sampleRate), mode)
    else {
      throw AudioFileError(
        .invalidSettings(
          "loudness cannot be measured at \(format.sampleRate) Hz with \(format.channelCount) channels"))
    }
    unsafe self.state = state
    hop = (format.sampleRate + 5) / 10
    block = [Float](repeating: 0, count: Self.blockLength * format.channelCount)
    for (index, place) in Self.places(of: format.layout).enumerated() {
      // unsafe: the state is valid and has that many channels.
      _ = unsafe ebur128_set_channel(state, UInt32(index), Int32(place.rawValue))
    }
  }

  deinit {
    var state: UnsafeMutablePointer<ebur128_state>? = unsafe state
    // unsafe: made by ebur128_init and destroyed once.
    unsafe ebur128_destroy(&state)
  }

  /// Measures all of `buffer`. Samples that are no finite numbers count as zero.
  ///
  /// - Throws: `misuse` for a buffer of another format; `invalidSettings` where the library has no memory.
  public func add(_ buffer: PCMBuffer) throws(AudioFileError) {
    guard buffer.format.sampleRate == format.sampleRate, buffer.channelCount == format.channelCount,
      buffer.channels.allSatisfy({ $0.count >= buffer.frameCount })
    else { throw AudioFileError(.misuse("a buffer of another format than the loudness meter's")) }
    var start = 0
    while start < buffer.frameCount {
      let count = min(Self.blockLength, buffer.frameCount - start, hop - hopFrames)
      buffer.interleave(start..<start + count, into: &block)
      Self.clean(&block, count * format.channelCount)
      // unsafe: the library reads `count` frames, which the block has.
      let status = unsafe block.withUnsafeBufferPointer { samples in
        unsafe ebur128_add_frames_float(state, samples.baseAddress, count)
      }
      guard status == 0 else {
        throw AudioFileError(.invalidSettings("the loudness meter has no memory"))
      }
      start += count
      hopFrames += count
      if hopFrames == hop { endHop() }
    }
  }

  private func endHop() {
    hopFrames = 0
    hops = min(hops + 1, 4)
    guard hops == 4 else { return }
    var loudness = -Double.infinity
    // unsafe: the state is valid, and the call writes one number.
    unsafe ebur128_loudness_momentary(state, &loudness)
    distribution.add(block: loudness)
  }

  private static func clean(_ samples: inout [Float], _ count: Int) {
    for index in 0..<count where !samples[index].isFinite { samples[index] = 0 }
  }

  /// The loudness up to here.
  public var loudness: Loudness {
    var loudness = Loudness()
    // unsafe: the state is valid, and each call writes one number.
    unsafe ebur128_loudness_momentary(state, &loudness.momentary)
    unsafe ebur128_loudness_shortterm(state, &loudness.shortTerm)
    unsafe ebur128_loudness_global(state, &loudness.integrated)
    var highest = 0.0
    for channel in 0..<format.channelCount {
      var peak = 0.0
      unsafe ebur128_true_peak(state, UInt32(channel), &peak)
      highest = max(highest, peak)
    }
    loudness.truePeak = 20 * log10(highest)
    return loudness
  }

  // MARK: Places

  /// The library's name of each channel's place. Back loudspeakers are the surrounds where there are none at the
  /// sides.
  private static func places(of layout: ChannelLayout) -> [channel] {
    let hasSides = layout.speakers.contains(.sideLeft) || layout.speakers.contains(.sideRight)
    let hasBacks = layout.speakers.contains(.backLeft) || layout.speakers.contains(.backRight)
    return layout.speakers.map { speaker in
      switch speaker {
      case nil, .frontLeft: EBUR128_LEFT
      case .frontRight: EBUR128_RIGHT
      case .frontCenter: EBUR128_CENTER
      case .lowFrequency: EBUR128_UNUSED
      case .backLeft: hasSides ? EBUR128_Mp135 : EBUR128_LEFT_SURROUND
      case .backRight: hasSides ? EBUR128_Mm135 : EBUR128_RIGHT_SURROUND
      case .frontLeftOfCenter: EBUR128_MpSC
      case .frontRightOfCenter: EBUR128_MmSC
      case .backCenter: EBUR128_Mp180
      case .sideLeft: hasBacks ? EBUR128_Mp090 : EBUR128_LEFT_SURROUND
      case .sideRight: hasBacks ? EBUR128_Mm090 : EBUR128_RIGHT_SURROUND
      case .topCenter: EBUR128_Tp000
      case .topFrontLeft: EBUR128_Up045
      case .topFrontCenter: EBUR128_Up000
      case .topFrontRight: EBUR128_Um045
      case .topBackLeft: EBUR128_Up135
      case .topBackCenter: EBUR128_Up180
      case .topBackRight: EBUR128_Um135
      }
    }
  }
}
