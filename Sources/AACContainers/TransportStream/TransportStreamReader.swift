public import AAC

/// Reads the first AAC stream, ADTS or LATM, of an MPEG transport stream (`.ts`, `.m2ts`, HLS segments).
///
/// Times count the access units; where the stream's time stamps jump there is a warning, and empty packets in
/// place of what is missing where they are asked for.
public final class TransportStreamReader: PacketReader {
  /// How the reader treats what it finds.
  public struct Options: Sendable {
    /// Where the time stamps jump ahead by up to `longestGap` seconds, give an empty packet for each missing one.
    public var fillsGaps = false
    /// What jumps further is another recording.
    public var longestGap = 5.0
    public var adts = ADTSReader.Options()
    /// The number of the stream that is read, from 1, through all programs; `nil` for the first with AAC.
    public var track: Int?
    public init() {}
  }

  /// How far the tables are looked for.
  private static let searchLength: Int64 = 8 << 20
  /// How far they are looked for when only the list is not complete.
  private static let listLength: Int64 = 1 << 20

  public var info: StreamInfo {
    var info = inner.info
    info.container = .ts
    info.track = track
    info.tracks = tracks
    return info
  }
  public private(set) var warnings = WarningList()
  public var configurationChanges: Int { inner.configurationChanges }
  /// The framing inside: `adts` or `loas`.
  public var innerContainer: ContainerFormat { inner.info.container }

  private let source: any ByteSource
  private let track: Int
  private let tracks: [TrackInfo]
  private let stream: ElementarySource
  private let inner: any PacketReader
  /// Warnings of the inner reader that have been passed on.
  private var passed = WarningList()
  private let options: Options
  /// Frames that the gaps filled so far have taken.
  private var filledFrames: Int64 = 0
  /// The packet behind a gap, and the packets that stand for the gap and are still to be given.
  private var pending: Packet?
  private var gapCount = 0
  private var lastStart: Int64 = -1

  /// Looks for the tables, and for the first frame of the first AAC stream.
  ///
  /// - Throws: `noTrack` where the stream that is wanted is not there; `notAAC` for streams without AAC, which names what they have; `unsupported` for encrypted
  ///   ones; `needsMoreData` where a `FeedSource` has not enough (make the reader again after feeding).
  public init(_ source: any ByteSource, options: Options = Options()) throws(ContainerError) {
    self.source = source
    self.options = options
    let window = ByteWindow(source)
    let start = try TagBlock.endOfLeadingTags(in: window)
    guard let framer = try TransportFramer(from: start, in: window) else {
      throw ContainerError(.notAAC("data without transport packets"), at: start)
    }
    let (table, framing) = try Self.findStream(framer, options.track, in: window)
    guard let choice = table.choice else { throw table.failure(at: start) }
    let listing = try Self.list(table, framer, in: window)
    track = listing.number(of: choice) ?? 1
    let tracks = listing.tracks(read: choice)
    self.tracks = tracks.count > 1 ? tracks : []
    let stream = ElementarySource(window, framer, table, choice)
    self.stream = stream
    do {
      switch framing {
      case .loas: inner = try LOASReader(stream)
      default: inner = try ADTSReader(stream, options: options.adts)
      }
    } catch {
      throw Self.moved(error, stream)
    }
    stream.lets = true
    if options.track == nil, table.candidateCount > 1 {
      warnings.add(.ignored, "the program has \(table.candidateCount) AAC streams; the first is read")
    }
    passWarnings()
  }

  /// Finds the stream to be read, and how it is framed, whatever its type says.
  private static func findStream(
    _ framer: TransportFramer, _ wanted: Int?, in window: ByteWindow
  ) throws(ContainerError) -> (ProgramTable, ContainerFormat) {
    var table = ProgramTable()
    table.waits = wanted != nil
    let limit = framer.position + searchLength
    try read(&table, framer, to: limit, in: window) { $0.choice != nil || $0.isComplete }
    if let wanted {
      let refusal = table.listing.tracks(read: nil).refusal(of: wanted)
      guard let choice = table.listing[wanted] else { throw refusal }
      let stream = ElementarySource(window, framer, table, choice, limit: limit)
      let found: ContainerFormat?
      do { found = try Probe.framing(of: stream) } catch { throw moved(error, stream) }
      guard let found else { throw refusal }
      table.choose(choice)
      return (table, found)
    }
    if let choice = table.choice {
      let stream = ElementarySource(window, framer, table, choice, limit: limit)
      let found: ContainerFormat?
      do { found = try Probe.framing(of: stream) } catch { throw moved(error, stream) }
      return (table, found ?? (choice.type == 0x11 ? .loas : .adts))
    }
    for candidate in table.privateStreams {
      let stream = ElementarySource(window, framer, table, candidate, limit: limit)
      do {
        guard let found = try Probe.framing(of: stream) else { continue }
        table.choose(candidate)
        return (table, found)
      } catch {
        // Others may be encrypted.
        if error.reason == .needsMoreData { throw error }
      }
    }
    return (table, .adts)
  }

  /// Reads tables until it is enough.
  private static func read(
    _ table: inout ProgramTable, _ framer: TransportFramer, to limit: Int64, in window: ByteWindow,
    isEnough: (ProgramTable) -> Bool
  ) throws(ContainerError) {
    var walk = framer
    var ignored = WarningList()
    while !isEnough(table), walk.position < limit {
      guard let (packet, bytes, _) = try walk.next(in: window, warnings: &ignored) else { break }
      guard table.concerns(packet.pid), !packet.isDamaged, !packet.isScrambled else { continue }
      table.take(packet, bytes)
    }
  }

  /// What there is beside the stream that is read, as far as that can be told without waiting for it.
  private static func list(
    _ table: ProgramTable, _ framer: TransportFramer, in window: ByteWindow
  ) throws(ContainerError) -> StreamListing {
    guard window.source.isSeekable, !table.isComplete else { return table.listing }
    var table = table
    try read(&table, framer, to: framer.position + listLength, in: window, isEnough: \.isComplete)
    return table.listing
  }

  public func nextPacket(into packet: inout Packet) throws(ContainerError) -> Bool {
    if gapCount > 0 { return deliverGap(&packet) }
    if let held = pending {
      packet = held
      pending = nil
      return true
    }
    let start = stream.released
    let isThere: Bool
    do {
      isThere = try inner.nextPacket(into: &packet)
    } catch {
      passWarnings()
      throw Self.moved(error, stream)
    }
    passWarnings()
    guard isThere else { return false }
    packet.presentationTime += filledFrames
    compareTimes(packet, start)
    guard gapCount > 0 else { return true }
    pending = packet
    pending?.presentationTime += Int64(gapCount * packet.duration)
    filledFrames += Int64(gapCount * packet.duration)
    return deliverGap(&packet)
  }

  /// An empty packet in place of one that is missing, right before `pending`.
  private func deliverGap(_ packet: inout Packet) -> Bool {
    packet.data.removeAll(keepingCapacity: true)
    if let pending {
      packet.duration = pending.duration
      packet.presentationTime = pending.presentationTime - Int64(gapCount * pending.duration)
    }
    gapCount -= 1
    return true
  }

  /// `start`: where in the stream's bytes the packet's frame starts.
  private func compareTimes(_ packet: Packet, _ start: Int64) {
    guard start > lastStart, info.timeRate > 0 else { return }
    lastStart = start
    let time = Double(packet.presentationTime) / Double(info.timeRate)
    let duration = Double(packet.duration) / Double(info.timeRate)
    guard let jump = stream.jump(at: start, time: time, tolerance: 0.75 * duration) else { return }
    let milliseconds = Int(max(-1e12, min(1e12, (jump * 1000).rounded())))
    let isFilled = options.fillsGaps && jump > 0 && jump <= options.longestGap && duration > 0
    if isFilled {
      gapCount = Int((jump / duration).rounded())
      stream.settle(by: Double(gapCount) * duration)
    }
    warnings.add(
      isFilled ? .lost : .irregular,
      milliseconds > 0
        ? "the time stamps jump \(milliseconds) ms ahead: sound is missing"
        : "the time stamps jump \(-milliseconds) ms back", at: stream.fileOffset(of: start))
  }

  /// Passes new warnings on, with places in the file.
  private func passWarnings() {
    warnings.take(stream.takeWarnings(), beyond: WarningList()) { $0 }
    let list = inner.warnings
    guard list.count != passed.count else { return }
    warnings.take(list, beyond: passed, place: stream.fileOffset)
    passed = list
  }

  /// The error with its place in the file instead of in the stream.
  private static func moved(_ error: ContainerError, _ stream: ElementarySource) -> ContainerError {
    if error == stream.failure { return error }
    var error = error
    error.byteOffset = error.byteOffset.map(stream.fileOffset)
    return error
  }

  public func survey() throws(ContainerError) -> StreamSurvey? {
    guard source.isSeekable else { return nil }
    return try TransportStreamReader(source, options: options).count()
  }
}
