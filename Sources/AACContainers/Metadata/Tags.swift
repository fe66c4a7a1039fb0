/// What a file says about its content: `title`, `artist`, … in the file's order, its cover, and what it has besides.
///
/// Known keys have short names (see `Key`); others are named as in the file, with `mean:` in front where that is not
/// iTunes' own. A key may have several values. What an MP4 file says in a way that is not understood is kept byte for
/// byte when it is written again.
public struct Tags: Sendable, Equatable {
  /// One tag: its name and its value.
  public struct Item: Sendable, Equatable {
    public var key: String
    public var value: String
    public init(key: String, value: String) {
      self.key = key
      self.value = value
    }
  }

  /// An item of an MP4 file that is not understood.
  public struct ForeignItem: Sendable, Equatable {
    /// The name of its box, or `mean:name`.
    public let key: String
    /// The whole box.
    public let bytes: [UInt8]
  }

  /// A key with all of its values.
  struct Field: Sendable, Equatable {
    var key: String
    var values: [String]
    /// The boxes of an MP4 file, where writing the values would make others.
    var original: [UInt8]?
  }

  private(set) var fields: [Field] = []

  /// Pictures, the front cover first.
  public var artwork: [Artwork] = [] {
    didSet { artworkOriginal = nil }
  }
  /// As `Field.original`.
  private(set) var artworkOriginal: [UInt8]?

  public private(set) var foreignItems: [ForeignItem] = []

  public init() {}

  /// The last value counts where a key comes twice.
  public init(_ items: [(String, String)]) {
    for (key, value) in items { self[key] = value }
  }

  /// A tag for each value.
  public var items: [Item] {
    fields.flatMap { field in field.values.map { Item(key: field.key, value: $0) } }
  }
  /// Each once, in the file's order.
  public var keys: [String] { fields.map(\.key) }
  public var isEmpty: Bool { fields.isEmpty && artwork.isEmpty && foreignItems.isEmpty }
  /// Values of all keys.
  public var count: Int { fields.reduce(0) { $0 + $1.values.count } }

  /// The first value of a key. Setting replaces all of its values; setting `nil` removes them.
  public subscript(key: String) -> String? {
    get { fields.first { $0.key == key }?.values.first }
    set { set(key, to: newValue.map { [$0] } ?? []) }
  }

  /// All values of a key.
  public func values(of key: String) -> [String] { fields.first { $0.key == key }?.values ?? [] }

  /// Replaces all values of a key; none removes it.
  public mutating func set(_ key: String, to values: [String]) {
    foreignItems.removeAll { $0.key == key }
    guard let index = fields.firstIndex(where: { $0.key == key }) else {
      if !values.isEmpty { fields.append(Field(key: key, values: values)) }
      return
    }
    if values.isEmpty {
      fields.remove(at: index)
    } else if fields[index].values != values {
      fields[index] = Field(key: key, values: values)
    }
  }

  /// Adds a value to those that a key has.
  public mutating func append(_ value: String, to key: String) { set(key, to: values(of: key) + [value]) }

  /// Takes over all keys of `changes`: an empty value removes the key. Its pictures, where it has some, replace those
  /// that are here.
  public mutating func merge(_ changes: Tags) {
    for field in changes.fields {
      set(field.key, to: field.values.contains { !$0.isEmpty } ? field.values : [])
    }
    if !changes.artwork.isEmpty { artwork = changes.artwork }
  }
}

/// What only files bring.
extension Tags {
  mutating func add(_ value: String, to key: String, box: [UInt8]) {
    if let index = fields.firstIndex(where: { $0.key == key }) {
      fields[index].original = (fields[index].original ?? MetadataItems.bytes(of: fields[index])) + box
      if !fields[index].values.contains(value) { fields[index].values.append(value) }
    } else {
      fields.append(Field(key: key, values: [value], original: box))
    }
  }

  mutating func add(_ pictures: [Artwork], box: [UInt8]) {
    let original = (artworkOriginal ?? MetadataItems.bytes(of: artwork)) + box
    artwork += pictures
    artworkOriginal = original
  }

  mutating func add(foreign key: String, box: [UInt8]) {
    foreignItems.append(ForeignItem(key: key, bytes: box))
  }

  /// Forgets boxes that would be written alike.
  mutating func forgetOriginals(field: (Field) -> [UInt8], artwork pictures: ([Artwork]) -> [UInt8]) {
    for index in fields.indices where fields[index].original == field(fields[index]) {
      fields[index].original = nil
    }
    if artworkOriginal == pictures(artwork) { artworkOriginal = nil }
  }
}
