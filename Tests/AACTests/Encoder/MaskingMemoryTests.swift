import DSP
import Foundation
import Testing

@testable import AAC

/// What masking remembers from window to window, and what that gains.
struct MaskingMemoryTests {
  let model: FrameModel
  let bands: ScaleFactorBands

  init() throws {
    model = FrameModel(
      rate: try SamplingRate(44100), bandwidth: 22050, tools: .all, effort: EffortPlan(.high))
    bands = model.bands
  }

  /// Weights of each of the windows of two blocks of sound.
  private func weights(
    _ sound: [Float], short: Bool, forgetting: Bool
  ) -> (spectrum: [Float], weights: [[Float]]) {
    var spectrum = [Float](repeating: 0, count: 1024)
    var all: [Float] = []
    var result: [[Float]] = []
    let analysis = short ? model.short : model.long
    var memory = analysis.makeMemory()
    for start in stride(from: 0, through: sound.count - 2048, by: 1024) {
      model.filterbank.analyze(
        sound, at: start, sequence: short ? .eightShort : .onlyLong, shape: .sine, previousShape: .sine,
        into: &spectrum)
      for line in stride(from: 0, to: 1024, by: short ? 128 : 1024) {
        var weights = [Float](repeating: 0, count: ChannelStream.bandCapacity)
        if forgetting { memory.forget() }
        analysis.analyze(spectrum, at: line, memory: &memory, weights: &weights, at: 0)
        result.append(weights)
      }
      all += spectrum
    }
    return (all, result)
  }

  /// Bits of a window's lines by theory, noise weighed.
  private func bits(_ spectrum: [Float], window: Int, short: Bool, weights: [Float]) -> Float {
    let offsets = bands.offsets(short: short)
    let start = window * (short ? 128 : 1024)
    var sum: Float = 0
    for band in 0..<offsets.count - 1 {
      sum += SpectralKernels.logSum(
        spectrum, range: start + offsets[band]..<start + offsets[band + 1], weight: weights[band] / 0.01)
    }
    return sum / 2
  }

  /// What follows a loud sound within milliseconds is masked by it: fewer bits for the same noise over mask.
  @Test func loudSoundsMaskWhatFollows() {
    let noise = Signal.noise(frames: 2048, amplitude: 0.5, seed: 50)
    // Loud up to the end of the third short window.
    let sound = noise.enumerated().map { $0 < 448 + 3 * 128 ? $1 : $1 * 0.03 }
    let with = weights(sound, short: true, forgetting: false)
    let without = weights(sound, short: true, forgetting: true)
    let window = 4
    let saved =
      1
      - bits(with.spectrum, window: window, short: true, weights: with.weights[window])
      / bits(without.spectrum, window: window, short: true, weights: without.weights[window])
    #expect(saved > 0.2, "\(saved) of the bits")
  }

  /// A long window with an attack in it begins quietly: its mask stays near that of the window before, and the
  /// noise that would be heard before the attack is less.
  @Test func masksDoNotRiseAheadOfAttacks() {
    let noise = Signal.noise(frames: 3 * 1024, amplitude: 0.5, seed: 51)
    let sound = noise.enumerated().map { $0 < 2560 ? $1 * 0.003 : $1 }
    let with = weights(sound, short: false, forgetting: false).weights[1]
    let without = weights(sound, short: false, forgetting: true).weights[1]
    // What the same price lets pass of noise, in dB.
    let less = (5..<40).map { 10 * log10(Double(with[$0] / without[$0])) }
    #expect(less.min() ?? 0 > 10, "\(less) dB")
    // A steady sound is not concerned.
    let steady = weights(noise, short: false, forgetting: false).weights[1]
    let fresh = weights(noise, short: false, forgetting: true).weights[1]
    for band in 5..<40 { #expect(abs(10 * log10(Double(steady[band] / fresh[band]))) < 3) }
  }

  /// Windows of the other length in between: what was long ago neither masks nor limits.
  @Test func windowsOfTheOtherLengthAreForgotten() {
    let input = ChannelInput(
      frameLength: 1024, longMemory: model.long.makeMemory(), shortMemory: model.short.makeMemory())
    var spectrum = [Float](repeating: 0, count: 1024)
    var quiet = [Float](repeating: 0, count: ChannelStream.bandCapacity)
    var weights = quiet
    var fresh = model.long.makeMemory()
    fresh.forget()
    let noise = Signal.noise(frames: 2048, amplitude: 0.5, seed: 52)
    model.filterbank.analyze(
      noise, at: 0, sequence: .onlyLong, shape: .sine, previousShape: .sine, into: &spectrum)
    let silence = [Float](repeating: 0, count: 1024)
    input.beginWindows(short: false)
    model.long.analyze(silence, at: 0, memory: &input.longMemory, weights: &quiet, at: 0)
    input.beginWindows(short: true)
    input.beginWindows(short: false)
    model.long.analyze(spectrum, at: 0, memory: &input.longMemory, weights: &weights, at: 0)
    var expected = quiet
    model.long.analyze(spectrum, at: 0, memory: &fresh, weights: &expected, at: 0)
    #expect(weights == expected)
    // Without the short windows the silence limits the mask.
    input.beginWindows(short: false)
    model.long.analyze(silence, at: 0, memory: &input.longMemory, weights: &quiet, at: 0)
    input.beginWindows(short: false)
    model.long.analyze(spectrum, at: 0, memory: &input.longMemory, weights: &weights, at: 0)
    #expect(weights[10] > 100 * expected[10])
  }
}
