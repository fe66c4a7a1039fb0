public import AAC
import AACContainers

/// One damage that decoding got over.
public struct DecodingDamage: Sendable, Equatable {
  /// What kind of damage it is.
  public enum Kind: String, Sendable, CaseIterable {
    /// A packet that the container knows to be missing.
    case lost
    /// A checksum does not fit: the packet was not played.
    case checksum
    /// An access unit that cannot be read, or not to its end.
    case broken
    /// An access unit without channels that were there before.
    case incomplete
    /// An access unit that is louder than any sound.
    case implausible
    /// Broken data of spectral band replication.
    case replication
    /// The container's frames had to be found again, or bytes belong to none of them.
    case resynchronised
    /// The data ends inside of a frame.
    case cutOff
  }

  public var kind: Kind
  /// Packets in front of it.
  public var packet: Int64
  /// Seconds from the start of the sound.
  public var time: Double?
  /// The channels that were made up for it.
  public var channels = FrameReport.Channels()
  /// What is wrong, with the place where it is known.
  public var error: AACKitError
}

extension DecodingDamage.Kind {
  init(_ cause: FrameReport.Cause) {
    self =
      switch cause {
      case .missing: .lost
      case .damaged: .broken
      case .incomplete: .incomplete
      case .implausible: .implausible
      case .replication: .replication
      }
  }

  /// `nil` for warnings that are no damage.
  init?(_ warning: ContainerWarning) {
    switch warning.kind {
    case .checksum: self = .checksum
    case .repaired, .lost: self = .resynchronised
    // Streams are joined anywhere: what stands in front of the first frame is no damage.
    case .junk where warning.byteOffset != 0: self = .resynchronised
    case .cutOff: self = .cutOff
    default: return nil
    }
  }
}

extension FrameReport.Cause {
  /// As what a strict reader throws.
  var error: AACError {
    if case .damaged(let error) = self { return error }
    return AACError(.inconsistent(description))
  }
}
