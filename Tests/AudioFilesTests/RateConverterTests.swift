import AudioFiles
import Foundation
import PCM
import Testing

@Suite struct RateConverterTests {
  /// Converts in blocks of odd sizes and joins the result.
  private func convert(_ sound: PCMBuffer, to rate: Int, block: Int) throws -> PCMBuffer {
    let converter = try RateConverter(
      from: sound.format.sampleRate, to: rate, layout: sound.format.layout)
    var all = [[Float]](repeating: [], count: sound.channelCount)
    var output = PCMBuffer(format: sound.format)
    var start = 0
    while start < sound.frameCount {
      let end = min(sound.frameCount, start + block)
      let part = PCMBuffer(format: sound.format, channels: sound.channels.map { [Float]($0[start..<end]) })
      try converter.convert(part, into: &output)
      for channel in all.indices {
        all[channel].append(contentsOf: output.channels[channel].prefix(output.frameCount))
      }
      start = end
    }
    try converter.finish(into: &output)
    for channel in all.indices {
      all[channel].append(contentsOf: output.channels[channel].prefix(output.frameCount))
    }
    #expect(throws: AudioFileError.self) { try converter.finish(into: &output) }
    return PCMBuffer(format: PCMFormat(sampleRate: rate, layout: sound.format.layout), channels: all)
  }

  private func sine(_ hertz: Double, rate: Int, frames: Int, _ layout: ChannelLayout = .stereo) -> PCMBuffer {
    let samples = (0..<frames).map { Float(0.5 * sin(2 * .pi * hertz * Double($0) / Double(rate))) }
    return PCMBuffer(
      format: PCMFormat(sampleRate: rate, layout: layout),
      channels: [[Float]](repeating: samples, count: layout.channelCount))
  }

  @Test("B118", arguments: [(44100, 48000), (48000, 44100), (44100, 16000), (8000, 96000), (96000, 7350)])
  func lengthsAreExact(from: Int, to: Int) throws {
    for frames in [0, 1, 2, 441, 4410, 10007] {
      for block in [160, 441, 4096] {
        let output = try convert(sine(440, rate: from, frames: frames), to: to, block: block)
        #expect(output.frameCount == (frames * to + from / 2) / from, "\(frames) frames in \(block)s")
      }
    }
  }

  /// A tone stays where it is: same phase, same level, -90 dB and better.
  @Test(arguments: [(44100, 48000), (48000, 44100), (44100, 16000), (22050, 44100)])
  func toneIsKept(from: Int, to: Int) throws {
    let output = try convert(sine(997, rate: from, frames: from / 2, .mono), to: to, block: 1000)
    var error = 0.0
    var count = 0
    for frame in output.frameCount / 4..<output.frameCount * 3 / 4 {
      let expected = 0.5 * sin(2 * .pi * 997 * Double(frame) / Double(to))
      let difference = Double(output.channels[0][frame]) - expected
      error += difference * difference
      count += 1
    }
    #expect((error / Double(count)).squareRoot() < 1e-5)
  }

  @Test func blocksMakeNoDifference() throws {
    let sound = sine(1234, rate: 44100, frames: 9000)
    #expect(
      try convert(sound, to: 48000, block: 9000).channels == convert(sound, to: 48000, block: 17).channels)
  }

  @Test func badRates() {
    #expect(throws: AudioFileError.self) { try RateConverter(from: 0, to: 44100, layout: .mono) }
  }
}
