import DSP
import Foundation

@testable import AAC

/// Noise over what the ear lets pass, by the encoder's own masking model.
enum NoiseToMask {
  /// Mean over all windows of the noise-to-mask ratio, summed over the ear's partitions, in dB.
  ///
  /// - Parameters:
  ///   - short: in windows of an eighth, which tell when in a frame the noise is.
  ///   - price: what bits cost where the mask is the one that the encoder believes at that price.
  static func measure(
    _ sound: [Float], _ decoded: [Float], sampleRate: Int = 44100, short: Bool = false, price: Float? = nil
  ) throws -> Double {
    let model = FrameModel(
      rate: try SamplingRate(sampleRate), bandwidth: sampleRate / 2, tools: .all,
      effort: EffortPlan(.high))
    let highestMask = price.map(Psychoacoustics.highestMask(price:)) ?? .infinity
    let noise = zip(sound, decoded).map { $0 - $1 }
    let offsets = model.bands.offsets(short: short)
    let count = offsets.count - 1
    let length = short ? 128 : 1024
    var memory = short ? model.short.makeMemory() : model.long.makeMemory()
    // The first window is not one after silence.
    memory.forget()
    var spectrum = [Float](repeating: 0, count: 1024)
    var error = spectrum
    var weights = [Float](repeating: 0, count: ChannelStream.bandCapacity)
    var sum = 0.0
    var windows = 0
    for start in stride(from: 0, through: min(sound.count, decoded.count) - 2048, by: 1024) {
      let sequence: WindowSequence = short ? .eightShort : .onlyLong
      model.filterbank.analyze(
        sound, at: start, sequence: sequence, shape: .sine, previousShape: .sine, into: &spectrum)
      model.filterbank.analyze(
        noise, at: start, sequence: sequence, shape: .sine, previousShape: .sine, into: &error)
      for line in stride(from: 0, to: 1024, by: length) {
        (short ? model.short : model.long).analyze(
          spectrum, at: line, highestMask: highestMask, memory: &memory, weights: &weights, at: 0)
        for band in 0..<count {
          let range = line + offsets[band]..<line + offsets[band + 1]
          sum += Double(weights[band] * SpectralKernels.energy(error, range: range))
        }
        windows += 1
      }
    }
    return 10 * log10(sum / Double(max(windows, 1)) + 1e-30)
  }
}
