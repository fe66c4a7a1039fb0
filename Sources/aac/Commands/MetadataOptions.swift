import AACContainers
import AACKit
import AudioFiles

/// Options on tags, covers and chapters that several commands share.
enum MetadataOptions {
  static let tag = CommandOption(
    "--tag", takes: "KEY=VALUE", repeats: true,
    help:
      "a tag for MP4: title, artist, album, date, genre, comment, track, … ; may be repeated, also for one key"
  )
  static let cover = CommandOption(
    "--cover", takes: "FILE", repeats: true,
    help: "a JPEG or PNG picture for MP4, 16 MB at most; may be repeated")
  static let chapters = CommandOption(
    "--chapters", takes: "FILE", help: "chapters for MP4: a line 'HH:MM:SS.mmm Title' for each, in order")

  private static let largestChapterFile = 4 << 20

  /// What `--tag` and `--cover` say. An empty value stands for a tag that is to go.
  static func tags(_ arguments: ParsedArguments) throws -> Tags {
    var tags = Tags()
    for text in arguments.strings(tag) {
      guard let sign = text.firstIndex(of: "="), sign != text.startIndex else {
        throw UsageError.value(tag.name, text, "give KEY=VALUE, as title=Prelude")
      }
      let value = String(text[text.index(after: sign)...])
      try append(value, to: key(String(text[..<sign])), of: &tags, option: tag.name, text)
    }
    tags.artwork = try covers(arguments)
    return tags
  }

  private static func append(
    _ value: String, to key: String, of tags: inout Tags, option: String, _ text: String
  ) throws(UsageError) {
    if !value.isEmpty, let problem = Tags.problem(of: value, for: key) {
      throw .value(option, text, "\(key) is \(problem)")
    }
    tags.append(value, to: key)
  }

  /// Known keys in any case; others as they are.
  static func key(_ name: String) -> String {
    let lower = name.lowercased()
    return Tags.Key.all.first { $0.lowercased() == lower } ?? name
  }

  static func covers(_ arguments: ParsedArguments) throws(AACKitError) -> [Artwork] {
    var covers: [Artwork] = []
    for path in arguments.strings(cover) {
      let data = try bytes(of: path, limit: Artwork.sizeLimit)
      do { covers.append(try Artwork(data)) } catch { throw AACKitError(.container(error), path: path) }
    }
    return covers
  }

  /// All of a small file, or one byte more than the limit.
  static func bytes(of path: String, limit: Int) throws(AACKitError) -> [UInt8] {
    let source = try openByteSource(path)
    do { return try source.read(at: 0, count: min(limit + 1, Int(clamping: source.length ?? .max))) } catch {
      throw AACKitError(.container(error), path: path)
    }
  }

  /// The chapters of the file that `--chapters` names; `nil` where it does not.
  static func chapters(_ arguments: ParsedArguments) throws -> [Chapter]? {
    guard let path = arguments.string(chapters) else { return nil }
    let data = try bytes(of: path, limit: largestChapterFile)
    guard data.count <= largestChapterFile else {
      throw AACKitError(.unsupported("is too large for a list of chapters"), path: path)
    }
    return try ChapterText.parse(String(decoding: data, as: UTF8.self), path: path)
  }

  /// For outputs of several inputs.
  static let sharedChapters = UsageError("several inputs cannot have the same chapters: name one input")

  /// Remarks on chapters that start behind the end of what was written.
  static func check(_ chapters: [Chapter], duration: Double, _ path: String, _ console: Console) {
    let late = chapters.filter { $0.start >= duration }
    guard let first = late.first else { return }
    console.say(
      "aac: \(path): \(late.count) chapters start behind the end and are left out, the first is '\(first.title)'"
    )
  }
}

/// Chapters as text: a line `HH:MM:SS.mmm Title` for each.
enum ChapterText {
  static func parse(_ text: String, path: String) throws(AACKitError) -> [Chapter] {
    var chapters: [Chapter] = []
    let body = text.hasPrefix("\u{FEFF}") ? text.dropFirst() : text[...]
    let lines = body.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      func failure(_ words: String) -> AACKitError {
        AACKitError(.unsupported("line \(index + 1): \(words)"), path: path)
      }
      let line = line.drop { $0 == " " || $0 == "\t" }
      if line.isEmpty || line.hasPrefix("#") { continue }
      let parts = line.split(maxSplits: 1) { $0 == " " || $0 == "\t" }
      guard let start = time(parts[0]) else {
        throw failure("'\(parts[0])' is no time: write HH:MM:SS.mmm Title, as 00:01:30.000 Prelude")
      }
      if let last = chapters.last, start <= last.start {
        throw failure("\(parts[0]) is not behind the chapter before it")
      }
      guard chapters.count < Chapter.countLimit else {
        throw failure("there are more than \(Chapter.countLimit) chapters")
      }
      let title = parts.count > 1 ? String(parts[1].drop { $0 == " " || $0 == "\t" }) : ""
      chapters.append(Chapter(start: start, title: title))
    }
    return chapters
  }

  /// Hours, minutes and seconds, the latter with up to nine decimals.
  private static func time(_ text: Substring) -> Double? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let hours = digits(parts[0], 1...5), let minutes = digits(parts[1], 2...2),
      minutes < 60
    else { return nil }
    let seconds = parts[2].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = digits(seconds[0], 2...2), whole < 60 else { return nil }
    var fraction = 0.0
    if seconds.count > 1 {
      guard let value = digits(seconds[1], 1...9) else { return nil }
      var scale = 1.0
      for _ in seconds[1] { scale *= 10 }
      fraction = Double(value) / scale
    }
    return Double(hours * 3600 + minutes * 60 + whole) + fraction
  }

  private static func digits(_ text: Substring, _ count: ClosedRange<Int>) -> Int? {
    guard count.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return Int(text)
  }

  /// `00:01:30.000`.
  static func time(_ seconds: Double) -> String {
    let ticks = Int64((max(0, min(seconds, 1e9)) * 1000).rounded())
    func pad(_ number: Int64, _ width: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
    return "\(pad(ticks / 3_600_000, 2)):\(pad(ticks / 60_000 % 60, 2)):\(pad(ticks / 1000 % 60, 2))"
      + ".\(pad(ticks % 1000, 3))"
  }
}

extension Tags {
  /// For scripts: a text for each key, a list where it has several.
  var json: JSON {
    .object(
      keys.map { key in
        let values = values(of: key)
        return (key: key, value: values.count == 1 ? .string(values[0]) : .strings(values))
      })
  }

  /// Pictures, described.
  var artworkJSON: JSON {
    .array(
      artwork.map {
        .object([
          (key: "format", value: .string($0.format.rawValue)), (key: "bytes", value: .integer($0.data.count)),
        ])
      })
  }

  /// For people.
  var rows: [(String, String)] {
    items.map { ("tag \($0.key)", $0.value) }
      + artwork.map { ("cover", "\($0.format.rawValue), \($0.data.count) bytes") }
      + foreignItems.map { ("item \($0.key)", "\($0.bytes.count) bytes of another kind") }
  }
}

extension [Chapter] {
  var json: JSON {
    .array(
      map { .object([(key: "start", value: .number($0.start)), (key: "title", value: .string($0.title))]) })
  }

  var rows: [(String, String)] { map { ("chapter", "\(ChapterText.time($0.start)) \($0.title)") } }
}

/// Rows of a label and a value, the values under each other.
enum Rows {
  static func text(_ rows: [(String, String)]) -> String {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { label, value in
      label + String(repeating: " ", count: width - label.count + 2) + value
    }.joined(separator: "\n")
  }
}
