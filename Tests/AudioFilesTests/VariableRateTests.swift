import AudioFiles
import Foundation
import PCM
import Testing

@Suite struct VariableRateTests {
  /// A tone through a converter whose speed is changed on the way, piece by piece.
  private func convert(
    _ frames: Int, from: Int, to: Int, frequency: Double, speeds: [Double]
  ) throws -> [Float] {
    let converter = try VariableRateConverter(from: from, to: to, layout: .stereo)
    let format = PCMFormat(sampleRate: from, layout: .stereo)
    var output = PCMBuffer(format: PCMFormat(sampleRate: to, layout: .stereo))
    var heard: [Float] = []
    let part = 1000
    for start in stride(from: 0, to: frames, by: part) {
      let index = start * speeds.count / frames
      if converter.speed != speeds[index] { converter.setSpeed(speeds[index], within: to / 2) }
      let tone = (start..<start + part).map {
        Float(0.5 * sin(2 * .pi * frequency * Double($0) / Double(from)))
      }
      try converter.convert(PCMBuffer(format: format, channels: [tone, tone]), into: &output)
      #expect(output.channels[0].prefix(output.frameCount) == output.channels[1].prefix(output.frameCount))
      heard += output.channels[0].prefix(output.frameCount)
    }
    return heard
  }

  @Test(arguments: [(48_000, 48_000), (44_100, 48_000), (48_000, 44_100), (22_050, 48_000)])
  func usualSpeedKeepsTheTone(from: Int, to: Int) throws {
    let heard = try convert(from * 4, from: from, to: to, frequency: 997, speeds: [1])
    #expect(abs(heard.count - to * 4) < 2000)
    // The curvature of a sine is its value times a constant; a click would stand out.
    let factor = 2 * cos(2 * Double.pi * 997 / Double(to))
    var worst = 0.0
    for index in 5000..<heard.count - 5000 {
      worst = max(
        worst, abs(Double(heard[index + 1]) + Double(heard[index - 1]) - factor * Double(heard[index])))
    }
    #expect(worst < 1e-4, "\(worst)")
  }

  /// ±0.5 %, one after the other: the right number of frames, and no click where the speed changes.
  @Test func speedsChangeWithoutAClick() throws {
    let speeds = [1, 1.005, 0.995, 1.0002, 1]
    let frames = 480_000
    let heard = try convert(frames, from: 48_000, to: 48_000, frequency: 500, speeds: speeds)
    let expected = speeds.reduce(0) { $0 + Double(frames) / Double(speeds.count) / $1 }
    #expect(abs(Double(heard.count) - expected) < 1500, "\(heard.count), \(expected)")
    let factor = 2 * cos(2 * Double.pi * 500 / 48_000)
    var worst = 0.0
    for index in 5000..<heard.count - 5000 {
      worst = max(
        worst, abs(Double(heard[index + 1]) + Double(heard[index - 1]) - factor * Double(heard[index])))
    }
    // Half a per cent of the frequency changes the curvature by 2·0.5 %·(2π·500/48000)²·0.5 = 2.1e-5.
    #expect(worst < 5e-5, "\(worst)")
    #expect(abs((heard.max() ?? 0) - 0.5) < 0.005)
  }

  /// With its end taken out, nothing of a sound is missing.
  @Test(arguments: [(48_000, 48_000), (44_100, 48_000), (48_000, 16_000), (8_000, 48_000)])
  func endComesOut(from: Int, to: Int) throws {
    let converter = try VariableRateConverter(from: from, to: to, layout: .mono)
    var input = PCMBuffer(format: PCMFormat(sampleRate: from, layout: .mono), frameCount: from)
    for frame in 0..<from { input.channels[0][frame] = 0.5 }
    var output = PCMBuffer(format: input.format)
    try converter.convert(input, into: &output)
    var heard = Array(output.channels[0].prefix(output.frameCount))
    converter.finish(into: &output)
    heard += output.channels[0].prefix(output.frameCount)
    #expect(abs(heard.count - to) < 8, "\(heard.count)")
    #expect(heard.dropFirst(to / 10).dropLast(to / 10).allSatisfy { abs($0 - 0.5) < 0.001 })
  }

  @Test func limits() throws {
    let converter = try VariableRateConverter(from: 48_000, to: 48_000, layout: .mono)
    converter.setSpeed(5, within: 10)
    #expect(converter.speed == 1.01)
    converter.setSpeed(.nan, within: 10)
    #expect(converter.speed == 1.01)
    converter.setSpeed(0, within: -5)
    #expect(converter.speed == 0.99)
    var output = PCMBuffer(format: PCMFormat(sampleRate: 48_000, layout: .mono))
    #expect(throws: AudioFileError.self) {
      try converter.convert(
        PCMBuffer(format: PCMFormat(sampleRate: 44_100, layout: .mono), frameCount: 5), into: &output)
    }
    try converter.convert(PCMBuffer(format: output.format), into: &output)
    #expect(output.frameCount == 0)
    #expect(throws: AudioFileError.self) { try VariableRateConverter(from: 0, to: 1, layout: .mono) }
  }
}
