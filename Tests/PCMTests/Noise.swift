import PCM

/// A small generator whose seed a failing test can print.
struct Noise: RandomNumberGenerator {
  var state: UInt64
  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}

/// A buffer of noise beyond full scale, so that limits are met.
func noise(_ layout: ChannelLayout, _ frames: Int, seed: UInt64, reach: Float = 1.1) -> PCMBuffer {
  var random = Noise(seed: seed)
  let channels = layout.speakers.map { _ in
    (0..<frames).map { _ in Float.random(in: -reach...reach, using: &random) }
  }
  return PCMBuffer(format: PCMFormat(sampleRate: 48000, layout: layout), channels: channels)
}
