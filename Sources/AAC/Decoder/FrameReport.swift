/// What became of one access unit: which channels were made up, and why.
public struct FrameReport: Sendable, Equatable {
  /// Why something was concealed.
  public enum Cause: Sendable, Equatable {
    /// The access unit is not there.
    case missing
    /// The access unit cannot be read, or not to its end.
    case damaged(AACError)
    /// The access unit is whole but lacks channels that the layout has and that were there before.
    case incomplete
    /// What the data says is louder than any sound: it is damaged although it can be read.
    case implausible
    /// The core is whole; the data of spectral band replication is not.
    case replication
  }

  /// Channels of the output, by index.
  public struct Channels: Sendable, Hashable {
    /// Bit c: channel c.
    public var bits: UInt64
    public init(bits: UInt64 = 0) { self.bits = bits }
    public var isEmpty: Bool { bits == 0 }
    public var count: Int { bits.nonzeroBitCount }
    public func contains(_ channel: Int) -> Bool {
      channel >= 0 && channel < 64 && bits >> UInt64(channel) & 1 != 0
    }
    public var indices: [Int] { (0..<64).filter(contains) }

    mutating func insert(_ channel: Int) { bits |= 1 << UInt64(min(max(channel, 0), 63)) }
  }

  /// `nil` where the whole frame is what the stream says.
  public var cause: Cause?
  /// The channels that were made up. Empty for `replication`: there the low half is the stream's.
  public var concealedChannels = Channels()
  /// Frames in a row, with this one, of which a channel was made up.
  public var run = 0
  /// Samples were held at +1 dB of full scale, in or right behind a concealed frame or in an implausible one.
  public var isLimited = false

  /// Every channel is the stream's own.
  public var isWhole: Bool { cause == nil }

  public init() {}
}

/// Sums up the reports of a stream.
public struct DecodingStatistics: Sendable, Equatable {
  /// Access units, with those that were concealed.
  public var frames: Int64 = 0
  /// Frames of which at least one channel was made up.
  public var concealedFrames: Int64 = 0
  /// Those of them of which some channels are the stream's own.
  public var partlyConcealedFrames: Int64 = 0
  /// Channels that were made up, added up over the frames.
  public var concealedChannels: Int64 = 0
  /// Most frames in a row that were concealed.
  public var longestRun = 0
  /// The concealed frames by cause.
  public var missingFrames: Int64 = 0
  public var damagedFrames: Int64 = 0
  public var incompleteFrames: Int64 = 0
  public var implausibleFrames: Int64 = 0
  /// Frames whose replication data is broken, in a core that is whole; they do not count as concealed.
  public var replicationFaults: Int64 = 0
  /// Frames with samples held at +1 dB of full scale.
  public var limitedFrames: Int64 = 0

  /// What containers tell; 0 where a decoder works without one.
  public var checksumFailures: Int64 = 0
  /// Times that the frames' chain broke and was found again, and the bytes that belong to no frame.
  public var resynchronisations: Int64 = 0
  public var skippedBytes: Int64 = 0
  public var configurationChanges: Int64 = 0

  public init() {}

  /// Takes in the report of the next frame.
  public mutating func add(_ report: FrameReport) {
    frames += 1
    if report.isLimited { limitedFrames += 1 }
    switch report.cause {
    case nil: return
    case .missing: missingFrames += 1
    case .damaged: damagedFrames += 1
    case .incomplete:
      incompleteFrames += 1
      partlyConcealedFrames += 1
    case .implausible: implausibleFrames += 1
    case .replication:
      replicationFaults += 1
      return
    }
    concealedFrames += 1
    concealedChannels += Int64(report.concealedChannels.count)
    longestRun = max(longestRun, report.run)
  }
}

extension FrameReport.Cause: CustomStringConvertible {
  public var description: String {
    switch self {
    case .missing: "the packet is missing"
    case .damaged(let error): error.description
    case .incomplete: "the access unit lacks channels"
    case .implausible: "the access unit is louder than any sound"
    case .replication: "the data of spectral band replication is damaged"
    }
  }
}
