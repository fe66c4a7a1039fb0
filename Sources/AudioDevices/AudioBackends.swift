/// The ways to devices that there are, by name, and the choice among them.
public struct AudioBackends: Sendable {
  /// A backend by name.
  public struct Entry: Sendable {
    public var name: String
    /// Whether it is tried where nobody asks for it by name. What only stands for hardware is not.
    public var isAutomatic: Bool
    /// Makes the backend, or tells why it cannot be had.
    public var open: @Sendable () throws(AudioDeviceError) -> any AudioBackend

    public init(
      name: String, isAutomatic: Bool = true,
      open: @escaping @Sendable () throws(AudioDeviceError) -> any AudioBackend
    ) {
      self.name = name
      self.isAutomatic = isAutomatic
      self.open = open
    }
  }

  /// A backend that was not taken.
  public struct Refusal: Sendable, Hashable {
    public var name: String
    public var reason: String
  }

  /// What was chosen, and what was tried before it.
  public struct Choice: Sendable {
    public var backend: any AudioBackend
    /// Names that were preferred to it, with what was wrong.
    public var refused: [Refusal]
  }

  /// In the order in which they are tried.
  public var entries: [Entry]

  public init(_ entries: [Entry]) { self.entries = entries }

  /// What this system has: `pulse` on Linux, and `null` everywhere.
  public static let standard: AudioBackends = {
    var entries: [Entry] = []
    #if canImport(CPulse)
      entries.append(
        Entry(name: "pulse") { () throws(AudioDeviceError) -> any AudioBackend in try PulseBackend() })
    #endif
    entries.append(
      Entry(name: "null", isAutomatic: false) { () throws(AudioDeviceError) -> any AudioBackend in
        NullBackend()
      })
    return AudioBackends(entries)
  }()

  /// The names of all entries.
  public var names: [String] { entries.map(\.name) }

  /// Opens the first backend of a list of preference that can be had.
  /// - Parameter preference: names in order; `nil` for all that are automatic.
  /// - Throws: the backend's own error where one was asked for; `noBackend` with what exists for several or none.
  public func open(preferring preference: [String]? = nil) throws(AudioDeviceError) -> Choice {
    let wanted = preference ?? entries.filter(\.isAutomatic).map(\.name)
    var refused: [Refusal] = []
    for name in wanted {
      guard let entry = entries.first(where: { $0.name == name }) else {
        refused.append(Refusal(name: name, reason: "is not known here"))
        continue
      }
      do {
        return Choice(backend: try entry.open(), refused: refused)
      } catch {
        if wanted.count == 1 { throw error }
        refused.append(Refusal(name: name, reason: error.description))
      }
    }
    throw AudioDeviceError(
      .noBackend(asked: wanted, existing: names, refused: refused.map { "\($0.name): \($0.reason)" }))
  }
}
