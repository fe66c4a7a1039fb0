import DSP

/// Stereo from one channel, by level differences, coherences and phases (8.6.4).
final class PSDecoder {
  private let slots: Int
  private var right: [Float]
  private var synthesisMemory: [Float]
  /// The division into 20 bands, and into 34 once that is used.
  private let bank20: StereoBank
  private var bank34: StereoBank?
  private var is34 = false
  private var mixer = PSMixer()
  private var hasStarted = false

  init(slots: Int, synthesisCount: Int) {
    self.slots = slots
    right = [Float](repeating: 0, count: slots * QMFLayout.stride + QMFLayout.tail)
    synthesisMemory = [Float](repeating: 0, count: synthesisCount)
    bank20 = Self.bank(PSShape.of20, slots)
  }

  private static func bank(_ shape: StereoShape, _ slots: Int) -> StereoBank {
    StereoBank(
      shape: shape, slots: slots, linkGains: PSTables.linkGains, linkTurns: PSTables.linkTurns,
      firstTurn: PSTables.firstTurn, decaySlope: PSTables.decaySlope)
  }

  func reset() {
    for index in synthesisMemory.indices { synthesisMemory[index] = 0 }
    bank20.reset()
    bank34?.reset()
    is34 = false
    hasStarted = false
    mixer = PSMixer()
  }

  /// Makes the left channel of the channel's QMF samples, in place, and the right one beside it.
  ///
  /// - Parameters:
  ///   - data: the parameters; both channels are the same where there are none yet.
  ///   - isFresh: they are the frame's own; otherwise the last of them are held.
  func process(_ channel: SBRChannel, _ data: PSData?, isFresh: Bool) {
    guard let data else {
      SpectralKernels.copy(channel.high, range: 0..<right.count, to: &right, at: 0)
      return
    }
    let has34 = data.has34Bands ?? is34
    if has34, bank34 == nil { bank34 = Self.bank(PSShape.of34, slots) }
    let bank = has34 ? bank34 ?? bank20 : bank20
    if has34 != is34 {
      is34 = has34
      bank.reset()
      mixer.remap(to34: has34)
    }
    bank.split(channel.high)
    bank.decorrelate()
    if isFresh {
      for envelope in 0..<data.envelopeCount {
        mixer.mix(bank, data, envelope, data.border(envelope)..<data.border(envelope + 1))
      }
    } else {
      mixer.hold(bank, 0..<slots)
    }
    bank.join(into: &channel.high, &right)
  }

  /// Multiplies the right channel's samples by the factors of dynamic range control.
  func weigh(by rows: DynamicRangeRows) { rows.apply(to: &right) }

  func synthesize(_ bank: QMFSynthesis, into output: inout [Float]) {
    bank.synthesize(right, row: 0, slots: slots, memory: &synthesisMemory, into: &output)
  }
}
