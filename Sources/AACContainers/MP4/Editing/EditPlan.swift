/// What a new file is made of: parts of the old one, and what is written anew.
public struct EditPlan {
  private static let block = 1 << 18
  /// What a disk writes as a whole, or not at all.
  static let sectorSize: Int64 = 512

  let source: any ByteSource
  let length: Int64
  /// The part of the old file that `head` replaces.
  let start: Int64
  let end: Int64
  let head: EditParts
  let patches: [FragmentOffsets.Patch]
  /// Tracks of chapters that the new file does not have.
  let removedTracks: Set<UInt32>

  /// Bytes of the new file.
  public var newLength: Int64 { length - (end - start) + head.count }

  /// The one write that makes the old file the new one, where there is such: all that differs lies in one sector of a
  /// disk, so that it is written or is not.
  public func singleWrite() throws(ContainerError) -> (offset: Int64, bytes: [UInt8])? {
    guard patches.isEmpty, head.count == end - start else { return nil }
    var first: Int64?
    var last: Int64 = 0
    var place: Int64 = 0
    while place < head.count {
      let next = min(place + Int64(Self.block), head.count)
      let new = try head.bytes(place..<next, of: source)
      let old = try source.read(at: start + place, count: new.count)
      guard old.count == new.count else { throw ContainerError(.truncated("the file"), at: start + place) }
      if let from = old.indices.first(where: { old[$0] != new[$0] }),
        let to = old.indices.last(where: { old[$0] != new[$0] })
      {
        first = first ?? start + place + Int64(from)
        last = start + place + Int64(to)
        if (first ?? last) / Self.sectorSize != last / Self.sectorSize { return nil }
      }
      place = next
    }
    guard let first else { return nil }
    return (first, try head.bytes(first - start..<last - start + 1, of: source))
  }

  /// Writes the new file.
  ///
  /// - Parameter goesOn: asked between blocks; where it says no, the rest is not written.
  /// - Returns: whether all was written.
  public func write(
    to sink: any ByteSink, goesOn: () -> Bool = { true }
  ) throws(ContainerError) -> Bool {
    guard try copy(0..<start, to: sink, goesOn) else { return false }
    for part in head.parts {
      guard goesOn() else { return false }
      switch part {
      case .new(let bytes): try sink.append(bytes)
      case .old(let range): guard try copy(range, to: sink, goesOn) else { return false }
      }
    }
    var position = end
    for patch in patches where patch.offset >= position {
      guard try copy(position..<patch.offset, to: sink, goesOn) else { return false }
      try sink.append(patch.bytes)
      position = patch.offset + Int64(patch.bytes.count)
    }
    guard try copy(position..<max(position, length), to: sink, goesOn) else { return false }
    try sink.flush()
    return true
  }

  private func copy(
    _ range: Range<Int64>, to sink: any ByteSink, _ goesOn: () -> Bool
  ) throws(ContainerError) -> Bool {
    var position = range.lowerBound
    while position < range.upperBound {
      guard goesOn() else { return false }
      let bytes = try source.read(
        at: position, count: Int(min(Int64(Self.block), range.upperBound - position)))
      guard !bytes.isEmpty else {
        throw ContainerError(.truncated("the file"), at: position)
      }
      try sink.append(bytes)
      position += Int64(bytes.count)
    }
    return true
  }

  /// The new file as it will be in place of the old one, for looking at it before it is written.
  func preview() -> any ByteSource { PreviewSource(self) }

  /// Compares what was written with the old file: every access unit with its times, and every sample of the other
  /// tracks.
  ///
  /// - Parameter new: what `write` made; `nil`: what `singleWrite` would make.
  /// - Throws: `unsupported` where anything differs: the new file must not be used.
  public func verify(_ new: (any ByteSource)? = nil, goesOn: () -> Bool = { true }) throws(ContainerError) {
    try SampleComparison(source, new ?? preview(), without: removedTracks).run(goesOn)
  }
}

/// The old file with its head replaced by one of the same length.
private final class PreviewSource: ByteSource {
  private let plan: EditPlan
  let isSeekable = true
  var length: Int64? { plan.length }

  init(_ plan: EditPlan) { self.plan = plan }

  func read(
    at offset: Int64, into buffer: inout [UInt8], _ range: Range<Int>, atLeast minimum: Int
  ) throws(ContainerError) -> Int {
    let got = try plan.source.read(at: offset, into: &buffer, range, atLeast: minimum)
    let from = max(offset, plan.start)
    let to = min(offset + Int64(got), plan.end)
    if from < to {
      let head = try plan.head.bytes(from - plan.start..<to - plan.start, of: plan.source)
      let place = range.lowerBound + Int(from - offset)
      buffer.replaceSubrange(place..<place + head.count, with: head)
    }
    return got
  }
}
