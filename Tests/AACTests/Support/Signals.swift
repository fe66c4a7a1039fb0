import Foundation
import PCM

@testable import AAC

/// Test sounds.
enum Signal {
  static func tone(_ hertz: Double, rate: Int, frames: Int, amplitude: Double = 0.5) -> [Float] {
    (0..<frames).map { Float(amplitude * sin(2 * .pi * hertz * Double($0) / Double(rate))) }
  }

  static func noise(frames: Int, amplitude: Float, seed: UInt64) -> [Float] {
    var random = SeededGenerator(seed: seed)
    return (0..<frames).map { _ in Float.random(in: -amplitude...amplitude, using: &random) }
  }

  /// Bursts of decaying noise over a tone: something for every tool.
  static func music(rate: Int, frames: Int, seed: UInt64) -> [Float] {
    let noise = noise(frames: frames, amplitude: 1, seed: seed)
    return (0..<frames).map { frame in
      let since = Double(frame % (rate / 5)) / Double(rate)
      let time = Double(frame) / Double(rate)
      let harmonics = sin(2 * .pi * 330 * time) + 0.5 * sin(2 * .pi * 990 * time)
      return Float(0.2 * harmonics + 0.4 * exp(-since * 60) * Double(noise[frame]))
    }
  }
}

extension PCMBuffer {
  init(_ channels: [[Float]], rate: Int, layout: ChannelLayout) {
    self.init(format: PCMFormat(sampleRate: rate, layout: layout), channels: channels)
  }
}

/// Encodes a whole sound in pieces of `chunk` frames.
func encode(_ buffer: PCMBuffer, _ settings: EncoderSettings, chunk: Int = 4096) throws -> [Packet] {
  let encoder = try AACEncoder(settings)
  var packets: [Packet] = []
  var start = 0
  while start < buffer.frameCount {
    let end = min(start + chunk, buffer.frameCount)
    let piece = PCMBuffer(format: buffer.format, channels: buffer.channels.map { Array($0[start..<end]) })
    packets += try encoder.encode(piece)
    start = end
  }
  return try packets + encoder.finish()
}

/// Decodes packets and takes priming and padding off.
func decode(_ packets: [Packet], _ settings: EncoderSettings) throws -> [[Float]] {
  let decoder = try AACDecoder(AACEncoder(settings).configuration)
  var channels = [[Float]](repeating: [], count: settings.layout.channelCount)
  for packet in packets {
    let output = try decoder.decode(packet.data)
    for channel in channels.indices {
      channels[channel] += output.channels[channel][packet.priming..<output.frameCount - packet.padding]
    }
  }
  return channels
}

/// Signal-to-noise ratio in dB.
func signalToNoise(_ reference: [Float], _ decoded: [Float]) -> Double {
  var signal = 0.0
  var noise = 0.0
  for (x, y) in zip(reference, decoded) {
    signal += Double(x) * Double(x)
    noise += Double(x - y) * Double(x - y)
  }
  return 10 * log10(signal / max(noise, 1e-30))
}
