/// `spectral_data()`: the quantised lines, as codewords of the bands' codebooks (4.6.3.3).
///
/// Bands with codebook 0, 13, 14 or 15 send nothing; their lines are zero, as are those from max_sfb up.
enum SpectralData {
  /// Reads the lines of `stream`, whose info and codebooks are known, in coded order.
  static func parse(
    _ bits: inout BitReader, into stream: inout ChannelStream, bands: ScaleFactorBands
  ) throws(AACError) {
    let info = stream.info
    let maxBand = info.maxBand
    let offsets = bands.offsets(short: info.isShort)
    let windowLength = info.isShort ? bands.frameLength / 8 : bands.frameLength
    let lengths = info.groupLengths
    let tables = HuffmanTables.spectral
    var groupStart = 0
    for group in 0..<info.groupCount {
      let windows = lengths[group]
      var band = 0
      var line = groupStart
      while band < maxBand {
        let codebook = stream.codebooks[group * maxBand + band]
        repeat { band += 1 } while band < maxBand && stream.codebooks[group * maxBand + band] == codebook
        let end = groupStart + windows * offsets[band]
        switch codebook {
        case 1, 2:
          try signedQuadruples(&bits, tables[Int(codebook)], line..<end, &stream.spectrum)
        case 3, 4:
          try unsignedQuadruples(&bits, tables[Int(codebook)], line..<end, &stream.spectrum)
        case 5, 6:
          try signedPairs(&bits, tables[Int(codebook)], line..<end, &stream.spectrum)
        case 7...10:
          try unsignedPairs(&bits, tables[Int(codebook)], line..<end, &stream.spectrum)
        case Codebook.escape:
          try escapePairs(&bits, tables[Int(codebook)], line..<end, &stream.spectrum)
        default:
          for index in line..<end { stream.spectrum[index] = 0 }
        }
        line = end
      }
      groupStart += windows * windowLength
      for index in line..<groupStart { stream.spectrum[index] = 0 }
    }
  }

  private static func signedQuadruples(
    _ bits: inout BitReader, _ table: HuffmanCodebook, _ lines: Range<Int>, _ spectrum: inout [Int16]
  ) throws(AACError) {
    let entries = table.entries
    let width = table.width
    var line = lines.lowerBound
    while line < lines.upperBound {
      let entry = bits.entry(in: entries, width: width)
      try bits.consume(Int(entry & 31))
      spectrum[line] = field(entry, 0)
      spectrum[line &+ 1] = field(entry, 1)
      spectrum[line &+ 2] = field(entry, 2)
      spectrum[line &+ 3] = field(entry, 3)
      line &+= 4
    }
  }

  private static func unsignedQuadruples(
    _ bits: inout BitReader, _ table: HuffmanCodebook, _ lines: Range<Int>, _ spectrum: inout [Int16]
  ) throws(AACError) {
    let entries = table.entries
    let width = table.width
    var line = lines.lowerBound
    while line < lines.upperBound {
      let entry = bits.entry(in: entries, width: width)
      var signs = Signs(bits.cache, after: entry)
      spectrum[line] = signs.apply(to: field(entry, 0))
      spectrum[line &+ 1] = signs.apply(to: field(entry, 1))
      spectrum[line &+ 2] = signs.apply(to: field(entry, 2))
      spectrum[line &+ 3] = signs.apply(to: field(entry, 3))
      try bits.consume(signs.used)
      line &+= 4
    }
  }

  private static func signedPairs(
    _ bits: inout BitReader, _ table: HuffmanCodebook, _ lines: Range<Int>, _ spectrum: inout [Int16]
  ) throws(AACError) {
    let entries = table.entries
    let width = table.width
    var line = lines.lowerBound
    while line < lines.upperBound {
      let entry = bits.entry(in: entries, width: width)
      try bits.consume(Int(entry & 31))
      spectrum[line] = field(entry, 0)
      spectrum[line &+ 1] = field(entry, 1)
      line &+= 2
    }
  }

  private static func unsignedPairs(
    _ bits: inout BitReader, _ table: HuffmanCodebook, _ lines: Range<Int>, _ spectrum: inout [Int16]
  ) throws(AACError) {
    let entries = table.entries
    let width = table.width
    var line = lines.lowerBound
    while line < lines.upperBound {
      let entry = bits.entry(in: entries, width: width)
      var signs = Signs(bits.cache, after: entry)
      spectrum[line] = signs.apply(to: field(entry, 0))
      spectrum[line &+ 1] = signs.apply(to: field(entry, 1))
      try bits.consume(signs.used)
      line &+= 2
    }
  }

  private static func escapePairs(
    _ bits: inout BitReader, _ table: HuffmanCodebook, _ lines: Range<Int>, _ spectrum: inout [Int16]
  ) throws(AACError) {
    let entries = table.entries
    let width = table.width
    var line = lines.lowerBound
    while line < lines.upperBound {
      let entry = bits.entry(in: entries, width: width)
      var signs = Signs(bits.cache, after: entry)
      // 16 stays positive here: five bits in two's complement would make it -16.
      let first = Int16(truncatingIfNeeded: entry >> 5 & 31)
      let second = Int16(truncatingIfNeeded: entry >> 10 & 31)
      var x = signs.apply(to: first)
      var y = signs.apply(to: second)
      try bits.consume(signs.used)
      if first == 16 { x = try escape(&bits, negative: x < 0) }
      if second == 16 { y = try escape(&bits, negative: y < 0) }
      spectrum[line] = x
      spectrum[line &+ 1] = y
      line &+= 2
    }
  }

  /// Reads an escape sequence: N ones (at most 8), a zero, then N + 4 bits under a leading one.
  @inline(never)
  private static func escape(_ bits: inout BitReader, negative: Bool) throws(AACError) -> Int16 {
    bits.refill()
    let ones = (~bits.cache).leadingZeroBitCount
    guard ones <= 8 else {
      throw bits.failure(.outOfRange("escape prefix", value: ones, allowed: 0...8))
    }
    try bits.consume(ones + 1)
    let magnitude = 1 << (ones + 4) + (try bits.uint(ones + 4))
    return Int16(truncatingIfNeeded: negative ? -magnitude : magnitude)
  }

  /// The value in place `index` of a table entry, from five bits in two's complement.
  @inline(__always)
  private static func field(_ entry: UInt32, _ index: UInt32) -> Int16 {
    let shifted = Int32(truncatingIfNeeded: entry &<< (22 &- 5 &* index))
    return Int16(truncatingIfNeeded: shifted &>> 27)
  }

  /// The sign bits behind a codeword: one for each value that is not zero.
  private struct Signs {
    private var window: UInt64
    /// Bits of the codeword and of the signs taken.
    private(set) var used: Int

    @inline(__always)
    init(_ cache: UInt64, after entry: UInt32) {
      used = Int(entry & 31)
      window = cache &<< UInt64(entry & 31)
    }

    @inline(__always)
    mutating func apply(to value: Int16) -> Int16 {
      let present = value != 0 ? 1 : 0
      let mask = value != 0 ? Int16(truncatingIfNeeded: Int64(bitPattern: window) &>> 63) : 0
      window = window &<< UInt64(present)
      used &+= present
      return (value ^ mask) &- mask
    }
  }
}

extension BitReader {
  /// The table entry of the codeword that comes next, without consuming it. The cache then holds at least
  /// 32 bits, or all that is left, with zeros behind.
  @inline(__always)
  mutating func entry(in entries: [UInt32], width: Int) -> UInt32 {
    if cached < 32 { refill() }
    let entry = entries[Int(truncatingIfNeeded: cache &>> UInt64(64 - width))]
    guard entry & 31 == HuffmanCodebook.link else { return entry }
    let rest = (cache &<< UInt64(width)) &>> UInt64(64 &- Int(entry >> 5 & 15))
    return entries[Int(entry >> 9) &+ Int(truncatingIfNeeded: rest)]
  }
}

extension SpectralData {
  /// Writes the lines of `stream`. They must fit their codebooks.
  static func write(_ stream: ChannelStream, to bits: inout BitWriter, bands: ScaleFactorBands) {
    let info = stream.info
    let offsets = bands.offsets(short: info.isShort)
    let windowLength = info.isShort ? bands.frameLength / 8 : bands.frameLength
    let lengths = info.groupLengths
    var groupStart = 0
    for group in 0..<info.groupCount {
      let windows = lengths[group]
      let first = group * info.maxBand
      bits.put(
        stream.spectrum, from: groupStart, offsets: offsets, windows: windows,
        codebooks: stream.codebooks[first..<first + info.maxBand])
      groupStart += windows * windowLength
    }
  }

  /// Writes the lines of a range, which are whole tuples of `book`.
  static func write(
    _ spectrum: [Int16], _ lines: Range<Int>, book: SpectralCodebook, to bits: inout BitWriter
  ) {
    let base = book.isSigned ? 2 * book.lav + 1 : book.lav + 1
    let escapes = book.lav == 16
    for tuple in stride(from: lines.lowerBound, to: lines.upperBound, by: book.dimension) {
      var index = 0
      var signs = 0
      var signCount = 0
      for line in tuple..<tuple + book.dimension {
        let value = Int(spectrum[line])
        if book.isSigned {
          assert(abs(value) <= book.lav)
          index = index * base + value + book.lav
        } else {
          assert(abs(value) <= (escapes ? SpectralCodebook.largestLine : book.lav))
          index = index * base + min(abs(value), book.lav)
          if value != 0 {
            signs = signs << 1 | (value < 0 ? 1 : 0)
            signCount += 1
          }
        }
      }
      let length = Int(book.lengths[index])
      bits.put(Int(book.codewords[index]) << signCount | signs, length + signCount)
      guard escapes else { continue }
      for line in tuple..<tuple + 2 where abs(Int(spectrum[line])) >= book.lav {
        putEscape(abs(Int(spectrum[line])), to: &bits)
      }
    }
  }

  private static func putEscape(_ magnitude: Int, to bits: inout BitWriter) {
    let ones = Int.bitWidth - 1 - magnitude.leadingZeroBitCount - 4
    bits.put((1 << ones - 1) << 1, ones + 1)
    bits.put(magnitude - 1 << (ones + 4), ones + 4)
  }
}
