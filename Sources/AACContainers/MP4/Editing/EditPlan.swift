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
  let head: [UInt8]
  let patches: [FragmentOffsets.Patch]
  /// Tracks of chapters that the new file does not have.
  let removedTracks: Set<UInt32>

  /// Bytes of the new file.
  public var newLength: Int64 { length - (end - start) + Int64(head.count) }

  /// The one write that makes the old file the new one, where there is such: all that differs lies in one sector of a
  /// disk, so that it is written or is not.
  public func singleWrite() throws(ContainerError) -> (offset: Int64, bytes: [UInt8])? {
    guard patches.isEmpty, Int64(head.count) == end - start else { return nil }
    let old = try ByteWindow(source).whole(from: start, to: end)
    // Covers are large, and most of them is the same.
    let blocks = stride(from: 0, to: old.count, by: Int(Self.sectorSize)).filter { place in
      let end = min(place + Int(Self.sectorSize), old.count)
      return old[place..<end] != head[place..<end]
    }
    guard let low = blocks.first, let high = blocks.last, blocks.count <= 2 else { return nil }
    let range = low..<min(high + Int(Self.sectorSize), old.count)
    guard let first = range.first(where: { old[$0] != head[$0] }),
      let last = range.last(where: { old[$0] != head[$0] })
    else { return nil }
    let (from, to) = (start + Int64(first), start + Int64(last))
    guard from / Self.sectorSize == to / Self.sectorSize else { return nil }
    return (from, [UInt8](head[first...last]))
  }

  /// Writes the new file.
  ///
  /// - Parameter goesOn: asked between blocks; where it says no, the rest is not written.
  /// - Returns: whether all was written.
  public func write(
    to sink: any ByteSink, goesOn: () -> Bool = { true }
  ) throws(ContainerError) -> Bool {
    guard try copy(0..<start, to: sink, goesOn) else { return false }
    var place = 0
    while place < head.count {
      guard goesOn() else { return false }
      let next = min(place + Self.block, head.count)
      try sink.append([UInt8](head[place..<next]))
      place = next
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
      let head = plan.head[Int(from - plan.start)..<Int(to - plan.start)]
      let place = range.lowerBound + Int(from - offset)
      buffer.replaceSubrange(place..<place + head.count, with: head)
    }
    return got
  }
}
