import AAC
import AACContainers
import PCM

/// What is known of the parts before they are joined: that they fit together, and what they say besides.
struct JoinPlan {
  let first: StreamInfo
  /// What all parts say; the covers of the first.
  var tags: Tags
  private(set) var chapters: [Chapter] = []
  /// Frames of all parts; `nil` where nobody has counted them.
  private(set) var frameCount: Int64? = 0

  /// - Parameter countsFrames: for chapters, parts whose length no table tells are read to the end.
  init(_ paths: [String], countsFrames: Bool, _ options: JoinOptions) throws(AACKitError) {
    guard let path = paths.first else { throw AACKitError(.unsupported("there is nothing to join")) }
    first = try Self.open(path).info
    tags = first.tags
    for path in paths {
      let reader = try Self.open(path)
      let info = reader.info
      if let difference = Self.difference(info, first) {
        throw AACKitError(
          .unsupported(
            "\(difference): packets of different kinds cannot be joined, encode the files to one kind first"),
          path: path)
      }
      tags.keepCommon(with: info.tags)
      let start = frameCount.map { Double($0) / Double(max(1, first.timeRate)) }
      if let start, countsFrames {
        let title = info.tags[Tags.Key.title] ?? Self.name(path)
        let own = options.chaptersFromParts ? [Chapter(start: 0, title: title)] : info.chapters
        chapters += own.map { Chapter(start: start + $0.start, title: $0.title) }
      }
      let frames = try Self.frames(of: reader, counts: countsFrames, path)
      frameCount = frameCount.flatMap { sum in frames.map { sum + $0 } }
    }
  }

  private static func open(_ path: String) throws(AACKitError) -> any PacketReader {
    try openPackets(try openByteSource(path), path: path)
  }

  private static func frames(
    of reader: any PacketReader, counts: Bool, _ path: String
  ) throws(AACKitError) -> Int64? {
    if let frames = reader.info.validFrames { return frames }
    guard counts else { return nil }
    do { return try reader.survey()?.validFrames } catch {
      throw AACKitError(.container(error), path: path)
    }
  }

  /// In what a part is coded otherwise than the first.
  private static func difference(_ info: StreamInfo, _ first: StreamInfo) -> String? {
    let (own, other) = (info.configuration, first.configuration)
    func words(_ what: String, _ own: String, _ other: String) -> String? {
      own == other ? nil : "\(what) \(own), in the first file \(other)"
    }
    func replication(_ configuration: AudioSpecificConfig) -> String {
      "\(configuration.sbrPresent == true ? "on" : "off")/\(configuration.psPresent == true ? "on" : "off")"
    }
    return words("has the object type", own.objectType.name, other.objectType.name)
      ?? words("has the rate", "\(own.samplingRate.hertz) Hz", "\(other.samplingRate.hertz) Hz")
      ?? words("has the channels", own.elements.layout.name, other.elements.layout.name)
      ?? words("announces SBR/PS", replication(own), replication(other))
      ?? words(
        "has packets of", "\(info.packetDuration) frames at \(info.timeRate) Hz",
        "\(first.packetDuration) frames at \(first.timeRate) Hz")
  }

  /// The name of a file without folders and extension.
  private static func name(_ path: String) -> String {
    let last = path.split(separator: "/").last.map(String.init) ?? path
    guard let dot = last.lastIndex(of: "."), dot != last.startIndex else { return last }
    return String(last[..<dot])
  }
}

extension Tags {
  /// Removes what another file does not say in the same way.
  mutating func keepCommon(with other: Tags) {
    for key in keys where values(of: key) != other.values(of: key) { set(key, to: []) }
    for item in foreignItems where !other.foreignItems.contains(item) { set(item.key, to: []) }
  }
}
