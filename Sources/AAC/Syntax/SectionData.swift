/// `section_data()`: the codebook of each band, as runs of bands with one codebook (4.4.2.7, table 4.52).
enum SectionData {
  /// Bits of sect_cb.
  static let codebookBits = 4

  /// Bits of one sect_len_incr; the value of all ones means that another one follows.
  static func lengthBits(short isShort: Bool) -> Int { isShort ? 3 : 5 }

  /// Bits of the whole element, for the codebooks of bands indexed `group * info.maxBand + band`.
  static func bits(of codebooks: [UInt8], info: ICSInfo) -> Int {
    let width = lengthBits(short: info.isShort)
    let more = (1 << width) - 1
    var sections = 0
    var lengths = 0
    for group in 0..<info.groupCount {
      var before: UInt8 = 0xFF
      var rest = 0
      for band in group * info.maxBand..<(group + 1) * info.maxBand {
        let codebook = codebooks[band]
        let starts = codebook != before ? 1 : 0
        sections &+= starts
        rest = (starts != 0 ? more : rest) &- 1
        // A length of all ones is followed by another.
        let isFull = rest == 0
        lengths &+= starts &+ (isFull ? 1 : 0)
        rest = isFull ? more : rest
        before = codebook
      }
    }
    return codebookBits * sections + width * lengths
  }

  /// Reads the codebooks of all groups. Sections must end exactly at max_sfb; empty ones are harmless.
  static func parse(
    _ bits: inout BitReader, info: ICSInfo, into codebooks: inout [UInt8]
  ) throws(AACError) {
    let width = lengthBits(short: info.isShort)
    let more = (1 << width) - 1
    for group in 0..<info.groupCount {
      var band = 0
      while band < info.maxBand {
        let start = bits.position
        let codebook = try bits.uint(codebookBits)
        guard codebook != 12 else { throw AACError(.reserved("sect_cb", value: 12), bitOffset: start) }
        var count = 0
        var increment = more
        while increment == more {
          increment = try bits.uint(width)
          count += increment
          guard band + count <= info.maxBand else {
            throw AACError(
              .outOfRange("sect_len", value: count, allowed: 0...info.maxBand - band), bitOffset: start)
          }
        }
        let first = group * info.maxBand + band
        for index in first..<first + count { codebooks[index] = UInt8(truncatingIfNeeded: codebook) }
        band += count
      }
    }
  }

  /// Writes runs of equal codebooks as one section each.
  static func write(_ codebooks: [UInt8], info: ICSInfo, to bits: inout BitWriter) {
    let width = lengthBits(short: info.isShort)
    let more = (1 << width) - 1
    forEachSection(of: codebooks, info: info) { codebook, count in
      var word = Int(codebook)
      var size = codebookBits
      var rest = count
      while rest >= more {
        word = word << width | more
        size += width
        rest -= more
      }
      // Fifty-one bands at most: three lengths.
      bits.put(word << width | rest, size + width)
    }
  }

  @inline(__always)
  private static func forEachSection(
    of codebooks: [UInt8], info: ICSInfo, _ body: (_ codebook: UInt8, _ bandCount: Int) -> Void
  ) {
    for group in 0..<info.groupCount {
      let end = (group + 1) * info.maxBand
      var first = group * info.maxBand
      while first < end {
        var next = first + 1
        while next < end, codebooks[next] == codebooks[first] { next += 1 }
        body(codebooks[first], next - first)
        first = next
      }
    }
  }
}
