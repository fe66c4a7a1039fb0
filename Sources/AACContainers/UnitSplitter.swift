import AAC

/// Finds the borders of access units that stand back to back, by reading their syntax.
struct UnitSplitter {
  /// Far more than the largest access unit.
  private static let largestUnit = 1 << 17
  private static let blockSize = 1 << 16

  private var scanner: AccessUnitScanner
  private var block: [UInt8] = []
  private var blockStart: Int64
  private var place = 0
  private var isAtEnd = false

  /// - Throws: `configuration` for object types whose syntax is not known.
  init(_ configuration: AudioSpecificConfig, from offset: Int64) throws(ContainerError) {
    do {
      scanner = try AccessUnitScanner(configuration)
    } catch {
      throw ContainerError(.configuration(error), at: offset)
    }
    blockStart = offset
  }

  /// File offset of the next access unit.
  var offset: Int64 { blockStart + Int64(place) }

  private mutating func refill(_ source: any ByteSource) throws(ContainerError) {
    let kept = block.count - place
    var fresh = [UInt8](repeating: 0, count: kept + Self.blockSize)
    fresh.replaceSubrange(0..<kept, with: block[place...])
    let got = try source.read(
      at: blockStart + Int64(block.count), into: &fresh, kept..<fresh.count, atLeast: 1)
    if got == 0 { isAtEnd = true }
    fresh.removeLast(fresh.count - kept - got)
    blockStart += Int64(place)
    place = 0
    block = fresh
  }

  /// The next access unit; `nil` at the end.
  ///
  /// - Throws: `malformed` where the bytes are no access unit, `truncated` where they end inside of one.
  ///   There is no way to go on behind it.
  mutating func next(
    into data: inout [UInt8], from source: any ByteSource
  ) throws(ContainerError) -> Bool {
    while true {
      if place < block.count {
        do {
          try scanner.scan(block, range: place..<block.count)
          let end = place + scanner.layout.byteCount
          data.removeAll(keepingCapacity: true)
          data.append(contentsOf: block[place..<end])
          place = end
          return true
        } catch {
          guard case .truncated = error.reason, !isAtEnd || block.count - place > Self.largestUnit else {
            throw fault(error)
          }
          if block.count - place > Self.largestUnit { throw fault(error) }
        }
      } else if isAtEnd {
        return false
      }
      try refill(source)
      if isAtEnd, place == block.count { return false }
    }
  }

  private func fault(_ error: AACError) -> ContainerError {
    if case .truncated = error.reason {
      return ContainerError(.truncated("the last access unit"), at: offset)
    }
    return ContainerError(.malformed("there is no access unit: \(error)"), at: offset)
  }

  /// Whether only zero bytes or a tag are left.
  func onlyPaddingIsLeft(in window: ByteWindow) throws(ContainerError) -> Bool {
    if try TagBlock.length(at: offset, in: window) != nil { return true }
    let rest = try window.bytes(4097, at: offset)
    return rest.count <= 4096 && rest.allSatisfy { $0 == 0 }
  }
}
