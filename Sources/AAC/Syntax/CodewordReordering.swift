/// `reordered_spectral_data()`: the codewords of spectral_data in another order (HCR, 4.6.16.3).
///
/// The codewords are sorted by the priority of their codebooks, then by line, units of four lines of all
/// windows taken in turn. The data is cut into segments as wide as the first codewords can be; these stand at
/// the segments' left ends. What is left of the segments takes the other codewords, as many at a time as
/// there are segments: codeword i starts in segment i and goes on in the following ones while bits are
/// missing, from the right end of what is free in the first turn, from the left in the second, and so on.
///
/// Holds the sorted codewords and the segments, so that their storage is used again.
struct CodewordReordering: Sendable {
  struct Codeword: Sendable, Equatable {
    /// Place of its first line in the stream's `spectrum`.
    var line: Int16
    /// 1…11, or 16…31 for a virtual one.
    var codebook: UInt8
    var isComplete = false
    /// Bits found so far, left-aligned.
    var window: UInt64 = 0
    var count = 0
  }

  /// The free bits of a segment, counted from the start of the data.
  struct Segment: Sendable, Equatable {
    var start: Int
    var end: Int
  }

  /// The two lengths that stand before the data.
  struct Lengths: Equatable, Sendable {
    var data = 0  // length_of_reordered_spectral_data
    var longestCodeword = 0  // length_of_longest_codeword
  }

  private(set) var codewords: [Codeword] = []
  private(set) var segments: [Segment] = []

  static let largestDataLength = 12288
  static let largestCodewordLength = 49

  /// Codebooks that take turns together, the first ones first. A codebook above 15 is a virtual one.
  private static let turns: [ClosedRange<UInt8>] =
    [11...11] + (16...31).reversed().map { $0...$0 } + [9...10, 7...8, 5...6, 3...4, 1...2]

  /// Bits of a codebook's longest codeword, with signs and escapes.  // maxCwLen
  private static let longestCodewords: [Int] = [
    0, 11, 9, 20, 16, 13, 11, 14, 12, 17, 14, 49, 0, 0, 0, 0, 14, 17, 21, 21, 25, 25, 29, 29, 29, 29, 33,
    33, 33, 37, 37, 41,
  ]

  static func segmentWidth(_ codebook: UInt8, _ lengths: Lengths) -> Int {
    min(longestCodewords[Int(codebook)], lengths.longestCodeword)
  }

  /// Lists the codewords of `stream` in their sorted order.
  mutating func sort(_ stream: ChannelStream, bands: ScaleFactorBands) {
    codewords.removeAll(keepingCapacity: true)
    let info = stream.info
    let offsets = bands.offsets(short: info.isShort)
    let windowLength = bands.frameLength / info.windowCount
    var used: UInt32 = 0
    for index in 0..<stream.bandCount {
      used |= 1 << UInt32(max(stream.codebooks[index], stream.virtualCodebooks[index]))
    }
    for turn in Self.turns {
      guard used >> UInt32(turn.lowerBound) & 1 != 0 || used >> UInt32(turn.upperBound) & 1 != 0 else {
        continue
      }
      for band in 0..<info.maxBand {
        let width = offsets[band + 1] - offsets[band]
        for unit in stride(from: 0, to: width, by: 4) {
          var firstWindow = 0
          for group in 0..<info.groupCount {
            let index = group * info.maxBand + band
            let windows = info.groupLengths[group]
            let codebook = max(stream.codebooks[index], stream.virtualCodebooks[index])
            if turn.contains(codebook) {
              let start = firstWindow * windowLength + windows * offsets[band] + unit
              for window in 0..<windows { add(line: start + window * width, codebook) }
            }
            firstWindow += windows
          }
        }
      }
    }
  }

  private mutating func add(line: Int, _ codebook: UInt8) {
    let line = Int16(truncatingIfNeeded: line)
    codewords.append(Codeword(line: line, codebook: codebook))
    if codebook > 4 { codewords.append(Codeword(line: line + 2, codebook: codebook)) }
  }

  /// Cuts `lengths.data` bits into segments for as many of the first codewords as there is room for.
  mutating func cut(_ lengths: Lengths) {
    segments.removeAll(keepingCapacity: true)
    var start = 0
    for codeword in codewords {
      let end = start + Self.segmentWidth(codeword.codebook, lengths)
      guard end <= lengths.data else { break }
      segments.append(Segment(start: start, end: end))
      start = end
    }
    if !segments.isEmpty { segments[segments.count - 1].end = lengths.data }
  }

  /// Calls `body` with codeword and segment in the order in which the codewords behind the first ones take
  /// bits, until it returns `true` for all codewords of a turn.
  @inline(__always)
  mutating func forEachTurn(
    _ body: (_ codeword: inout Codeword, _ segment: inout Segment, _ fromRight: Bool) throws(AACError) -> Void
  ) throws(AACError) {
    let count = segments.count
    guard count > 0 else { return }
    var first = count
    var fromRight = true
    while first < codewords.count {
      let end = min(first + count, codewords.count)
      var missing = end - first
      for trial in 0..<count {
        for index in first..<end where !codewords[index].isComplete {
          let place = trial + index - first
          let segment = place < count ? place : place - count
          guard segments[segment].start < segments[segment].end else { continue }
          try body(&codewords[index], &segments[segment], fromRight)
          if codewords[index].isComplete { missing -= 1 }
        }
        if missing == 0 { break }
      }
      first = end
      fromRight.toggle()
    }
  }

  mutating func takeFromLeft(_ count: Int, ofSegment index: Int) { segments[index].start += count }

  /// Runs `body` with a codeword that stands at the left end of a segment, and that segment.
  mutating func withFirst(
    _ index: Int, _ body: (_ codeword: inout Codeword, _ segment: inout Segment) throws(AACError) -> Void
  ) throws(AACError) {
    try body(&codewords[index], &segments[index])
  }

  /// The place of a codeword that has not got all its bits.
  var firstIncomplete: Int? { codewords.firstIndex { !$0.isComplete } }
}
