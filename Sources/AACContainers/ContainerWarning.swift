/// Something in a file that is not as it should be and was got over.
public struct ContainerWarning: Sendable, Equatable, CustomStringConvertible {
  /// What was found.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
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

  /// Bytes that belong to no frame.
  public private(set) var skippedBytes: Int64 = 0
  private var counts: [ContainerWarning.Kind: Int] = [:]

  public var count: Int { items.count + furtherCount }
  /// Warnings of a kind, with those beyond `items`.
  public func count(of kind: ContainerWarning.Kind) -> Int { counts[kind] ?? 0 }

  /// - Parameter skipped: bytes that were passed over.
  mutating func add(
    _ kind: ContainerWarning.Kind, _ text: @autoclosure () -> String, at offset: Int64? = nil,
    skipped: Int64 = 0
  ) {
    counts[kind, default: 0] += 1
    skippedBytes &+= max(0, skipped)
    if items.count < Self.limit {
      items.append(ContainerWarning(kind, text(), at: offset))
    } else {
      furtherCount &+= 1
    }
  }

  /// Takes over what `list` has beyond what `passed`, an earlier state of it, had.
  mutating func take(_ list: WarningList, beyond passed: WarningList, place: (Int64) -> Int64) {
    for item in list.items.dropFirst(passed.items.count) {
      add(item.kind, item.text, at: item.byteOffset.map(place))
    }
    for _ in 0..<max(0, list.furtherCount - passed.furtherCount) { furtherCount &+= 1 }
    skippedBytes &+= list.skippedBytes - passed.skippedBytes
    // What is beyond the items of `list` has no text.
    for kind in ContainerWarning.Kind.allCases {
      let fresh = list.items.dropFirst(passed.items.count).count { $0.kind == kind }
      let rest = list.count(of: kind) - passed.count(of: kind) - fresh
      if rest > 0 { counts[kind, default: 0] += rest }
    }
  }
}
