/// `section_data()` of streams with aacSectionDataResilienceFlag: the numbers 16…31 stand for codebook 11
/// and promise how large a line of the band is at most (VCB11, 4.6.16.4).
enum VirtualCodebooks {
  static let codebookBits = 5
  static let first: UInt8 = 16

  /// The largest absolute value in a band, by number minus 16.
  static let largestLines: [Int] = [
    15, 31, 47, 63, 95, 127, 159, 191, 223, 255, 319, 383, 511, 767, 1023, 2047,
  ]

  /// A section of codebook 11, virtual or not, is one band long and does not say so.
  @inline(__always)
  private static func isOneBand(_ codebook: Int) -> Bool {
    codebook == Codebook.escape || codebook >= first
  }

  /// Reads the codebooks of all groups.
  static func parse(_ bits: inout BitReader, into stream: inout ChannelStream) throws(AACError) {
    let info = stream.info
    let width = SectionData.lengthBits(short: info.isShort)
    let more = (1 << width) - 1
    for group in 0..<info.groupCount {
      var band = 0
      while band < info.maxBand {
        let start = bits.position
        let codebook = try bits.uint(codebookBits)
        guard codebook != 12 else { throw AACError(.reserved("sect_cb", value: 12), bitOffset: start) }
        var count = 0
        if isOneBand(codebook) {
          count = 1
        } else {
          var increment = more
          while increment == more {
            increment = try bits.uint(width)
            count += increment
            guard band + count <= info.maxBand else {
              throw AACError(
                .outOfRange("sect_len", value: count, allowed: 0...info.maxBand - band), bitOffset: start)
            }
          }
        }
        let isVirtual = codebook >= first
        let index = group * info.maxBand + band
        for index in index..<index + count {
          stream.codebooks[index] = isVirtual ? Codebook.escape : UInt8(truncatingIfNeeded: codebook)
          stream.virtualCodebooks[index] = isVirtual ? UInt8(truncatingIfNeeded: codebook) : 0
        }
        band += count
      }
    }
  }

  /// Checks that the lines of `stream` are as small as its virtual codebooks promise.
  static func check(
    _ stream: ChannelStream, bands: ScaleFactorBands, bitOffset: Int
  ) throws(AACError) {
    let info = stream.info
    let offsets = bands.offsets(short: info.isShort)
    let windowLength = bands.frameLength / info.windowCount
    var groupStart = 0
    for group in 0..<info.groupCount {
      let windows = info.groupLengths[group]
      for band in 0..<info.maxBand {
        let codebook = stream.virtualCodebooks[group * info.maxBand + band]
        guard codebook >= first else { continue }
        let largest = largestLines[Int(codebook - first)]
        for line in groupStart + windows * offsets[band]..<groupStart + windows * offsets[band + 1] {
          guard stream.spectrum[line].magnitude <= largest else {
            throw AACError(
              .outOfRange("line of a band", value: Int(stream.spectrum[line]), allowed: -largest...largest),
              bitOffset: bitOffset)
          }
        }
      }
      groupStart += windows * windowLength
    }
  }

  static func write(_ stream: ChannelStream, to bits: inout BitWriter) {
    let info = stream.info
    let width = SectionData.lengthBits(short: info.isShort)
    let more = (1 << width) - 1
    for group in 0..<info.groupCount {
      let end = (group + 1) * info.maxBand
      var band = group * info.maxBand
      while band < end {
        let codebook = stream.codebooks[band]
        if codebook == Codebook.escape {
          bits.put(Int(max(codebook, stream.virtualCodebooks[band])), codebookBits)
          band += 1
          continue
        }
        let start = band
        while band < end, stream.codebooks[band] == codebook { band += 1 }
        bits.put(Int(codebook), codebookBits)
        var rest = band - start
        while rest >= more {
          bits.put(more, width)
          rest -= more
        }
        bits.put(rest, width)
      }
    }
  }
}
