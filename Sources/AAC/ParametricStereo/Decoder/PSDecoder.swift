import DSP

/// Stereo from one channel.
final class PSDecoder {
  private let slots: Int
  private var right: [Float]
  private var synthesisMemory: [Float]

  init(slots: Int, synthesisCount: Int) {
    self.slots = slots
    right = [Float](repeating: 0, count: slots * QMFLayout.stride + QMFLayout.tail)
    synthesisMemory = [Float](repeating: 0, count: synthesisCount)
  }

  func reset() {}

  func process(_ channel: SBRChannel, _ data: PSData?) {
    SpectralKernels.copy(channel.high, range: 0..<right.count, to: &right, at: 0)
  }

  func synthesize(_ bank: QMFSynthesis, into output: inout [Float]) {
    bank.synthesize(right, row: 0, slots: slots, memory: &synthesisMemory, into: &output)
  }
}
