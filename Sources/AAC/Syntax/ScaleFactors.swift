/// `scale_factor_data()`: three chains of differences, told apart by the band's codebook (4.6.2.3).
///
/// Spectral gains start at global_gain, intensity positions at 0. The first noise energy is a number of
/// nine bits over `global_gain - 90 - 256`, the others are differences to the one before.
enum ScaleFactors {
  static let spectralRange = 0...255
  static let intensityRange = -255...255
  static let noiseRange = -346...420
  static let deltaRange = -60...60
  static let noiseOffset = 90
  static let firstNoiseBits = 9  // dpcm_noise_nrg
  static let firstNoiseBias = 256

  /// Bits of one difference (-60…60).
  static func bits(forDelta delta: Int) -> Int {
    Int(ScaleFactorCodebook.lengths[delta + ScaleFactorCodebook.offset])
  }

  /// Reads the scale factors of `stream`, whose codebooks and global gain are known.
  static func parse(_ bits: inout BitReader, into stream: inout ChannelStream) throws(AACError) {
    let table = HuffmanTables.scaleFactors
    var gain = stream.globalGain
    var position = 0
    var energy: Int?
    for index in 0..<stream.info.groupCount * stream.info.maxBand {
      let start = bits.position
      switch stream.codebooks[index] {
      case Codebook.zero:
        stream.scaleFactors[index] = 0
      case Codebook.intensityInPhase, Codebook.intensityOutOfPhase:
        position += try table.decode(&bits) - ScaleFactorCodebook.offset
        try check(position, "intensity position", intensityRange, start)
        stream.scaleFactors[index] = Int16(truncatingIfNeeded: position)
      case Codebook.noise:
        let value =
          if let energy {
            energy + (try table.decode(&bits)) - ScaleFactorCodebook.offset
          } else {
            stream.globalGain - noiseOffset - firstNoiseBias + (try bits.uint(firstNoiseBits))
          }
        try check(value, "noise energy", noiseRange, start)
        energy = value
        stream.scaleFactors[index] = Int16(truncatingIfNeeded: value)
      default:
        gain += try table.decode(&bits) - ScaleFactorCodebook.offset
        try check(gain, "scale factor", spectralRange, start)
        stream.scaleFactors[index] = Int16(truncatingIfNeeded: gain)
      }
    }
  }

  @inline(__always)
  private static func check(
    _ value: Int, _ name: String, _ range: ClosedRange<Int>, _ bitOffset: Int
  ) throws(AACError) {
    guard range.contains(value) else {
      throw AACError(.outOfRange(name, value: value, allowed: range), bitOffset: bitOffset)
    }
  }

  /// Tells what `write` writes, band after band: differences, and the first noise energy.
  @inline(__always)
  private static func forEachValue(
    of stream: ChannelStream, difference: (Int) -> Void, firstNoise: (Int) -> Void
  ) {
    var gain = stream.globalGain
    var position = 0
    var energy: Int?
    for index in 0..<stream.bandCount {
      let value = Int(stream.scaleFactors[index])
      switch stream.codebooks[index] {
      case Codebook.zero:
        break
      case Codebook.intensityInPhase, Codebook.intensityOutOfPhase:
        difference(value - position)
        position = value
      case Codebook.noise:
        if let energy {
          difference(value - energy)
        } else {
          firstNoise(value - stream.globalGain + noiseOffset + firstNoiseBias)
        }
        energy = value
      default:
        difference(value - gain)
        gain = value
      }
    }
  }

  /// Bits of what `write` writes.
  static func bits(of stream: ChannelStream) -> Int {
    let lengths = ScaleFactorCodebook.lengths
    var sum = 0
    forEachValue(of: stream) { delta in
      sum += Int(lengths[delta + ScaleFactorCodebook.offset])
    } firstNoise: { _ in
      sum += firstNoiseBits
    }
    return sum
  }

  /// Writes the scale factors of `stream`, which must lie within the range of the differences.
  static func write(_ stream: ChannelStream, to bits: inout BitWriter) {
    // Codewords that are not written yet, since the writer takes many bits in about the time of few.
    var word = 0
    var size = 0
    func flush() {
      bits.put(word, size)
      word = 0
      size = 0
    }
    forEachValue(of: stream) { delta in
      assert(deltaRange.contains(delta), "a scale factor difference of \(delta)")
      let index = delta + ScaleFactorCodebook.offset
      let length = Int(ScaleFactorCodebook.lengths[index])
      if size + length > 32 { flush() }
      word = word << length | Int(ScaleFactorCodebook.codewords[index])
      size += length
    } firstNoise: { value in
      flush()
      bits.put(value, firstNoiseBits)
    }
    flush()
  }

  /// Writes one difference (-60…60).
  static func put(_ delta: Int, to bits: inout BitWriter) {
    assert(deltaRange.contains(delta), "a scale factor difference of \(delta)")
    let index = delta + ScaleFactorCodebook.offset
    bits.put(Int(ScaleFactorCodebook.codewords[index]), Int(ScaleFactorCodebook.lengths[index]))
  }
}
