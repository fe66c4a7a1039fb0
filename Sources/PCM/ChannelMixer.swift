/// Mixes the channels of one layout to those of another.
///
/// Folding down follows ITU-R BS.775 or, to one or two channels, an AAC stream's matrix (see `Downmix`); it has no
/// low-frequency channel and is scaled so that full-scale input cannot leave full scale. A single channel goes to left and right unchanged;
/// speakers that the input lacks stay silent.
public struct ChannelMixer: Sendable {
  public let input: ChannelLayout
  public let output: ChannelLayout
  /// `gains[o][i]`: how much of input channel `i` is in output channel `o`.
  public let gains: [[Float]]

  /// `nil` where a channel without a place would have to be mixed.
  public init?(from input: ChannelLayout, to output: ChannelLayout, downmix: Downmix = .itu) {
    self.input = input
    self.output = output
    if input == output {
      gains = input.speakers.indices.map { row in input.speakers.indices.map { $0 == row ? 1 : 0 } }
      return
    }
    if case .matrix(let surround, let pseudoSurround) = downmix, input.channelCount > 2,
      output == .mono || output == .stereo
    {
      guard
        var rows = Downmix.matrixRows(
          from: input, toMono: output == .mono, surround: surround, pseudoSurround: pseudoSurround)
      else { return nil }
      Downmix.scale(&rows)
      gains = rows
      return
    }
    var rows = [[Float]](
      repeating: [Float](repeating: 0, count: input.channelCount), count: output.channelCount)
    for (channel, speaker) in input.speakers.enumerated() {
      guard let speaker, let parts = Self.parts(of: speaker, in: output, alone: input.channelCount == 1)
      else { return nil }
      for (row, gain) in parts { rows[row][channel] += gain }
    }
    Downmix.scale(&rows)
    gains = rows
  }

  /// Output channels that a speaker goes to; `nil` where the output has no place for it.
  private static func parts(
    of speaker: Speaker, in output: ChannelLayout, alone: Bool
  ) -> [(row: Int, gain: Float)]? {
    func row(_ speaker: Speaker) -> Int? { output.speakers.firstIndex(of: speaker) }
    if let same = row(speaker) { return [(same, 1)] }
    if let twin = twin(of: speaker).flatMap(row) { return [(twin, 1)] }
    let half = Float(0.5).squareRoot()
    guard let left = row(.frontLeft), let right = row(.frontRight) else {
      guard let center = row(.frontCenter) else { return nil }
      return side(of: speaker).map { [(center, ($0.left + $0.right) * half)] } ?? []
    }
    if alone { return [(left, 1), (right, 1)] }
    guard let side = side(of: speaker) else { return [] }
    return [(left, side.left), (right, side.right)].filter { $0.1 != 0 }
  }

  /// Side and back surrounds stand for each other where only one pair is there.
  private static func twin(of speaker: Speaker) -> Speaker? {
    switch speaker {
    case .backLeft: .sideLeft
    case .backRight: .sideRight
    case .sideLeft: .backLeft
    case .sideRight: .backRight
    default: nil
    }
  }

  /// What a speaker gives to front left and right; `nil` for the low-frequency channel.
  private static func side(of speaker: Speaker) -> (left: Float, right: Float)? {
    let half = Float(0.5).squareRoot()
    switch speaker {
    case .frontLeft, .frontLeftOfCenter: return (1, 0)
    case .frontRight, .frontRightOfCenter: return (0, 1)
    case .frontCenter, .topFrontCenter: return (half, half)
    case .backLeft, .sideLeft, .topFrontLeft, .topBackLeft: return (half, 0)
    case .backRight, .sideRight, .topFrontRight, .topBackRight: return (0, half)
    case .backCenter, .topCenter, .topBackCenter: return (0.5, 0.5)
    case .lowFrequency: return nil
    }
  }

  /// Mixes all frames of `source` (of the input layout) into `target`, which gets the output layout.
  public func mix(_ source: PCMBuffer, into target: inout PCMBuffer) {
    precondition(source.channelCount == input.channelCount, "a buffer of the input layout")
    let frames = source.frameCount
    target.resize(to: frames, format: PCMFormat(sampleRate: source.format.sampleRate, layout: output))
    for row in gains.indices {
      var first = true
      for channel in source.channels.indices where gains[row][channel] != 0 {
        accumulate(source.channels[channel], gains[row][channel], frames, first, &target.channels[row])
        first = false
      }
      if first { silence(frames, &target.channels[row]) }
    }
  }
}

private func accumulate(
  _ source: [Float], _ gain: Float, _ frames: Int, _ replaces: Bool, _ target: inout [Float]
) {
  if replaces {
    for frame in 0..<frames { target[frame] = source[frame] * gain }
  } else {
    for frame in 0..<frames { target[frame] += source[frame] * gain }
  }
}

private func silence(_ frames: Int, _ target: inout [Float]) {
  for frame in 0..<frames { target[frame] = 0 }
}
