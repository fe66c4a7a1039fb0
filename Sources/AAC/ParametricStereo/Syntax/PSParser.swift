/// Reads `ps_data()` frame after frame (ISO/IEC 14496-3, 8.4.2, table 8.1).
struct PSParser: Sendable {
  /// QMF samples of a frame, 32 or 30.
  let slots: Int
  /// Of the last frame that was right; `nil` until a header has been received.
  var current: PSData? { hasHeader ? data : nil }

  /// `ps_data()` was there at all, even if it could not be read yet.
  private(set) var isPresent = false
  private var hasHeader = false
  private var data = PSData()
  private var spare = PSData()

  init(slots: Int) { self.slots = slots }

  mutating func parse(_ bits: inout BitReader, end: Int) throws(AACError) {
    isPresent = true
    copyHeader()
    var isHeaderKnown = hasHeader
    if try bits.flag() {
      try parseHeader(&bits)
      isHeaderKnown = true
    }
    guard isHeaderKnown else {
      try bits.skip(max(0, end - bits.position))
      return
    }
    try parseBorders(&bits)
    for envelope in 0..<spare.envelopeCount where spare.hasIntensity {
      try parseIntensities(&bits, envelope)
    }
    for envelope in 0..<spare.envelopeCount where spare.hasCoherence {
      try parseCoherences(&bits, envelope)
    }
    if spare.hasExtension { try parseExtension(&bits) }
    guard bits.position <= end else {
      throw bits.failure(.inconsistent("parametric stereo data that runs over its extension"))
    }
    complete()
    swap(&data, &spare)
    hasHeader = true
  }

  /// What stays from frame to frame, value by value so that no storage is shared.
  private mutating func copyHeader() {
    spare.hasIntensity = data.hasIntensity
    spare.intensityMode = data.intensityMode
    spare.hasCoherence = data.hasCoherence
    spare.coherenceMode = data.coherenceMode
    spare.hasExtension = data.hasExtension
    spare.hasPhases = false
  }

  private mutating func parseHeader(_ bits: inout BitReader) throws(AACError) {
    spare.hasIntensity = try bits.flag()
    if spare.hasIntensity { spare.intensityMode = try parseMode(&bits, "iid_mode") }
    spare.hasCoherence = try bits.flag()
    if spare.hasCoherence { spare.coherenceMode = try parseMode(&bits, "icc_mode") }
    spare.hasExtension = try bits.flag()
  }

  private func parseMode(_ bits: inout BitReader, _ name: String) throws(AACError) -> Int {
    let mode = try bits.uint(3)
    guard mode < 6 else { throw bits.failure(.reserved(name, value: mode)) }
    return mode
  }

  private mutating func parseBorders(_ bits: inout BitReader) throws(AACError) {
    let isVariable = try bits.flag()
    let index = try bits.uint(2)
    spare.envelopeCount = isVariable ? index + 1 : [0, 1, 2, 4][index]
    spare.borders = SIMD8()
    for envelope in 1..<spare.envelopeCount + 1 {
      let border = isVariable ? try bits.uint(5) + 1 : slots * envelope / spare.envelopeCount
      guard border > spare.border(envelope - 1), border <= slots else {
        throw bits.failure(.inconsistent("borders of parametric stereo that do not rise"))
      }
      spare.borders[envelope] = Int16(truncatingIfNeeded: border)
    }
  }

  private mutating func parseIntensities(_ bits: inout BitReader, _ envelope: Int) throws(AACError) {
    let isTime = try bits.flag()
    let book = PSHuffman.intensity(time: isTime, fine: spare.isFine)
    let largest = spare.isFine ? 15 : 7
    let base = envelope * PSData.stride
    var value = 0
    for band in 0..<spare.intensityCount {
      if isTime { value = Int(before(envelope, base + band, \.intensities, PSData.stride)) }
      value += try book.decode(&bits)
      guard abs(value) <= largest else {
        throw bits.failure(.outOfRange("iid", value: value, allowed: -largest...largest))
      }
      spare.intensities[base + band] = Int8(truncatingIfNeeded: value)
    }
  }

  private mutating func parseCoherences(_ bits: inout BitReader, _ envelope: Int) throws(AACError) {
    let isTime = try bits.flag()
    let book = PSHuffman.coherence(time: isTime)
    let base = envelope * PSData.stride
    var value = 0
    for band in 0..<spare.coherenceCount {
      if isTime { value = Int(before(envelope, base + band, \.coherences, PSData.stride)) }
      value += try book.decode(&bits)
      guard (0...7).contains(value) else {
        throw bits.failure(.outOfRange("icc", value: value, allowed: 0...7))
      }
      spare.coherences[base + band] = Int8(truncatingIfNeeded: value)
    }
  }

  private mutating func parseExtension(_ bits: inout BitReader) throws(AACError) {
    var size = try bits.uint(4)
    if size == 15 { size += try bits.uint(8) }
    let end = bits.position + size * 8
    while end - bits.position > 7 {
      guard try bits.uint(2) == 0 else { break }
      spare.hasPhases = try bits.flag()
      if spare.hasPhases {
        for envelope in 0..<spare.envelopeCount {
          try parsePhases(&bits, envelope, \.phaseDifferences, overall: false)
          try parsePhases(&bits, envelope, \.overallPhases, overall: true)
        }
      }
      try bits.skip(1)
    }
    guard bits.position <= end else {
      throw bits.failure(.inconsistent("a parametric stereo extension that is too short"))
    }
    try bits.skip(end - bits.position)
  }

  private mutating func parsePhases(
    _ bits: inout BitReader, _ envelope: Int, _ path: WritableKeyPath<PSData, [Int8]>, overall: Bool
  ) throws(AACError) {
    let isTime = try bits.flag()
    let book = PSHuffman.phase(time: isTime, overall: overall)
    let base = envelope * PSData.phaseStride
    var value = 0
    for band in 0..<spare.phaseCount {
      if isTime { value = Int(before(envelope, base + band, path, PSData.phaseStride)) }
      value = (value + (try book.decode(&bits))) & 7
      spare[keyPath: path][base + band] = Int8(truncatingIfNeeded: value)
    }
  }

  /// The value that a difference in time starts from: of the envelope before, or of the last frame's last.
  private func before(
    _ envelope: Int, _ place: Int, _ path: KeyPath<PSData, [Int8]>, _ stride: Int
  ) -> Int8 {
    if envelope > 0 { return spare[keyPath: path][place - stride] }
    return data[keyPath: path][max(0, data.envelopeCount - 1) * stride + place]
  }

  /// What is not sent is zero; what ends before the frame does goes on to its end.
  private mutating func complete() {
    let count = spare.envelopeCount
    if count == 0 || spare.border(count) < slots {
      let from = count > 0 ? count - 1 : max(0, data.envelopeCount - 1)
      for band in 0..<PSData.stride {
        let source = from * PSData.stride + band
        let target = count * PSData.stride + band
        spare.intensities[target] = count > 0 ? spare.intensities[source] : data.intensities[source]
        spare.coherences[target] = count > 0 ? spare.coherences[source] : data.coherences[source]
      }
      for band in 0..<PSData.phaseStride {
        let source = from * PSData.phaseStride + band
        let target = count * PSData.phaseStride + band
        spare.phaseDifferences[target] =
          count > 0 ? spare.phaseDifferences[source] : data.phaseDifferences[source]
        spare.overallPhases[target] = count > 0 ? spare.overallPhases[source] : data.overallPhases[source]
      }
      spare.envelopeCount = count + 1
      spare.borders[count + 1] = Int16(truncatingIfNeeded: slots)
    }
    if !spare.hasIntensity { Self.clear(&spare.intensities) }
    if !spare.hasCoherence { Self.clear(&spare.coherences) }
    if !spare.hasPhases {
      Self.clear(&spare.phaseDifferences)
      Self.clear(&spare.overallPhases)
    }
  }

  private static func clear(_ values: inout [Int8]) {
    for index in values.indices { values[index] = 0 }
  }
}
