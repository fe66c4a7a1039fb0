/// `sidx` (ISO/IEC 14496-12, 8.16.3): how long and how large the parts of a fragmented file are, one after the other.
struct SegmentIndex: Equatable {
  /// A part of the file: one fragment or several, or another index.
  struct Reference: Equatable {
    /// Bytes, 31 bits.
    var size: UInt32
    /// In the index's time scale.
    var duration: UInt32
    var isIndex = false
  }

  var trackID: UInt32  // reference_ID
  var timescale: UInt32
  /// When the first part's sound is heard: what an edit list leaves out does not count.
  var earliestTime: UInt64  // earliest_presentation_time
  /// Bytes between the end of this box and the first part.
  var firstOffset: UInt64
  var references: [Reference]

  static let mostReferences = Int(UInt16.max)
  static let largestSize = UInt32(Int32.max)

  static func byteCount(_ referenceCount: Int) -> Int { 40 + 12 * referenceCount }

  func write(to bytes: inout ByteBuilder) {
    bytes.fullBox("sidx", version: 1) {
      $0.uint32(Int64(trackID))
      $0.uint32(Int64(timescale))
      $0.put(earliestTime, 8)
      $0.put(firstOffset, 8)
      $0.uint16(0)
      $0.uint16(references.count)
      for reference in references {
        $0.uint32((reference.isIndex ? 1 << 31 : 0) | Int64(reference.size))
        $0.uint32(Int64(reference.duration))
        // It starts with a place to begin decoding, which is its first sample (SAP type 1); an index does not tell.
        $0.uint32(reference.isIndex ? 0 : 0x9000_0000)
      }
    }
  }

  init(
    trackID: UInt32, timescale: UInt32, earliestTime: UInt64, firstOffset: UInt64, references: [Reference]
  ) {
    self.trackID = trackID
    self.timescale = timescale
    self.earliestTime = earliestTime
    self.firstOffset = firstOffset
    self.references = references
  }

  init(_ box: Box, in window: ByteWindow) throws(ContainerError) {
    var parser = try window.parser(of: box, limit: 32 + 12 * Self.mostReferences)
    let version = try parser.uint8()
    try parser.skip(3)
    trackID = try parser.uint32()
    timescale = try parser.uint32()
    let width = version == 0 ? 4 : 8
    earliestTime = try parser.unsigned(width)
    firstOffset = try parser.unsigned(width)
    try parser.skip(2)
    let count = try parser.uint16()
    guard count * 12 <= parser.remaining else {
      throw ContainerError(
        .malformed("the box sidx claims \(count) parts in \(parser.remaining) bytes"), at: box.start)
    }
    references = []
    references.reserveCapacity(count)
    for _ in 0..<count {
      let size = try parser.uint32()
      let duration = try parser.uint32()
      try parser.skip(4)  // SAP
      references.append(
        Reference(size: size & Self.largestSize, duration: duration, isIndex: size > Self.largestSize))
    }
  }
}
