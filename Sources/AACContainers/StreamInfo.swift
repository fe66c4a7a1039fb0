public import AAC

/// What a container says about its stream.
///
/// Times and counts are in frames at `timeRate`. Where a decoder finds unannounced spectral band
/// replication, its output runs at twice that rate and the counts double with it.
public struct StreamInfo: Sendable, Equatable {
  /// Where priming and padding were told.
  public enum DelaySource: String, Sendable, Equatable {
    case none
    case editList
    case iTunSMPB
    /// The last sample's duration, nothing else.
    case sampleTimes
    case sidecar
  }

  public var container: ContainerFormat
  public var configuration: AudioSpecificConfig
  /// The configuration as the file has it; made up where the container has none of its own.
  public var configurationBytes: [UInt8]
  /// Frames a second in which times are counted: the output rate as far as the container tells.
  public var timeRate: Int
  /// Frames that one packet decodes to.
  public var packetDuration: Int
  /// Frames at the start of the stream to be thrown away.
  public var priming = 0
  /// Frames at the end of the stream to be thrown away.
  public var padding = 0
  public var delaySource = DelaySource.none
  /// Packets in front of a place that have to be decoded for its sake: by the codec, or more where the file says so.
  public var preRoll: Int
  /// `nil` until the end has been seen, where no table tells it. `survey()` counts.
  public var packetCount: Int64?
  /// Frames after trimming.
  public var validFrames: Int64?
  /// Frames after trimming as the index or the header of a fragmented file promises them, good for showing a length:
  /// the file may have been cut off since, or lie.
  public var expectedFrames: Int64?
  /// Mean rate in bits a second as the container declares it.
  public var declaredBitRate: Int?
  public var declaredMaximumBitRate: Int?
  /// MPEG-2 (by ADTS's ID bit or MP4's object type) instead of MPEG-4.
  public var isMPEG2 = false
  /// The packets carry checksums.
  public var hasChecksums = false
  /// The number of the track or stream that is read, from 1.
  public var track = 1
  /// All tracks of a file, all streams of a multiplex; empty where there is no other than the one that is read.
  public var tracks: [TrackInfo] = []
  public var tags = Tags()
  /// In order. Those in a track of their own are known only where the source is seekable.
  public var chapters: [Chapter] = []

  init(container: ContainerFormat, configuration: AudioSpecificConfig) {
    self.container = container
    self.configuration = configuration
    configurationBytes = configuration.bytes
    timeRate = configuration.outputRate
    packetDuration = configuration.outputFrameLength
    preRoll = configuration.preRoll
  }
}

/// What a walk over all packets finds.
public struct StreamSurvey: Sendable, Equatable {
  public var packetCount: Int64 = 0
  /// Bytes of the access units, without headers.
  public var byteCount: Int64 = 0
  public var smallestPacket = 0
  public var largestPacket = 0
  /// Highest sum over a second, in bits.
  public var peakBitsPerSecond = 0
  /// Frames after trimming.
  public var validFrames: Int64 = 0
  /// Priming and padding together with `validFrames` make `packetCount` whole packets.
  public var priming = 0
  public var padding = 0
}

extension AudioSpecificConfig {
  /// The decoder's rate doubles, by what the configuration says.
  private var doublesRate: Bool {
    if let lowDelaySBR { return lowDelaySBR.isDualRate }
    return sbrPresent == true && extensionSamplingRate?.hertz == 2 * samplingRate.hertz
  }

  /// Frames a second that a decoder yields, as far as the configuration tells.
  var outputRate: Int { doublesRate ? 2 * samplingRate.hertz : samplingRate.hertz }

  /// Frames at `outputRate` of one access unit.
  var outputFrameLength: Int { doublesRate ? 2 * frameLength : frameLength }
}
