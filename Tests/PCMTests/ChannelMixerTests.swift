import PCM
import Testing

@Suite struct ChannelMixerTests {
  private func constant(_ levels: [Float], _ layout: ChannelLayout) -> PCMBuffer {
    PCMBuffer(
      format: PCMFormat(sampleRate: 48000, layout: layout),
      channels: levels.map { [Float](repeating: $0, count: 4) })
  }

  private func mix(_ levels: [Float], _ from: ChannelLayout, _ to: ChannelLayout) throws -> [Float] {
    let mixer = try #require(ChannelMixer(from: from, to: to))
    var output = PCMBuffer(format: PCMFormat(sampleRate: 1, layout: .mono))
    mixer.mix(constant(levels, from), into: &output)
    #expect(output.format == PCMFormat(sampleRate: 48000, layout: to))
    #expect(output.frameCount == 4)
    return output.channels.map { $0[3] }
  }

  @Test("B050, B052") func stereoToMonoIsTheMean() throws {
    #expect(try mix([0.5, 0.25], .stereo, .mono) == [0.375])
    #expect(try mix([1, -1], .stereo, .mono) == [0])
    #expect(try mix([0, 1], .stereo, .mono) == [0.5])
  }

  @Test("B050, B051") func monoGoesToBothSides() throws {
    #expect(try mix([0.7], .mono, .stereo) == [0.7, 0.7])
    #expect(try mix([0.7], .mono, .surround51) == [0, 0, 0.7, 0, 0, 0])
  }

  /// ITU-R BS.775: L + 0.7071 C + 0.7071 Ls, scaled by the sum of the gains.
  @Test func surroundToStereo() throws {
    let half = Float(0.5).squareRoot()
    let sum = 1 + 2 * half
    let mixer = try #require(ChannelMixer(from: .surround51, to: .stereo))
    let expected: [[Float]] = [[1, 0, half, 0, half, 0], [0, 1, half, 0, 0, half]]
    for row in 0..<2 {
      for channel in 0..<6 {
        #expect(abs(mixer.gains[row][channel] - expected[row][channel] / sum) < 1e-6)
      }
    }
  }

  /// Every pair of layouts that mixes keeps full-scale input of any signs within full scale.
  @Test func b052_nothingClips() throws {
    let layouts: [ChannelLayout] = [
      .mono, .stereo, .surround30, .surround40, .quad, .surround50, .surround51, .surround61,
      .surround71, .surround71Front, .surround512,
    ]
    for from in layouts {
      for to in [ChannelLayout.mono, .stereo, .surround51] {
        let mixer = try #require(ChannelMixer(from: from, to: to))
        for row in mixer.gains { #expect(row.reduce(0) { $0 + abs($1) } <= 1.000001) }
        // Something of every channel but the low-frequency one is left.
        for (channel, speaker) in from.speakers.enumerated() where speaker != .lowFrequency {
          #expect(mixer.gains.contains { $0[channel] > 0 }, "\(from.name) to \(to.name)")
        }
      }
    }
  }

  @Test func sideAndBackStandForEachOther() throws {
    let side = ChannelLayout([.frontLeft, .frontRight, .frontCenter, .lowFrequency, .sideLeft, .sideRight])
    #expect(
      try mix([1, 2, 3, 4, 5, 6].map { $0 / 8 }, side, .surround51) == [1, 2, 3, 4, 5, 6].map { $0 / 8 })
  }

  @Test func placelessChannelsDoNotMix() {
    #expect(ChannelMixer(from: .discrete(3), to: .stereo) == nil)
    #expect(ChannelMixer(from: .discrete(3), to: .discrete(3)) != nil)
  }
}

@Suite struct ChannelMaskTests {
  @Test func standardMasks() {
    #expect(ChannelLayout.mono.mask == 0x4)
    #expect(ChannelLayout.stereo.mask == 0x3)
    #expect(ChannelLayout.surround51.mask == 0x3F)
    #expect(ChannelLayout.surround71.mask == 0x63F)
    #expect(ChannelLayout.discrete(2).mask == nil)
    #expect(ChannelLayout([.frontRight, .frontLeft]).mask == nil)
  }

  @Test func layoutsFromMasks() {
    #expect(ChannelLayout(mask: 0x3F, channelCount: 6) == .surround51)
    #expect(ChannelLayout(mask: 0, channelCount: 6) == .surround51)
    #expect(ChannelLayout(mask: 0, channelCount: 9) == .discrete(9))
    #expect(ChannelLayout(mask: 0x3, channelCount: 3).speakers == [.frontLeft, .frontRight, nil])
    #expect(ChannelLayout(mask: 0x3F, channelCount: 2) == .stereo)
    #expect(ChannelLayout(mask: 0xFFFF_FFFF, channelCount: 1).speakers == [.frontLeft])
  }
}
