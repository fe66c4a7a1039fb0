/// Why a call of this module failed: the reason, where in the data, and what the caller can do next.
public struct AACError: Error, Equatable, Sendable {
  /// What is wrong.
  public enum Reason: Equatable, Sendable {
    /// The data ends before the element does.
    case truncated(missingBits: Int)
    /// A value that the standard reserves or forbids.
    case reserved(String, value: Int)
    /// A value outside of what its place allows.
    case outOfRange(String, value: Int, allowed: ClosedRange<Int>)
    /// Legal data that this library does not decode, or settings that it does not encode.
    case unsupported(String)
    /// The data contradicts itself.
    case inconsistent(String)
    /// Settings that cannot be met; the text says what was asked and what is possible.
    case invalidSettings(String)
    /// None of the codecs asked for is there.
    case noCodec(asked: [CodecKind], existing: [CodecKind])
    /// A sample that is not a finite number. `frame` counts from the first frame ever pushed.
    case notFinite(channel: Int, frame: Int64)
    /// The call does not fit the object's state (a buffer of another format, or after `finish()`).
    case misuse(String)
  }

  /// What the caller can usefully do next.
  public enum Advice: Equatable, Sendable {
    case feedMore
    case dropPacket
    case reconfigure
    case changeSettings
    case fixInput
    case giveUp
  }

  public var reason: Reason
  /// Position of the fault in the access unit or configuration at hand, in bits.
  public var bitOffset: Int?

  public init(_ reason: Reason, bitOffset: Int? = nil) {
    self.reason = reason
    self.bitOffset = bitOffset
  }

  public var advice: Advice {
    switch reason {
    case .truncated: .feedMore
    case .reserved, .outOfRange, .inconsistent: .dropPacket
    case .unsupported: .giveUp
    case .invalidSettings, .noCodec: .changeSettings
    case .notFinite: .fixInput
    case .misuse: .reconfigure
    }
  }
}

extension AACError: CustomStringConvertible {
  public var description: String {
    let what =
      switch reason {
      case .truncated(let bits): "the data ends \(bits) bits too early"
      case .reserved(let name, let value): "\(name) has the reserved value \(value)"
      case .outOfRange(let name, let value, let allowed):
        "\(name) is \(value), allowed are \(allowed.lowerBound) to \(allowed.upperBound)"
      case .unsupported(let name): "\(name) is not supported"
      case .inconsistent(let text), .invalidSettings(let text), .misuse(let text): text
      case .noCodec(let asked, let existing):
        "there is no \(asked.map(\.rawValue).joined(separator: " or ")) codec here, only: "
          + existing.map(\.rawValue).joined(separator: ", ")
      case .notFinite(let channel, let frame):
        "the sample at frame \(frame), channel \(channel + 1), is not a finite number"
      }
    guard let bitOffset else { return what }
    return "\(what) (at byte \(bitOffset / 8), bit \(bitOffset % 8))"
  }
}
