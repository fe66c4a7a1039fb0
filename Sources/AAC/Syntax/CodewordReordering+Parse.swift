extension CodewordReordering.Lengths {
  /// Reads both lengths. Values above the limits count as the limits (4.6.16.3.2).
  init(parsing bits: inout BitReader) throws(AACError) {
    data = min(try bits.uint(14), CodewordReordering.largestDataLength)
    longestCodeword = min(try bits.uint(6), CodewordReordering.largestCodewordLength)
  }

  func write(to bits: inout BitWriter) {
    bits.put(data, 14)
    bits.put(longestCodeword, 6)
  }
}

extension CodewordReordering {
  /// Reads the lines of `stream`, whose info and codebooks are known.
  mutating func parse(
    _ bits: inout BitReader, lengths: Lengths, into stream: inout ChannelStream, bands: ScaleFactorBands
  ) throws(AACError) {
    let offset = bits.position
    let data = ReorderedBits(bits)
    try bits.skip(lengths.data)
    for line in 0..<bands.frameLength { stream.spectrum[line] = 0 }
    sort(stream, bands: bands)
    cut(lengths)
    guard codewords.isEmpty || !segments.isEmpty else {
      throw AACError(.inconsistent("reordered spectral data without room for a codeword"), bitOffset: offset)
    }
    for index in segments.indices {
      try withFirst(index) { codeword, segment throws(AACError) in
        try Self.take(&codeword, &segment, false, data, offset, &stream.spectrum)
        guard codeword.isComplete else {
          throw AACError(.inconsistent("a codeword longer than its segment"), bitOffset: offset)
        }
      }
    }
    try forEachTurn { codeword, segment, fromRight throws(AACError) in
      try Self.take(&codeword, &segment, fromRight, data, offset, &stream.spectrum)
    }
    guard firstIncomplete == nil else {
      throw AACError(.inconsistent("reordered spectral data too short for its codewords"), bitOffset: offset)
    }
  }

  /// Lets a codeword have as many bits of a segment as it needs, or all.
  private static func take(
    _ codeword: inout Codeword, _ segment: inout Segment, _ fromRight: Bool, _ data: ReorderedBits,
    _ offset: Int, _ spectrum: inout [Int16]
  ) throws(AACError) {
    let taken = min(largestCodewordLength - codeword.count, segment.end - segment.start)
    guard taken > 0 else {
      throw AACError(.inconsistent("a codeword of more than 49 bits"), bitOffset: offset)
    }
    let bits =
      fromRight
      ? data.reversed(before: segment.end, count: taken) : data.bits(at: segment.start, count: taken)
    let window = codeword.window | bits >> UInt64(codeword.count)
    let count = codeword.count + taken
    let codebook = Int(min(codeword.codebook, Codebook.escape))
    guard let word = try SpectralCodeword(window, count: count, codebook: codebook, bitOffset: offset) else {
      codeword.window = window
      codeword.count = count
      if fromRight { segment.end -= taken } else { segment.start += taken }
      return
    }
    codeword.isComplete = true
    let used = word.length - codeword.count
    if fromRight { segment.end -= used } else { segment.start += used }
    let line = Int(codeword.line)
    spectrum[line] = word.values[0]
    spectrum[line + 1] = word.values[1]
    guard codebook < 5 else { return }
    spectrum[line + 2] = word.values[2]
    spectrum[line + 3] = word.values[3]
  }
}

/// The bits behind the position of a reader, by their place.
private struct ReorderedBits {
  private let bytes: [UInt8]
  private let base: Int

  init(_ bits: BitReader) {
    bytes = bits.bytes
    base = bits.start * 8 + bits.position
  }

  /// `count` (1…49) bits, left-aligned, with zeros behind.
  func bits(at place: Int, count: Int) -> UInt64 {
    let first = base + place
    var window: UInt64 = 0
    var byte = first >> 3
    for shift in stride(from: 56, through: 0, by: -8) {
      guard byte < bytes.count else { break }
      window |= UInt64(bytes[byte]) << UInt64(shift)
      byte += 1
    }
    return (window << UInt64(first & 7)) & ~(UInt64.max >> UInt64(count))
  }

  /// The `count` bits before `place`, the last one first.
  func reversed(before place: Int, count: Int) -> UInt64 {
    let window = bits(at: place - count, count: count) >> UInt64(64 - count)
    return window.bitReversed
  }
}

extension UInt64 {
  fileprivate var bitReversed: UInt64 {
    var x = byteSwapped
    x = (x >> 4) & 0x0F0F_0F0F_0F0F_0F0F | (x & 0x0F0F_0F0F_0F0F_0F0F) << 4
    x = (x >> 2) & 0x3333_3333_3333_3333 | (x & 0x3333_3333_3333_3333) << 2
    x = (x >> 1) & 0x5555_5555_5555_5555 | (x & 0x5555_5555_5555_5555) << 1
    return x
  }
}
