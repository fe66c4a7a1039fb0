/// A short piece for plucked strings, bass, pad and drums, in A minor.
enum Piece {
  static let seconds = 21.5

  static func render(rate: Double) -> Mix {
    var mix = Mix(seconds: seconds, rate: rate)
    var band = Instruments(rate: rate)
    let beat = 60.0 / 96
    let chords = [[57, 60, 64, 69], [53, 57, 60, 65], [48, 55, 60, 64], [55, 59, 62, 67]]
    for bar in 0..<8 {
      let start = Double(bar) * 4 * beat
      let chord = chords[bar % 4]
      for (index, key) in chord.enumerated() {
        mix.add(band.pad(key, seconds: 4 * beat), at: start, gain: 0.07, place: index % 2 == 0 ? -0.6 : 0.6)
      }
      for step in 0..<8 {
        let key = chord[[0, 2, 1, 3, 2, 1, 3, 2][step]] + (bar >= 4 && step % 3 == 2 ? 24 : 12)
        mix.add(
          band.pluck(key, seconds: 1.6), at: start + Double(step) * beat / 2, gain: 0.34,
          place: step % 2 == 0 ? -0.4 : 0.35)
      }
      for (step, key) in [(0.0, chord[0] - 12), (1.5, chord[0] - 12), (2.5, chord[2] - 24)] {
        mix.add(band.bass(key, seconds: 1.2 * beat), at: start + step * beat, gain: 0.4, place: 0)
      }
      guard bar >= 2 else { continue }
      for hit in [0, 2.5] { mix.add(band.kick(), at: start + hit * beat, gain: 0.75, place: 0) }
      for hit in [1.0, 3] { mix.add(band.snare(), at: start + hit * beat, gain: 0.3, place: 0.1) }
      for step in 0..<8 {
        mix.add(
          band.hat(open: step == 7), at: start + Double(step) * beat / 2, gain: step % 2 == 0 ? 0.1 : 0.16,
          place: -0.3)
      }
    }
    for (index, key) in [45, 57, 64, 69, 76].enumerated() {
      mix.add(
        band.pluck(key, seconds: 1.4), at: 32 * beat + Double(index) * 0.03, gain: 0.4,
        place: Float(index) * 0.4 - 0.8)
    }
    mix.normalize(to: 0.84)
    return mix
  }
}
