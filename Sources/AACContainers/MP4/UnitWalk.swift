import AAC

/// Walks over access units that lie back to back in a part of a file, by their syntax.
///
/// All have the channels of the first one; that, and a bound on their size, tells them from other bytes.
struct UnitWalk {
  /// What a look at one place found.
  enum Look: Equatable {
    /// An access unit of this many bytes.
    case unit(Int)
    /// The data ends within what could be one.
    case cut
    case none
  }

  /// The elements of an access unit as far as they have to be alike.
  struct Shape: Equatable {
    var elementCount: Int
    var channelCount: Int
    var programConfig: ProgramConfig?
  }

  /// Eight channels of 6144 bits each, and as much again for what may stand beside.
  static let largestUnit = 12288
  private static let blockSize = 1 << 17
  /// Access units in a row that are no accident.
  static let proof = 4

  let end: Int64
  private(set) var shape: Shape?
  private var scanner: AccessUnitScanner
  private var block: [UInt8] = []
  private var blockStart: Int64 = 0

  /// - Throws: `configuration` for object types whose syntax is not known.
  init(_ configuration: AudioSpecificConfig, to end: Int64, shape: Shape? = nil) throws(ContainerError) {
    do { scanner = try AccessUnitScanner(configuration) } catch {
      throw ContainerError(.configuration(error))
    }
    self.end = end
    self.shape = shape
  }

  /// Most bytes of an access unit; once the channels are known, twice what the standard allows them.
  private var unitLimit: Int {
    shape.map { min(Self.largestUnit, 1536 * $0.channelCount + 1024) } ?? Self.largestUnit
  }

  /// Makes `count` bytes at `offset` present, or those that there are.
  private mutating func load(
    _ count: Int, at offset: Int64, _ source: any ByteSource
  ) throws(ContainerError) -> Range<Int> {
    let wanted = Int(min(Int64(count), max(0, end - offset)))
    if offset < blockStart || offset + Int64(wanted) > blockStart + Int64(block.count) {
      let size = Int(min(Int64(Self.blockSize), max(0, end - offset)))
      if block.count != size { block = [UInt8](repeating: 0, count: size) }
      let got = try source.read(at: offset, into: &block, 0..<size, atLeast: size)
      if got < size { block.removeLast(size - got) }
      blockStart = offset
    }
    let start = Int(offset - blockStart)
    return min(start, block.count)..<min(start + wanted, block.count)
  }

  /// Looks at one place. The first access unit's shape is kept.
  mutating func look(at offset: Int64, in source: any ByteSource) throws(ContainerError) -> Look {
    let range = try load(unitLimit, at: offset, source)
    guard !range.isEmpty else { return .cut }
    do {
      try scanner.scan(block, range: range)
    } catch {
      if case .truncated = error.reason, blockStart + Int64(range.upperBound) >= end { return .cut }
      return .none
    }
    let layout = scanner.layout
    let found = Shape(
      elementCount: layout.channelTags.count, channelCount: layout.channelCount,
      programConfig: layout.programConfig ?? shape?.programConfig)
    guard found.channelCount > 0 else { return .none }
    if let shape, shape != found { return .none }
    shape = found
    return .unit(layout.byteCount)
  }

  /// The bytes of the access unit that was just looked at.
  func copy(_ count: Int, at offset: Int64, to data: inout [UInt8]) {
    let start = Int(offset - blockStart)
    data.removeAll(keepingCapacity: true)
    data.append(contentsOf: block[start..<start + count])
  }

  /// Access units in a row from `offset` on, `limit` at most, and their bytes.
  mutating func chain(
    from offset: Int64, atMost limit: Int, in source: any ByteSource
  ) throws(ContainerError) -> (count: Int, bytes: Int64, reachesEnd: Bool) {
    var place = offset
    for count in 0..<limit {
      if place == end { return (count, place - offset, true) }
      switch try look(at: place, in: source) {
      case .unit(let size): place += Int64(size)
      case .cut: return (count, place - offset, true)
      case .none: return (count, place - offset, false)
      }
    }
    return (limit, place - offset, false)
  }

  /// The first place behind `offset` where some access units follow each other, `reach` bytes ahead at most.
  ///
  /// - Parameter enough: so many will do where the data ends behind them.
  mutating func find(
    behind offset: Int64, reach: Int64, enough: Int = 2, in source: any ByteSource
  ) throws(ContainerError) -> Int64? {
    let known = shape
    var place = offset + 1
    let last = min(end, offset + reach)
    while place < last {
      // The whole chain at once, so that going back to the next place reads nothing again.
      let zeros = try zeroCount(5 * Self.largestUnit, at: place, in: source)
      if zeros >= 8 {
        place += Int64(zeros)
        continue
      }
      let run = try chain(from: place, atMost: Self.proof, in: source)
      if run.count == Self.proof || run.count >= enough && run.reachesEnd { return place }
      shape = known
      place += 1
    }
    return nil
  }

  /// Zero bytes among the `count` at `offset`, up to the first other one.
  private mutating func zeroCount(
    _ count: Int, at offset: Int64, in source: any ByteSource
  ) throws(ContainerError) -> Int {
    let range = try load(count, at: offset, source)
    var zeros = 0
    while zeros < range.count, block[range.lowerBound + zeros] == 0 { zeros += 1 }
    return zeros
  }
}
