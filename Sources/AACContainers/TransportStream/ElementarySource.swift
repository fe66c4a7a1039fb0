/// The bytes of one stream inside of a transport stream, taken out as they are asked for.
///
/// Holds what has been taken out and not yet released, `lookAheadLimit` bytes at most.
final class ElementarySource: ByteSource {
  private static let lookAheadLimit = 8 << 20
  private static let largestAnchorCount = 1 << 16

  private(set) var length: Int64?
  var isSeekable: Bool { false }

  private let window: ByteWindow
  private var framer: TransportFramer
  private var table: ProgramTable
  private(set) var choice: ProgramTable.Choice
  private var parser = PESParser()
  private var pipe = PipeBuffer()
  private var timeline = Timeline()
  private var chunk: [UInt8] = []
  private var continuity: Int?
  private var lastPayload: [UInt8] = []
  /// Where in the file a place of the stream is.
  private var anchors: [(offset: Int64, file: Int64)] = []
  /// What was remarked, until the reader takes it.
  private(set) var warnings: WarningList
  /// The file's bytes may be let go: the inner reader is open and will not start again.
  var lets = false
  /// The last error of the transport layer: its place is one in the file already.
  private(set) var failure: ContainerError?
  /// Up to where the stream's bytes are used up.
  private(set) var released: Int64 = 0

  /// Place in the file at which the stream is taken as ended.
  private let limit: Int64

  init(
    _ window: ByteWindow, _ framer: TransportFramer, _ table: ProgramTable, _ choice: ProgramTable.Choice,
    limit: Int64 = .max
  ) {
    self.limit = limit
    self.window = window
    self.framer = framer
    self.table = table
    self.choice = choice
    warnings = WarningList()
  }

  func read(
    at offset: Int64, into buffer: inout [UInt8], _ range: Range<Int>, atLeast minimum: Int
  ) throws(ContainerError) -> Int {
    let wanted = offset + Int64(min(minimum, range.count))
    while pipe.end < wanted, length == nil {
      guard pipe.count < Self.lookAheadLimit else {
        let error = ContainerError(
          .needsSeeking("no AAC frame is found in \(Self.lookAheadLimit) bytes of the stream"),
          at: fileOffset(of: offset))
        failure = error
        throw error
      }
      do { try pump() } catch {
        failure = error
        throw error
      }
    }
    return try pipe.copy(from: offset, into: &buffer, range)
  }

  func release(before offset: Int64) {
    guard lets else { return }
    released = max(released, offset)
    pipe.release(before: offset)
    window.source.release(before: framer.position)
  }

  /// Takes in the next transport packet.
  private func pump() throws(ContainerError) {
    guard framer.position < limit,
      let (packet, bytes, start) = try framer.next(in: window, warnings: &warnings)
    else {
      length = pipe.end
      return
    }
    if table.concerns(packet.pid), !packet.isDamaged, !packet.isScrambled {
      table.take(packet, bytes)
      if let other = table.choice, other.pid != choice.pid { move(to: other, start) }
    }
    guard packet.pid == choice.pid else { return }
    if packet.isDamaged {
      warnings.add(.lost, "a transport packet is marked as damaged", at: start)
      return
    }
    guard packet.hasPayload, try isNew(packet, bytes, start) else { return }
    try take(packet, bytes, start)
  }

  private func move(to other: ProgramTable.Choice, _ start: Int64) {
    warnings.add(
      .irregular, "the AAC stream moves from PID \(choice.pid) to PID \(other.pid)", at: start)
    choice = other
    continuity = nil
    parser = PESParser()
  }

  /// Compares the counter with the one before: packets are missing, or this one came twice.
  private func isNew(
    _ packet: TransportPacket, _ bytes: [UInt8], _ start: Int64
  ) throws(ContainerError) -> Bool {
    if packet.isScrambled { throw encrypted(start) }
    defer {
      continuity = packet.continuity
      lastPayload.removeAll(keepingCapacity: true)
      lastPayload.append(contentsOf: bytes[packet.payload])
    }
    guard let continuity, !packet.isDiscontinuous else { return true }
    if packet.continuity == continuity, lastPayload.elementsEqual(bytes[packet.payload]) { return false }
    let missing = (packet.continuity - continuity - 1) & 15
    if missing > 0 {
      warnings.add(.lost, "\(missing) or more transport packets are missing", at: start)
    }
    return true
  }

  private func take(
    _ packet: TransportPacket, _ bytes: [UInt8], _ start: Int64
  ) throws(ContainerError) {
    let part = parser.take(bytes, packet.payload, startsUnit: packet.startsUnit)
    if let trouble = part.trouble { warnings.add(.irregular, trouble, at: start) }
    if part.isScrambled { throw encrypted(start) }
    if let timestamp = part.timestamp { timeline.add(timestamp: timestamp, at: pipe.end) }
    guard !part.content.isEmpty else { return }
    if anchors.count == Self.largestAnchorCount { anchors.removeFirst(Self.largestAnchorCount / 2) }
    anchors.append((pipe.end, start))
    chunk.removeAll(keepingCapacity: true)
    chunk.append(contentsOf: bytes[part.content])
    pipe.append(chunk)
  }

  private func encrypted(_ offset: Int64) -> ContainerError {
    length = pipe.end
    return ContainerError(.unsupported("an encrypted (scrambled) MPEG transport stream"), at: offset)
  }

  /// The place in the file of a place in the stream: that of its transport packet.
  func fileOffset(of offset: Int64) -> Int64 {
    var low = 0
    var high = anchors.count
    while low < high {
      let middle = (low + high) / 2
      if anchors[middle].offset <= offset { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? anchors[low - 1].file : anchors.first?.file ?? 0
  }

  func takeWarnings() -> WarningList {
    defer { warnings = WarningList() }
    return warnings
  }

  /// As `Timeline.jump`.
  func jump(at offset: Int64, time: Double, tolerance: Double) -> Double? {
    timeline.jump(at: offset, time: time, tolerance: tolerance)
  }

  /// As `Timeline.settle`.
  func settle(by seconds: Double) { timeline.settle(by: seconds) }
}
