import PCM

/// Makes sound of what a device gives: no NaN, no infinity, nothing beyond ±16 (24 dB over full scale).
enum SampleRepair {
  static let limit: Float = 16

  /// Repairs the buffer and tells how many samples it was needed for.
  static func repair(_ buffer: inout PCMBuffer) -> Int {
    var count = 0
    for channel in buffer.channels.indices {
      count += repair(&buffer.channels[channel], buffer.frameCount)
    }
    return count
  }

  private static func repair(_ samples: inout [Float], _ count: Int) -> Int {
    var repaired = 0
    for index in 0..<count where !(samples[index].magnitude <= limit) {
      samples[index] = samples[index].isFinite ? (samples[index] < 0 ? -limit : limit) : 0
      repaired += 1
    }
    return repaired
  }
}
