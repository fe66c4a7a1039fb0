/// Something in a file that is not as it should be and was got over.
public struct ContainerWarning: Sendable, Equatable, CustomStringConvertible {
  /// What was found.
  public enum Kind: String, Sendable, Equatable {
    /// Bytes that belong to nothing were passed over.
    case junk
    /// A frame's header or length was damaged; its place was found by what surrounds it.
    case repaired
    /// Frames are missing.
    case lost
    /// A checksum does not fit its data.
    case checksum
    /// The file ends inside of a frame.
    case cutOff
    /// The configuration changed inside of the stream.
    case configurationChange
    /// A field breaks a rule and was read as it was meant.
    case irregular
    /// Something legal was left out (a second edit, another track, …).
    case ignored
  }

  public var kind: Kind
  public var text: String
  public var byteOffset: Int64?

  public init(_ kind: Kind, _ text: String, at byteOffset: Int64? = nil) {
    self.kind = kind
    self.text = text
    self.byteOffset = byteOffset
  }

  public var description: String {
    guard let byteOffset else { return text }
    return "\(text) (at byte \(byteOffset))"
  }
}

/// The warnings of one reader: the first hundred in full, the others counted.
public struct WarningList: Sendable, Equatable {
  static let limit = 100

  public private(set) var items: [ContainerWarning] = []
  /// Warnings beyond those in `items`.
  public private(set) var furtherCount = 0

  public var count: Int { items.count + furtherCount }

  mutating func add(_ kind: ContainerWarning.Kind, _ text: @autoclosure () -> String, at offset: Int64? = nil)
  {
    if items.count < Self.limit {
      items.append(ContainerWarning(kind, text(), at: offset))
    } else {
      furtherCount &+= 1
    }
  }
}
