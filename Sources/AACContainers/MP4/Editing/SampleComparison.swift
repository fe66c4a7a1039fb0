import AAC

/// Whether two files hold the same sound: all access units, their times and what is trimmed, and the samples of all
/// other tracks.
struct SampleComparison {
  private static let block = 1 << 16

  private let old: any ByteSource
  private let new: any ByteSource
  private let removed: Set<UInt32>

  init(_ old: any ByteSource, _ new: any ByteSource, without removed: Set<UInt32>) {
    self.old = old
    self.new = new
    self.removed = removed
  }

  func run(_ goesOn: () -> Bool) throws(ContainerError) {
    try comparePackets(goesOn)
    let (first, second) = (try MP4Opening(ByteWindow(old)), try MP4Opening(ByteWindow(new)))
    guard first.track.id == second.track.id else { throw difference("another track would be read") }
    for track in first.movie.tracks where track.id != first.track.id && !removed.contains(track.id) {
      guard let other = second.movie.tracks.first(where: { $0.id == track.id }) else {
        throw difference("the track \(track.id) would be lost")
      }
      var walks = [
        try walk(track, first, old), try walk(other, second, new),
      ]
      try compare(&walks, track.id, goesOn)
    }
  }

  private func difference(_ text: String) -> ContainerError {
    ContainerError(.unsupported("editing this file (\(text))"), advice: .remuxFirst)
  }

  private func comparePackets(_ goesOn: () -> Bool) throws(ContainerError) {
    let (first, second) = (try MP4Reader(old), try MP4Reader(new))
    var (one, other) = (
      Packet(data: [], presentationTime: 0, duration: 0), Packet(data: [], presentationTime: 0, duration: 0)
    )
    var count = 0
    while goesOn() {
      // A file that has a fault had it before.
      let was = Result { () throws(ContainerError) in try first.nextPacket(into: &one) }
      let comes = Result { () throws(ContainerError) in try second.nextPacket(into: &other) }
      switch (was, comes) {
      case (.success(false), .success(false)): return
      case (.success(true), .success(true)) where one == other: count += 1
      case (.failure, .failure): return
      default: throw difference("the access unit \(count + 1) would not be the same")
      }
    }
  }

  /// A walk over a track's samples.
  private struct Walk {
    var samples: SampleWalk
    let window: ByteWindow
  }

  private func walk(
    _ track: Track, _ opened: MP4Opening, _ source: any ByteSource
  ) throws(ContainerError) -> Walk {
    var table: SampleTable?
    if let parent = track.tableBox {
      table = try? SampleTable(track.tables, source: source, parent: parent)
      table?.sampleLimit = 1 << 30
    }
    var fragments: FragmentWalk?
    if opened.movie.isFragmented {
      fragments = FragmentWalk(from: opened.moov.end, trackID: track.id, defaults: opened.movie.defaults)
    }
    let samples = SampleWalk(table: table, fragments: fragments, mostBytes: SampleWalk.mostBytes(in: source))
    return Walk(samples: samples, window: ByteWindow(source))
  }

  private func compare(_ walks: inout [Walk], _ id: UInt32, _ goesOn: () -> Bool) throws(ContainerError) {
    var count = 0
    while goesOn() {
      let was = Result { () throws(ContainerError) in try walks[0].samples.next(in: walks[0].window) }
      let comes = Result { () throws(ContainerError) in try walks[1].samples.next(in: walks[1].window) }
      switch (was, comes) {
      case (.success(nil), .success(nil)), (.failure, .failure): return
      case (.success(let one?), .success(let other?)):
        count += 1
        guard one.size == other.size, one.duration == other.duration,
          try isSame(one, other, walks[0].window, walks[1].window)
        else { throw difference("the sample \(count) of the track \(id) would not be the same") }
      default: throw difference("the track \(id) would not be the same")
      }
    }
  }

  private func isSame(
    _ one: Sample, _ other: Sample, _ first: ByteWindow, _ second: ByteWindow
  ) throws(ContainerError) -> Bool {
    var done = 0
    while done < one.size {
      let count = min(Self.block, one.size - done)
      let bytes = try first.bytes(count, at: one.offset + Int64(done))
      guard try second.bytes(count, at: other.offset + Int64(done)) == bytes else { return false }
      // The file ends inside of the sample.
      guard bytes.count == count else { return true }
      done += count
    }
    return true
  }
}
