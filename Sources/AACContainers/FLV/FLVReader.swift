public import AAC

/// Reads the AAC stream of a Flash video (`.flv`), or of a recorded live stream.
///
/// Times count the access units; where the tags' own times jump there is a warning.
public final class FLVReader: PacketReader {
  /// How far the configuration is looked for.
  private static let searchLength: Int64 = 8 << 20
  /// Bytes of an access unit; more are no sound.
  private static let largestUnit = 1 << 16

  public private(set) var info: StreamInfo
  public private(set) var warnings = WarningList()
  public private(set) var configurationChanges = 0

  private let source: any ByteSource
  private let window: ByteWindow
  private var walk: FLVWalk
  private var time: Int64 = 0
  private var packetCount: Int64 = 0
  /// Milliseconds that the tags' times are ahead of the count.
  private var lead: Int64?
  private var isFinished = false

  /// Looks for the configuration.
  ///
  /// - Throws: `notAAC` for Flash video without AAC, which names what it has; `unsupported` for encrypted sound;
  ///   `needsMoreData` where a `FeedSource` has not enough (make the reader again after feeding).
  public init(_ source: any ByteSource) throws(ContainerError) {
    self.source = source
    let window = ByteWindow(source)
    self.window = window
    let start = try TagBlock.endOfLeadingTags(in: window)
    walk = try FLVWalk(from: start, in: window)
    var found = "no sound"
    var warnings = WarningList()
    while walk.position < start + Self.searchLength, let tag = try walk.next(in: window, warnings: &warnings)
    {
      guard tag.kind == .audio else { continue }
      if tag.isEncrypted { throw ContainerError(.unsupported("encrypted sound"), at: tag.start) }
      guard let (content, place) = try tag.content(in: window) else { continue }
      switch content {
      case .other(let format): found = FLVTag.name(ofFormat: format)
      case .accessUnit: found = "AAC without a configuration"
      // Writers that do not know it yet leave an empty one.
      case .configuration where tag.size == 2: found = "AAC without a configuration"
      case .configuration:
        let (configuration, bytes) = try Self.configuration(of: tag, at: place, in: window)
        info = StreamInfo(container: .flv, configuration: configuration)
        info.configurationBytes = bytes
        self.warnings = warnings
        return
      }
    }
    throw ContainerError(.notAAC("a Flash video (FLV) with \(found)"), at: start)
  }

  private static func configuration(
    of tag: FLVTag, at place: Int64, in window: ByteWindow
  ) throws(ContainerError) -> (AudioSpecificConfig, [UInt8]) {
    let bytes = try window.bytes(min(Int(tag.body - place) + tag.size, 1024), at: place)
    do { return (try AudioSpecificConfig(parsing: bytes), bytes) } catch {
      throw ContainerError(.configuration(error), at: place)
    }
  }

  public func nextPacket(into packet: inout Packet) throws(ContainerError) -> Bool {
    while !isFinished {
      let before = walk
      do {
        guard let tag = try walk.next(in: window, warnings: &warnings) else { break }
        let isPacket = try take(tag, into: &packet)
        source.release(before: walk.position)
        if isPacket { return true }
      } catch {
        // What is missing may come: the tag is looked at again then.
        if error.reason == .needsMoreData { walk = before }
        throw error
      }
    }
    isFinished = true
    info.packetCount = packetCount
    info.validFrames = time
    return false
  }

  /// Whether the tag is a packet.
  private func take(_ tag: FLVTag, into packet: inout Packet) throws(ContainerError) -> Bool {
    guard tag.kind == .audio, let (content, place) = try tag.content(in: window) else { return false }
    if tag.isEncrypted { throw ContainerError(.unsupported("encrypted sound"), at: tag.start) }
    switch content {
    case .other(let format):
      warnings.add(.ignored, "\(FLVTag.name(ofFormat: format)) is left out", at: tag.start)
      return false
    case .configuration where tag.size == 2: return false
    case .configuration:
      try change(to: Self.configuration(of: tag, at: place, in: window), at: tag.start)
      return false
    case .accessUnit:
      let size = tag.size - 2
      // An empty unit ends the stream in some files.
      guard size > 0 else { return false }
      packet.data.removeAll(keepingCapacity: true)
      if size > Self.largestUnit {
        warnings.add(.lost, "\(size) bytes are too many for an access unit", at: tag.start)
      } else {
        try window.append(size, at: place, to: &packet.data)
      }
      deliver(&packet, tag)
      return true
    }
  }

  private func change(
    to found: (configuration: AudioSpecificConfig, bytes: [UInt8]), at offset: Int64
  ) {
    guard found.bytes != info.configurationBytes else { return }
    info.configuration = found.configuration
    info.configurationBytes = found.bytes
    let other = StreamInfo(container: .flv, configuration: found.configuration)
    info.timeRate = other.timeRate
    info.packetDuration = other.packetDuration
    configurationChanges += 1
    warnings.add(.configurationChange, "the configuration changes", at: offset)
  }

  private func deliver(_ packet: inout Packet, _ tag: FLVTag) {
    packet.presentationTime = time
    packet.duration = info.packetDuration
    packet.priming = 0
    packet.padding = 0
    let milliseconds = time * 1000 / Int64(max(1, info.timeRate))
    // Times are rounded, and by some writers to whole packets.
    let tolerance = Int64(2 * packet.duration * 1000 / max(1, info.timeRate))
    let jump = tag.time - milliseconds - (lead ?? tag.time - milliseconds)
    if abs(jump) > tolerance {
      warnings.add(
        .irregular,
        jump > 0 ? "the times jump \(jump) ms ahead: sound is missing" : "the times jump \(-jump) ms back",
        at: tag.start)
    }
    if lead == nil || abs(jump) > tolerance { lead = tag.time - milliseconds }
    time += Int64(info.packetDuration)
    packetCount += 1
  }

  public func survey() throws(ContainerError) -> StreamSurvey? {
    guard source.isSeekable else { return nil }
    return try FLVReader(source).count()
  }
}
