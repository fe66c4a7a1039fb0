import DSP
internal import PCM

/// How concealed frames die away: by frames in a row, the first at 0.
///
/// About 0.19 s at 44.1 kHz, then silence: eight frames of 1024 or 960 lines, sixteen of 512 or 480.
enum ConcealmentFade {
  private static let levels: [Float] = [0.9, 0.75, 0.6, 0.45, 0.3, 0.18, 0.1, 0.05]

  private static func level(_ run: Int, _ frameLength: Int) -> Float {
    let step = frameLength > 512 ? run : run / 2
    return step < 0 ? 1 : step < levels.count ? levels[step] : 0
  }

  /// From the frame before to the frame that is the `run`th in a row.
  static func ratio(run: Int, frameLength: Int) -> Float {
    let before = run > 0 ? level(run - 1, frameLength) : 1
    return before > 0 ? level(run, frameLength) / before : 0
  }
}

/// Channels without data of their own: the last spectrum again, its signs thrown anew two lines at a time, fading.
///
/// With the signs as they were the block would come again and again: the correlation of the sound with itself one
/// frame later is 0.6 to 0.85 over four lost frames, a buzz at the frame rate; with new signs it is 0, with the same
/// spectral distance from the original, and pairs of lines keep the lobes of steady tones together. All channels
/// get the same signs, so that what was in the middle stays there.
extension BlockDecoder {
  /// Conceals all channels of a frame.
  func conceal(_ map: ElementMap, into output: inout PCMBuffer) {
    throwSigns()
    for index in map.elements.indices { concealElement(index, map, into: &output) }
  }

  /// Conceals the channels of one element.
  func concealElement(_ index: Int, _ map: ElementMap, into output: inout PCMBuffer) {
    let first = map.firstChannels[index]
    for channel in first..<first + map.elements[index].channelCount {
      conceal(channels[channel], into: &output.channels[map.outputs[channel]])
    }
  }

  private func conceal(_ state: ChannelState, into samples: inout [Float]) {
    let wasShort = state.windowSequence == .eightShort
    if wasShort { Self.joinWindows(&state.spectrum, spare: &state.spare) }
    let ratio = ConcealmentFade.ratio(run: state.run, frameLength: bands.frameLength)
    if ratio > 0 {
      Self.throwSigns(&state.spectrum, gain: ratio, seed: signs)
    } else {
      SpectralKernels.clear(&state.spectrum, range: 0..<bands.frameLength)
    }
    // Predictors that have seen another past than the encoder's would add what nobody subtracted.
    state.prediction?.reset()
    var info = ICSInfo()
    // The rising slope has to fit the falling one of the frame before.
    info.windowSequence = wasShort || state.windowSequence == .longStart ? .longStop : .onlyLong
    info.windowShape = state.windowShape
    let (run, isHeard) = (state.run, state.isHeard)
    synthesize(info, state, into: &samples)
    state.run = min(run + 1, 1 << 30)
    state.isBroken = true
    state.isHeard = isHeard
  }

  /// Lets the channels sound out: their overlap, and nothing new.
  func drain(_ map: ElementMap, into output: inout PCMBuffer) {
    for (channel, state) in channels.enumerated() {
      SpectralKernels.clear(&state.spectrum, range: 0..<bands.frameLength)
      var info = ICSInfo()
      info.windowSequence =
        state.windowSequence == .eightShort || state.windowSequence == .longStart ? .longStop : .onlyLong
      info.windowShape = state.windowShape
      synthesize(info, state, into: &output.channels[map.outputs[channel]])
    }
  }

  /// The access unit to come does not follow the one before.
  func discontinuity() {
    for state in channels {
      state.prediction?.reset()
      state.isBroken = true
    }
    for state in couplingChannels {
      state?.prediction?.reset()
      state?.isBroken = true
    }
  }

  private static func throwSigns(_ lines: inout [Float], gain: Float, seed: UInt32) {
    var random = seed
    var line = 0
    while line + 1 < lines.count {
      random = random &* 1_664_525 &+ 1_013_904_223
      let factor = Int32(bitPattern: random) < 0 ? -gain : gain
      lines[line] *= factor
      lines[line + 1] *= factor
      line += 2
    }
  }

  /// Makes the lines of one long window of those of eight short ones. What sounds on is what was left at the end:
  /// the energies of the last two windows, so that an attack before them does not come again.
  static func joinWindows(_ lines: inout [Float], spare: inout [Float]) {
    let count = lines.count / 8
    for line in 0..<count {
      // Damaged lines can be so large that a Float could not hold their squares.
      let first = Double(lines[6 * count + line])
      let second = Double(lines[7 * count + line])
      // Long lines of the same sound have eight times the energy of short ones.
      let value = Float((4 * (first * first + second * second)).squareRoot())
      let signed = second < 0 ? -value : value
      // Neighbours of one sign sound at the end of a block, of different signs in its first half.
      for offset in 0..<8 { spare[8 * line + offset] = offset & 3 == 3 ? -signed : signed }
    }
    swap(&lines, &spare)
  }
}

/// Whether what an access unit says can be sound.
extension BlockDecoder {
  enum Trust {
    /// Whatever the data says.
    case all
    /// Not louder than any sound: a mean of twice full scale.
    case plausible
    /// Besides, about as loud as the frame before: of an access unit that breaks off.
    case similar
  }

  private static let largestPower: Float = 4
  /// 9 dB either way.
  private static let largestRatio: Float = 8

  /// Asks for an element that the block has; the channels' `spare` holds the spectrum before.
  func isBelievable(_ index: Int, _ infos: (ICSInfo, ICSInfo), _ trust: Trust, _ map: ElementMap) -> Bool {
    guard trust != .all else { return true }
    let first = map.firstChannels[index]
    for channel in first..<first + map.elements[index].channelCount {
      let state = channels[channel]
      let power = Self.power(state.spectrum, isShort: (channel == first ? infos.0 : infos.1).isShort)
      // Sums beyond what a number can hold are not smaller either.
      guard power <= Self.largestPower else { return false }
      guard trust == .similar else { continue }
      let before = Self.power(state.spare, isShort: state.windowSequence == .eightShort)
      guard state.run == 0, power <= Self.largestRatio * before, before <= Self.largestRatio * power else {
        return false
      }
    }
    return true
  }

  /// Mean square of the sound that the lines stand for; full scale is 1.
  private static func power(_ lines: [Float], isShort: Bool) -> Float {
    let count = Float(lines.count)
    return SpectralKernels.energy(lines, range: 0..<lines.count) * (isShort ? 4 : 0.5) / (count * count)
      * 0x1p-30
  }
}
