import PCM
import Testing

/// Mixing to two channels and one by a stream's matrix.
@Suite struct DownmixTests {
  private static let half = 0.5.squareRoot()
  /// matrix_mixdown_idx 0…3.
  private static let surrounds: [Double] = [half, 0.5, 0.125.squareRoot(), 0]
  private static let layouts: [ChannelLayout] = [
    .mono, .stereo, .surround30, .surround40, .quad, .surround50, .surround51, .surround61, .surround71,
    .surround71Front, .surround512, ChannelLayout(Speaker.allCases),
    ChannelLayout([.frontLeft, .frontRight, .frontCenter, .lowFrequency, .sideLeft, .sideRight]),
  ]

  private static func downmixes() -> [Downmix] {
    [.itu]
      + surrounds.flatMap { gain in
        [false, true].map { .matrix(surround: Float(gain), pseudoSurround: $0) }
      }
  }

  /// The standard's equations for five channels, in double precision.
  @Test func matricesOfFiveChannels() throws {
    for surround in Self.surrounds {
      for isPseudo in [false, true] {
        let downmix = Downmix.matrix(surround: Float(surround), pseudoSurround: isPseudo)
        for layout in [ChannelLayout.surround50, .surround51] {
          let stereo = try #require(ChannelMixer(from: layout, to: .stereo, downmix: downmix))
          let mono = try #require(ChannelMixer(from: layout, to: .mono, downmix: downmix))
          let low = layout == .surround51 ? [0.0] : []
          let rows: [[Double]] =
            isPseudo
            ? [
              [1, 0, Self.half] + low + [-surround, -surround],
              [0, 1, Self.half] + low + [surround, surround],
            ]
            : [[1, 0, Self.half] + low + [surround, 0], [0, 1, Self.half] + low + [0, surround]]
          let scale = 1 / (1 + Self.half + (isPseudo ? 2 : 1) * surround)
          for (gains, row) in zip(stereo.gains, rows) {
            for (gain, weight) in zip(gains, row) { #expect(abs(Double(gain) - scale * weight) < 1e-7) }
          }
          let single = [1, 1, 1] + low + [surround, surround]
          for (gain, weight) in zip(mono.gains[0], single) {
            #expect(abs(Double(gain) - weight / (3 + 2 * surround)) < 1e-7)
          }
        }
      }
    }
  }

  /// Full-scale input of the worst signs, every layout, every matrix: no sample beyond 1, and close to it.
  @Test func nothingClips() throws {
    for layout in Self.layouts {
      for output in [ChannelLayout.stereo, .mono] {
        for downmix in Self.downmixes() {
          let mixer = try #require(ChannelMixer(from: layout, to: output, downmix: downmix))
          for row in mixer.gains.indices {
            for sign in [Float(1), -1] {
              let channels = mixer.gains[row].map { [$0 < 0 ? -sign : sign, sign] }
              let input = PCMBuffer(
                format: PCMFormat(sampleRate: 48000, layout: layout), channels: channels)
              var mixed = PCMBuffer(format: PCMFormat(sampleRate: 48000, layout: output))
              mixer.mix(input, into: &mixed)
              let name = "\(layout.name) to \(output.name), \(downmix)"
              #expect(mixed.channels.allSatisfy { $0.allSatisfy { abs($0) <= 1 } }, "\(name)")
            }
          }
          let largest = mixer.gains.map { $0.reduce(0) { $0 + abs($1) } }.max() ?? 0
          #expect(largest > 0.99999, "\(layout.name) to \(output.name), \(downmix)")
        }
      }
    }
  }

  /// Left stays left: no channel is lost but the low-frequency one, and those that the matrix leaves out.
  @Test func everyChannelHasItsSide() throws {
    for layout in Self.layouts where layout.channelCount > 2 {
      let downmix = Downmix.matrix(surround: 0.5, pseudoSurround: false)
      let gains = try #require(ChannelMixer(from: layout, to: .stereo, downmix: downmix)).gains
      for (channel, speaker) in layout.speakers.enumerated() {
        let name = try #require(speaker).abbreviation
        let (left, right) = (gains[0][channel], gains[1][channel])
        if speaker == .lowFrequency {
          #expect(left == 0 && right == 0)
        } else if name.hasSuffix("L") || name == "FLC" {
          #expect(left > 0 && right == 0, "\(name)")
        } else if name.hasSuffix("R") || name == "FRC" {
          #expect(left == 0 && right > 0, "\(name)")
        } else {
          #expect(left > 0 && left == right, "\(name)")
        }
      }
    }
  }

  /// Few channels, and mixes to other layouts, do not know of the matrix.
  @Test func matricesAreForStereoAndMono() throws {
    let downmix = Downmix.matrix(surround: 0.5, pseudoSurround: true)
    for (from, to) in [
      (ChannelLayout.stereo, ChannelLayout.mono), (.mono, .stereo), (.surround71, .surround51),
      (.surround51, .surround30),
    ] {
      let plain = try #require(ChannelMixer(from: from, to: to))
      #expect(try #require(ChannelMixer(from: from, to: to, downmix: downmix)).gains == plain.gains)
    }
    #expect(ChannelMixer(from: .discrete(5), to: .stereo, downmix: downmix) == nil)
  }
}
