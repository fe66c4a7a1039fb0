#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A stereo sound under construction.
struct Mix {
  let rate: Double
  var left: [Float]
  var right: [Float]

  init(seconds: Double, rate: Double) {
    self.rate = rate
    left = [Float](repeating: 0, count: Int(seconds * rate))
    right = left
  }

  /// Adds a voice at a time; `place` is -1 (left) to 1 (right).
  mutating func add(_ voice: [Float], at time: Double, gain: Float, place: Float) {
    let start = Int(time * rate)
    let angle = (place + 1) * .pi / 4
    let (toLeft, toRight) = (gain * cos(angle), gain * sin(angle))
    for (index, sample) in voice.enumerated() where start + index < left.count {
      left[start + index] += sample * toLeft
      right[start + index] += sample * toRight
    }
  }

  /// Brings the peak to a level.
  mutating func normalize(to level: Float) {
    let peak = max(left.map(\.magnitude).max() ?? 0, right.map(\.magnitude).max() ?? 0)
    guard peak > 0 else { return }
    for index in left.indices {
      left[index] *= level / peak
      right[index] *= level / peak
    }
  }
}

/// White noise, the same each time.
struct Noise {
  private var state: UInt64 = 88_172_645_463_325_252

  mutating func next() -> Float {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Float(Int64(bitPattern: state) >> 40) * 0x1p-23
  }
}

/// Voices, each a mono sound of its own length.
struct Instruments {
  let rate: Double
  private var noise = Noise()

  init(rate: Double) { self.rate = rate }

  /// Frequency of a MIDI key.
  static func frequency(_ key: Int) -> Double { 440 * pow(2, Double(key - 69) / 12) }

  /// A string: noise in a loop that loses its treble (Karplus and Strong).
  mutating func pluck(_ key: Int, seconds: Double) -> [Float] {
    let period = rate / Self.frequency(key)
    let length = Int(period - 0.5)
    let fraction = Float(period - 0.5 - Double(length))
    var loop = (0..<length).map { _ in noise.next() }
    // Softened pick.
    for index in loop.indices { loop[index] = (loop[index] + loop[(index + 1) % length]) / 2 }
    var previous: Float = 0
    var voice = [Float](repeating: 0, count: Int(seconds * rate))
    for index in voice.indices {
      let now = loop[index % length]
      let next = loop[(index + 1) % length]
      voice[index] = now + (next - now) * fraction
      loop[index % length] = 0.4985 * (now + previous)
      previous = now
    }
    return faded(voice)
  }

  /// A bass: a few harmonics that die at different speeds.
  func bass(_ key: Int, seconds: Double) -> [Float] {
    let frequency = Self.frequency(key)
    return faded(
      voice(seconds) { time in
        var sum = 0.0
        for harmonic in 1...8 {
          let level = exp(-time * Double(harmonic) * 1.6) / Double(harmonic)
          sum += level * sin(2 * .pi * frequency * Double(harmonic) * time)
        }
        return sum * min(1, time * 200)
      })
  }

  /// A pad: three detuned tones that swell.
  func pad(_ key: Int, seconds: Double) -> [Float] {
    let frequency = Self.frequency(key)
    return voice(seconds) { time in
      let swell = sin(.pi * time / seconds)
      var sum = 0.0
      for detune in [-0.004, 0, 0.0035] {
        let phase = 2 * .pi * frequency * (1 + detune) * time
        sum += sin(phase) + 0.3 * sin(2 * phase) + 0.12 * sin(3 * phase)
      }
      return swell * sum / 3
    }
  }

  func kick() -> [Float] {
    voice(0.35) { time in
      sin(2 * .pi * (48 * time + 9 * (1 - exp(-time * 32)))) * exp(-time * 11)
    }
  }

  mutating func snare() -> [Float] {
    var noise = noise
    defer { self.noise = noise }
    return voice(0.25) { time in
      (0.5 * sin(2 * .pi * 190 * time) * exp(-time * 24)) + Double(noise.next()) * exp(-time * 19)
    }
  }

  mutating func hat(open: Bool) -> [Float] {
    var noise = noise
    defer { self.noise = noise }
    var before: Float = 0
    return voice(open ? 0.3 : 0.06) { time in
      let now = noise.next()
      defer { before = now }
      return Double(now - before) * exp(-time * (open ? 14 : 70))
    }
  }

  private func voice(_ seconds: Double, _ sample: (Double) -> Double) -> [Float] {
    (0..<Int(seconds * rate)).map { Float(sample(Double($0) / rate)) }
  }

  /// Without a click at the end.
  private func faded(_ voice: [Float]) -> [Float] {
    var voice = voice
    let length = min(voice.count, Int(0.03 * rate))
    for index in 0..<length { voice[voice.count - 1 - index] *= Float(index) / Float(length) }
    return voice
  }
}
