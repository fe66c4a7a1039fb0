import DSP
import Foundation
import PCM
import Testing

@testable import AAC

/// Surround: all channels share one budget at one price, and the low frequency channel takes little of it.
struct EncoderSharedBudgetTests {
  /// Bits of each channel element of a packet.
  private static func elementBits(_ packets: [Packet], _ settings: EncoderSettings) throws -> [Int] {
    let encoder = try AACEncoder(settings)
    let elements = encoder.configuration.elements
    var totals = [Int](repeating: 0, count: elements.count)
    var block = RawDataBlock()
    let bands = ScaleFactorBands.at(settings.sampleRate)
    for packet in packets {
      var bits = BitReader(packet.data)
      try block.parse(&bits, bands: bands)
      var next = 0
      for (index, element) in elements.enumerated() {
        var writer = BitWriter()
        for _ in 0..<element.channelCount {
          SingleChannel.write(tag: 0, block.streams[next], to: &writer, bands: bands)
          next += 1
        }
        totals[index] += writer.bitCount
      }
    }
    return totals
  }

  static let layouts: [(ChannelLayout, Int)] = [(.surround51, 192_000), (.surround71, 256_000)]

  /// A loud pair among silent channels has nearly the whole rate: as good as a pair alone at the rate of all.
  @Test(arguments: layouts) func silentChannelsLeaveTheirBits(layout: ChannelLayout, rate: Int) throws {
    let frames = 30000
    let left = Signal.music(rate: 48000, frames: frames, seed: 71)
    let right = Signal.music(rate: 48000, frames: frames, seed: 72)
    var channels = [[Float]](repeating: [Float](repeating: 0, count: frames), count: layout.channelCount)
    channels[0] = left
    channels[1] = right
    func noise(_ layout: ChannelLayout, _ rate: Int, _ channels: [[Float]]) throws -> Double {
      var settings = EncoderSettings(sampleRate: 48000, layout: layout, rate: .constant(rate))
      settings.effort = .medium
      settings.bandwidth = 16000
      let packets = try encode(PCMBuffer(channels, rate: 48000, layout: layout), settings)
      return try NoiseToMask.measure(left, decode(packets, settings)[0], sampleRate: 48000)
    }
    let shared = try noise(layout, rate, channels)
    let alone = try noise(.stereo, rate * 9 / 10, [left, right])
    let split = try noise(.stereo, rate * 2 / (layout.channelCount - 1), [left, right])
    #expect(shared < alone, "\(shared), \(alone) and \(split) dB")
    #expect(shared < split - 3, "\(shared), \(alone) and \(split) dB")
  }

  /// One price for the whole frame: hard channels take more bits than easy ones, for the same noise over mask.
  @Test func onePriceForAllChannels() throws {
    let layout = ChannelLayout.surround51
    let frames = 40000
    var settings = EncoderSettings(sampleRate: 48000, layout: layout, rate: .constant(320_000))
    settings.effort = .medium
    settings.bandwidth = 24000
    settings.tools.remove(.noiseSubstitution)
    var channels = (0..<6).map { Signal.noise(frames: frames, amplitude: 0.002, seed: UInt64(80 + $0)) }
    for channel in 0..<2 {
      channels[channel] = Signal.noise(frames: frames, amplitude: 0.3, seed: UInt64(90 + channel))
    }
    channels[2] = Signal.tone(440, rate: 48000, frames: frames)
    channels[3] = Signal.tone(50, rate: 48000, frames: frames)
    let packets = try encode(PCMBuffer(channels, rate: 48000, layout: layout), settings)
    let decoded = try decode(packets, settings)
    let noise = try [0, 1, 4, 5].map {
      try NoiseToMask.measure(
        Array(channels[$0][2048..<36864]), Array(decoded[$0][2048..<36864]), sampleRate: 48000)
    }
    #expect((noise.max() ?? 0) - (noise.min() ?? 0) < 4, "\(noise) dB")
    // The elements are centre, front pair, surround pair, low frequencies.
    let bits = try Self.elementBits(packets, settings)
    #expect(bits[0] * 5 < bits[1], "\(bits)")
    #expect(bits[3] * 10 < bits[1], "\(bits)")
  }

  /// Nothing above 200 Hz is sent in the low frequency channel, at any sampling rate; 120 Hz is.
  @Test(arguments: SamplingRate.indexed) func lowFrequencyChannelsEndAt200Hertz(sampleRate: Int) throws {
    let layout = ChannelLayout.surround51
    let most = EncoderPlan.bitRates(sampleRate: sampleRate, channels: 6).upperBound
    var settings = EncoderSettings(
      sampleRate: sampleRate, layout: layout, rate: .constant(min(384_000, most / 2)))
    settings.effort = .low
    let frames = max(8192, sampleRate / 4)
    var channels = [[Float]](repeating: [Float](repeating: 0, count: frames), count: 6)
    let noise = Signal.noise(frames: frames, amplitude: 0.3, seed: 99)
    let tone = Signal.tone(110, rate: sampleRate, frames: frames, amplitude: 0.3)
    channels[3] = zip(noise, tone).map { $0 + $1 }
    let packets = try encode(PCMBuffer(channels, rate: sampleRate, layout: layout), settings)
    let bands = ScaleFactorBands.at(sampleRate)
    var block = RawDataBlock()
    var coded = 0
    for packet in packets {
      var bits = BitReader(packet.data)
      try block.parse(&bits, bands: bands)
      let stream = try #require(block.streams.prefix(6).last)
      #expect(!stream.info.isShort && stream.tns == nil)
      let end = bands.long[stream.info.maxBand]
      #expect(end * sampleRate <= 200 * 2048 && end * sampleRate > 120 * 2048)
      if stream.spectrum[..<end].contains(where: { $0 != 0 }) { coded += 1 }
    }
    #expect(coded > packets.count / 2)
    let decoded = try decode(packets, settings)[3]
    // What is left is the tone and the noise around it.
    let middle = 2048..<frames - 2048
    #expect(signalToNoise(Array(tone[middle]), Array(decoded[middle])) > 8)
  }
}
