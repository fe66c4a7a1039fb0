/// `scale_factor_data()` of streams with aacScalefactorDataResilienceFlag: the differences as codewords that
/// can also be read backwards (RVLC, 4.6.16.2).
///
/// What is there for reading backwards is kept, but not used: a damaged access unit is thrown away here.
struct ReversibleScaleFactors: Equatable, Sendable {
  var isForConcealment = false  // sf_concealment
  var reverseGlobalGain = 0  // rev_global_gain
  /// The last intensity position, once more; 0 without intensity.
  var lastPosition = 0  // dpcm_is_last_position
  /// 0 without noise.
  var lastNoise = 0  // dpcm_noise_last_position

  private var firstNoise: Int?  // dpcm_noise_nrg
  private var codewordBits = 0  // length_of_rvlc_sf
  private var escapeBits: Int?  // length_of_rvlc_escapes

  init() {}

  static func == (left: Self, right: Self) -> Bool {
    left.isForConcealment == right.isForConcealment && left.reverseGlobalGain == right.reverseGlobalGain
      && left.lastPosition == right.lastPosition && left.lastNoise == right.lastNoise
  }

  private static func lengthBits(short isShort: Bool) -> Int { isShort ? 11 : 9 }
}

extension ReversibleScaleFactors {
  /// Reads what stands in place of scale_factor_data; the codewords come later in the channel stream.
  init(parsing bits: inout BitReader, for stream: ChannelStream) throws(AACError) {
    isForConcealment = try bits.flag()
    reverseGlobalGain = try bits.uint(8)
    let start = bits.position
    codewordBits = try bits.uint(Self.lengthBits(short: stream.info.isShort))
    let hasNoise = stream.codebooks.prefix(stream.bandCount).contains(Codebook.noise)
    if hasNoise { firstNoise = try bits.uint(ScaleFactors.firstNoiseBits) }
    if try bits.flag() { escapeBits = try bits.uint(8) }
    if hasNoise {
      lastNoise = try bits.uint(ScaleFactors.firstNoiseBits)
      // The length includes the first noise energy.
      codewordBits -= ScaleFactors.firstNoiseBits
    }
    guard codewordBits >= 0 else {
      throw AACError(
        .outOfRange("length_of_rvlc_sf", value: codewordBits + 9, allowed: 9...2047), bitOffset: start)
    }
  }

  /// Reads the codewords and their escapes to the scale factors of `stream`.
  mutating func parseCodewords(
    _ bits: inout BitReader, into stream: inout ChannelStream
  ) throws(AACError) {
    let start = bits.position
    let end = start + codewordBits
    var escapes = bits
    try escapes.skip(codewordBits)
    let escapeEnd = escapes.position + (escapeBits ?? 0)
    var gain = stream.globalGain
    var position = 0
    var energy: Int?
    var hasIntensity = false
    for index in 0..<stream.bandCount {
      let value: Int
      let range: ClosedRange<Int>
      switch stream.codebooks[index] {
      case Codebook.zero:
        stream.scaleFactors[index] = 0
        continue
      case Codebook.intensityInPhase, Codebook.intensityOutOfPhase:
        hasIntensity = true
        position += try difference(&bits, &escapes)
        value = position
        range = ScaleFactors.intensityRange
      case Codebook.noise:
        if let last = energy {
          value = last + (try difference(&bits, &escapes))
        } else {
          value =
            stream.globalGain - ScaleFactors.noiseOffset - ScaleFactors.firstNoiseBias + (firstNoise ?? 0)
        }
        energy = value
        range = ScaleFactors.noiseRange
      default:
        gain += try difference(&bits, &escapes)
        value = gain
        range = ScaleFactors.spectralRange
      }
      guard range.contains(value) else {
        throw bits.failure(.outOfRange("scale factor", value: value, allowed: range))
      }
      stream.scaleFactors[index] = Int16(truncatingIfNeeded: value)
    }
    if hasIntensity { lastPosition = try difference(&bits, &escapes) }
    guard bits.position == end, escapes.position == escapeEnd else {
      throw AACError(.inconsistent("scale factors of another length than announced"), bitOffset: start)
    }
    bits = escapes
  }

  private func difference(_ bits: inout BitReader, _ escapes: inout BitReader) throws(AACError) -> Int {
    let index = try ReversibleCodebook.decoding.decode(&bits)
    guard index != ReversibleCodebook.forbidden else {
      throw bits.failure(.inconsistent("a forbidden codeword among the scale factors"))
    }
    let value = index - ReversibleCodebook.offset
    guard value.magnitude == ReversibleCodebook.offset else { return value }
    guard escapeBits != nil else {
      throw bits.failure(.inconsistent("an escape in scale factors without escapes"))
    }
    let escape = try ReversibleCodebook.escapeDecoding.decode(&escapes)
    return value < 0 ? value - escape : value + escape
  }
}

extension ReversibleScaleFactors {
  /// The header and the codewords of the scale factors of `stream`, which stand in different places.
  func write(_ stream: ChannelStream) -> (header: BitWriter, codewords: BitWriter) {
    var codewords = BitWriter()
    var escapes = BitWriter()
    var gain = stream.globalGain
    var position = 0
    var energy: Int?
    var firstNoise: Int?
    var hasIntensity = false
    for index in 0..<stream.bandCount {
      let value = Int(stream.scaleFactors[index])
      switch stream.codebooks[index] {
      case Codebook.zero: break
      case Codebook.intensityInPhase, Codebook.intensityOutOfPhase:
        hasIntensity = true
        Self.put(value - position, &codewords, &escapes)
        position = value
      case Codebook.noise:
        if let energy {
          Self.put(value - energy, &codewords, &escapes)
        } else {
          firstNoise = value - stream.globalGain + ScaleFactors.noiseOffset + ScaleFactors.firstNoiseBias
        }
        energy = value
      default:
        Self.put(value - gain, &codewords, &escapes)
        gain = value
      }
    }
    if hasIntensity { Self.put(lastPosition, &codewords, &escapes) }
    var header = BitWriter()
    header.put(isForConcealment)
    header.put(reverseGlobalGain, 8)
    header.put(
      codewords.bitCount + (firstNoise == nil ? 0 : ScaleFactors.firstNoiseBits),
      Self.lengthBits(short: stream.info.isShort))
    if let firstNoise { header.put(firstNoise, ScaleFactors.firstNoiseBits) }
    header.put(escapes.bitCount > 0)
    if escapes.bitCount > 0 { header.put(escapes.bitCount, 8) }
    if firstNoise != nil { header.put(lastNoise, ScaleFactors.firstNoiseBits) }
    codewords.append(escapes)
    return (header, codewords)
  }

  private static func put(_ difference: Int, _ codewords: inout BitWriter, _ escapes: inout BitWriter) {
    assert(ScaleFactors.deltaRange.contains(difference))
    let limit = ReversibleCodebook.offset
    let index = min(max(difference, -limit), limit) + limit
    codewords.put(Int(ReversibleCodebook.codewords[index]), Int(ReversibleCodebook.lengths[index]))
    guard abs(difference) >= limit else { return }
    let escape = abs(difference) - limit
    escapes.put(
      Int(ReversibleCodebook.escapeCodewords[escape]), Int(ReversibleCodebook.escapeLengths[escape]))
  }
}

extension BitWriter {
  /// Appends all bits of another writer.
  mutating func append(_ other: BitWriter) {
    for byte in other.bytes { put(Int(byte), 8) }
    put(Int(truncatingIfNeeded: other.cache & ((1 << UInt64(other.cached)) - 1)), other.cached)
  }
}
