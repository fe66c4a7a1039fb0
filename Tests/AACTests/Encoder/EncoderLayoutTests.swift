import Foundation
import PCM
import Testing

@testable import AAC

/// Each rate and each layout: every channel comes back as itself.
struct EncoderLayoutTests {
  static let layouts: [ChannelLayout] = [
    .mono, .stereo, .surround30, .surround40, .quad, .surround50, .surround51, .surround61, .surround71,
    .surround71Front, .surround512,
  ]

  @Test(arguments: layouts) func channelsStayApart(layout: ChannelLayout) throws {
    try Self.check(layout: layout, sampleRate: 44100)
  }

  @Test(arguments: SamplingRate.indexed) func everyRateEncodes(sampleRate: Int) throws {
    try Self.check(layout: .surround30, sampleRate: sampleRate)
  }

  /// A tone of its own in each channel; most of what is decoded from a channel is that tone.
  static func check(layout: ChannelLayout, sampleRate: Int) throws {
    let frames = 6 * 1024
    let count = layout.channelCount
    let tones = (0..<count).map { channel in
      layout.speakers[channel] == .lowFrequency
        ? Signal.tone(60, rate: sampleRate, frames: frames)
        : Signal.tone(
          Double(sampleRate) / 64 * (1 + 0.37 * Double(channel)), rate: sampleRate, frames: frames)
    }
    let perChannel = min(64000, EncoderPlan.bitRates(sampleRate: sampleRate, channels: 1).upperBound / 2)
    let settings = EncoderSettings(
      sampleRate: sampleRate, layout: layout, rate: .constant(perChannel * count))
    let packets = try encode(PCMBuffer(tones, rate: sampleRate, layout: layout), settings)
    let decoder = try AACDecoder(AACEncoder(settings).configuration)
    #expect(decoder.format == PCMFormat(sampleRate: sampleRate, layout: layout))
    let decoded = try decode(packets, settings)
    for channel in 0..<count {
      for other in 0..<count {
        let part = Self.part(of: tones[other], in: decoded[channel])
        if channel == other {
          #expect(part > 0.8 && part < 1.2, "channel \(channel) of \(layout.name) at \(sampleRate)")
        } else {
          #expect(part < 0.02, "\(other) in \(channel) of \(layout.name) at \(sampleRate)")
        }
      }
    }
  }

  /// Energy of a tone's projection over the tone's own.
  private static func part(of tone: [Float], in sound: [Float]) -> Float {
    var product: Float = 0
    var energy: Float = 0
    for (x, y) in zip(tone, sound) {
      product += x * y
      energy += x * x
    }
    return (product / energy) * (product / energy)
  }
}
