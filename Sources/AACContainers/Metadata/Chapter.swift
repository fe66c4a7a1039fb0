/// A part of the sound with a name. It lasts up to the next chapter or to the end.
public struct Chapter: Sendable, Equatable {
  /// More chapters than these are neither read nor written.
  public static let countLimit = 1 << 14

  /// Seconds from the start of the sound, after trimming.
  public var start: Double
  public var title: String

  public init(start: Double, title: String) {
    self.start = start
    self.title = title
  }

  /// The chapters in order.
  ///
  /// - Throws: `misuse` where a start is negative or no number, or there are too many.
  static func checked(_ chapters: [Chapter]) throws(ContainerError) -> [Chapter] {
    guard chapters.count <= countLimit else {
      throw ContainerError(.misuse("\(chapters.count) chapters; at most \(countLimit) can be written"))
    }
    for chapter in chapters where !(0..<1e9).contains(chapter.start) {
      throw ContainerError(.misuse("the chapter '\(chapter.title)' starts at \(chapter.start) s"))
    }
    return sorted(chapters)
  }

  /// In order of their starts; those of one start stay as they are.
  static func sorted(_ chapters: [Chapter]) -> [Chapter] {
    chapters.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
      .map(\.element)
  }

  /// The title in at most `count` bytes, cut between characters.
  func titleBytes(atMost count: Int) -> [UInt8] {
    guard title.utf8.count > count else { return [UInt8](title.utf8) }
    var bytes: [UInt8] = []
    for character in title {
      guard bytes.count + character.utf8.count <= count else { break }
      bytes += character.utf8
    }
    return bytes
  }
}
