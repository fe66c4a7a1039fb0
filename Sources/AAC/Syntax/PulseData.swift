/// `pulse_data()`: up to four amounts added to the quantised lines of a long window (4.6.3.3).
struct PulseData: Equatable, Sendable {
  var startBand = 0  // pulse_start_sfb
  var count = 0  // number_pulse + 1
  var offsets = SIMD4<Int>()
  var amplitudes = SIMD4<Int>()
}

extension PulseData {
  /// Reads the element and checks that every pulse falls on a line of the frame.
  init(parsing bits: inout BitReader, bands: ScaleFactorBands) throws(AACError) {
    count = try bits.uint(2) + 1
    let start = bits.position
    startBand = try bits.uint(6)
    guard startBand < bands.longCount else {
      throw AACError(
        .outOfRange("pulse_start_sfb", value: startBand, allowed: 0...bands.longCount - 1),
        bitOffset: start)
    }
    var line = bands.long[startBand]
    for pulse in 0..<count {
      offsets[pulse] = try bits.uint(5)
      amplitudes[pulse] = try bits.uint(4)
      line += offsets[pulse]
    }
    guard line < bands.frameLength else {
      throw AACError(
        .outOfRange("pulse position", value: line, allowed: 0...bands.frameLength - 1), bitOffset: start)
    }
  }

  func write(to bits: inout BitWriter) {
    bits.put(count - 1, 2)
    bits.put(startBand, 6)
    for pulse in 0..<count {
      bits.put(offsets[pulse], 5)
      bits.put(amplitudes[pulse], 4)
    }
  }
}
