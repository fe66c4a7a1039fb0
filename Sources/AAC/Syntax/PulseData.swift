/// `pulse_data()`: up to four amounts added to the quantised lines of a long window.
struct PulseData: Equatable, Sendable {
  var startBand = 0  // pulse_start_sfb
  var count = 0  // number_pulse + 1
  var offsets = SIMD4<Int>()
  var amplitudes = SIMD4<Int>()
}
