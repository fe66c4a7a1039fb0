/// What a file says about its content: `title`, `artist`, … in the file's order.
///
/// Known keys have short lower-case names (see `Key`); others are named `mean:name` as in the file.
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

  public private(set) var items: [Item] = []

  public init() {}

  public init(_ items: [(String, String)]) {
    for (key, value) in items { self[key] = value }
  }

  public var isEmpty: Bool { items.isEmpty }
  public var count: Int { items.count }

  /// The first value of a key. Setting replaces; setting `nil` removes.
  public subscript(key: String) -> String? {
    get { items.first { $0.key == key }?.value }
    set {
      let index = items.firstIndex { $0.key == key }
      switch (index, newValue) {
      case (let index?, let value?): items[index].value = value
      case (let index?, nil): items.remove(at: index)
      case (nil, let value?): items.append(Item(key: key, value: value))
      case (nil, nil): break
      }
    }
  }

  /// Keys that every container with tags can hold.
  public enum Key {
    public static let title = "title"
    public static let artist = "artist"
    public static let album = "album"
    public static let albumArtist = "albumArtist"
    public static let composer = "composer"
    public static let date = "date"
    public static let genre = "genre"
    public static let comment = "comment"
    public static let track = "track"  // "3" or "3/12"
    public static let disc = "disc"  // "1" or "1/2"
    public static let copyright = "copyright"
    public static let grouping = "grouping"
    public static let lyrics = "lyrics"
    public static let description = "description"
    public static let encoder = "encoder"
    public static let beatsPerMinute = "bpm"
    public static let compilation = "compilation"  // "1"
  }
}
