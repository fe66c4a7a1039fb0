/// The samples of a track: those in the tables, then those in fragments.
struct SampleWalk {
  var table: SampleTable?
  var fragments: FragmentWalk?
  /// Samples that lie on top of each other could make a small file as long as it likes.
  let mostBytes: Int64?
  private var byteCount: Int64 = 0

  init(table: SampleTable?, fragments: FragmentWalk?, mostBytes: Int64?) {
    self.table = table
    self.fragments = fragments
    self.mostBytes = mostBytes
  }

  /// A sound that comes again may be stored once, but not always the same one.
  static func mostBytes(in source: any ByteSource) -> Int64? {
    source.length.map { 4 * min($0, 1 << 60) + 1 << 16 }
  }

  mutating func next(in window: ByteWindow) throws(ContainerError) -> Sample? {
    guard let sample = try tabled(in: window) else { return nil }
    byteCount += Int64(sample.size)
    if let mostBytes, byteCount > mostBytes {
      throw ContainerError(
        .malformed("the samples have more bytes than the file, again and again"), at: sample.offset)
    }
    return sample
  }

  /// Passes over samples, which is done in the tables and the fragments' headers alone.
  ///
  /// - Parameter index: of the sample that `next` gives then; those in front of the present one are not reached where
  ///   they are in fragments.
  /// - Returns: the index that was reached, which is lower at the end of the samples.
  mutating func skip(from present: Int64, to index: Int64, in window: ByteWindow) throws(ContainerError)
    -> Int64
  {
    let tabled = Int64(table?.sampleCount ?? 0)
    var reached = present
    if present < tabled {
      reached = min(index, tabled)
      try table?.seek(to: Int(reached))
      byteCount = 0
    }
    while reached < index, try next(in: window) != nil { reached += 1 }
    return reached
  }

  private mutating func tabled(in window: ByteWindow) throws(ContainerError) -> Sample? {
    if let sample = try table?.next() { return sample }
    return try fragments?.next(in: window)
  }
}
