import AACKit
import AudioFiles
import Foundation
import PCM
import Testing

@Suite struct ComparisonTests {
  private func compare(_ first: PCMBuffer, _ second: PCMBuffer, aligns: Bool = true) throws -> Comparison {
    try Comparison(BufferReader(first), BufferReader(second), aligns: aligns)
  }

  private func shifted(_ sound: PCMBuffer, by count: Int) -> PCMBuffer {
    let channels = sound.channels.map { channel in
      count >= 0
        ? [Float](repeating: 0, count: count) + channel : [Float](channel.dropFirst(-count))
    }
    return PCMBuffer(format: sound.format, channels: channels)
  }

  @Test func agreesWithPlainSums() throws {
    let first = noise(frames: 3000, seed: 1)
    var second = first
    for frame in 0..<3000 { second.channels[1][frame] += frame == 77 ? 0.25 : 0.001 }
    let comparison = try compare(first, second)
    var energy = 0.0
    var difference = 0.0
    for frame in 0..<3000 {
      let error = Double(first.channels[1][frame]) - Double(second.channels[1][frame])
      energy += pow(Double(first.channels[1][frame]), 2)
      difference += error * error
    }
    #expect(comparison.offset == 0)
    #expect(comparison.frames == 3000)
    #expect(comparison.channels[0].signalToNoise == .infinity)
    #expect(abs(comparison.channels[1].signalToNoise - 10 * log10(energy / difference)) < 1e-9)
    #expect(abs(comparison.channels[1].rms - (difference / 3000).squareRoot()) < 1e-12)
    #expect(abs(comparison.largest - 0.25) < 1e-6)
    #expect(!comparison.isEqual)
  }

  @Test(arguments: [0, 1, -1, 481, -1024, 2112, 4000, -3333]) func offsets(shift: Int) throws {
    let first = noise(frames: 20000, seed: 2)
    let comparison = try compare(first, shifted(first, by: shift))
    #expect(comparison.offset == shift)
    #expect(comparison.largest == 0)
    #expect(comparison.frames == Int64(20000 - max(0, -shift)))
    #expect(comparison.firstFrames == 20000)
    #expect(comparison.secondFrames == Int64(20000 + shift))
    #expect(comparison.isEqual == (shift == 0))
    if shift != 0 { #expect(try compare(first, shifted(first, by: shift), aligns: false).largest > 0.1) }
  }

  /// Of the offsets that fit a periodic sound equally well, the smallest counts.
  @Test func periodicSounds() throws {
    let period = (0..<100).map { Float(sin(2 * .pi * Double($0) / 100)) * 0.5 }
    let tone = (0..<20000).map { period[$0 % 100] }
    let format = PCMFormat(sampleRate: 44100, layout: .mono)
    let first = PCMBuffer(format: format, channels: [tone])
    #expect(try compare(first, first).offset == 0)
    let later = PCMBuffer(format: format, channels: [(0..<20000).map { period[($0 + 70) % 100] }])
    #expect(abs(try compare(first, later).offset) == 30)
  }

  /// Sounds that are longer than the part that is looked at for the offset.
  @Test func longSounds() throws {
    let first = noise(frames: 300_000, layout: .mono, seed: 3)
    let comparison = try compare(first, shifted(first, by: 1105))
    #expect(comparison.offset == 1105)
    #expect(comparison.frames == 300_000)
    #expect(comparison.largest == 0)
  }

  @Test func silenceAndNothing() throws {
    let format = PCMFormat(sampleRate: 44100, layout: .mono)
    let silence = PCMBuffer(format: format, channels: [[Float](repeating: 0, count: 500)])
    #expect(try compare(silence, silence).isEqual)
    let nothing = PCMBuffer(format: format)
    #expect(try compare(nothing, nothing).frames == 0)
    #expect(try compare(silence, nothing).firstFrames == 500)
    #expect(!(try compare(silence, nothing).isEqual))
  }

  @Test func notANumberIsTheLargestDifference() throws {
    let first = noise(frames: 3000, layout: .mono, seed: 4)
    var second = first
    second.channels[0][5] = .nan
    #expect(try compare(first, second).largest == .infinity)
  }
}
