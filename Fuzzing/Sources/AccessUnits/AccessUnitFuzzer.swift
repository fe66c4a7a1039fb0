import AAC
import PCM

/// Decodes raw access units of any content: the first byte picks the object type and its resilience flags, the
/// second the rate and dynamic range control, the third the channels, the frame length and whether replication is
/// announced (for enhanced low delay in its own way, with a header out of the first bytes); the rest is cut into up
/// to three access units that one decoder takes in turn.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAccessUnits(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 3 else { return 0 }
  let bytes = [UInt8](UnsafeBufferPointer(start: data, count: count))
  guard let decoder = decoder(for: bytes) else { return 0 }
  if bytes[1] & 128 != 0 { decoder.dynamics = DynamicRangeControl(referenceLevel: -10) }
  var output = PCMBuffer(format: decoder.format)
  let units = Int(bytes[2] >> 4) % 3 + 1
  let rest = Array(bytes.dropFirst(3))
  for unit in 0..<units {
    let part = rest[rest.count * unit / units..<rest.count * (unit + 1) / units]
    do throws(AACError) {
      try decoder.decode(Array(part), into: &output)
      precondition(output.frameCount == decoder.frameLength)
    } catch {
      precondition(output.frameCount == 0)
      precondition((error.bitOffset ?? 0) >= 0 && (error.bitOffset ?? 0) <= part.count * 8)
      decoder.conceal(into: &output)
    }
    precondition(output.channelCount == decoder.format.channelCount)
    for channel in output.channels {
      for sample in channel.prefix(output.frameCount) { precondition(sample.isFinite) }
    }
  }
  makeUp(bytes, rest, units)
  return 0
}

/// The same units, every one made up for where it has to be: never a number that is none, and nothing loud in what is
/// made up.
private func makeUp(_ bytes: [UInt8], _ rest: [UInt8], _ units: Int) {
  guard let decoder = decoder(for: bytes) else { return }
  var output = PCMBuffer(format: decoder.format)
  for step in 0..<2 * units {
    let unit = step % units
    let part = rest[rest.count * unit / units..<rest.count * (unit + 1) / units]
    if step == units, bytes[0] & 1 != 0 { decoder.discontinuity() }
    let report = decoder.decodeOrConceal(Array(part), into: &output)
    precondition(output.frameCount == decoder.frameLength && output.channelCount == decoder.format.channelCount)
    for channel in output.channels {
      for sample in channel.prefix(output.frameCount) {
        precondition(sample.isFinite && (report.isWhole || abs(sample) < 1.13))
      }
    }
  }
  decoder.drain(into: &output)
  precondition(output.channels.allSatisfy { $0.prefix(output.frameCount).allSatisfy(\.isFinite) })
}

private let objectTypes: [AudioObjectType] = [
  .lowComplexity, .main, .longTermPrediction, .errorResilientLowComplexity,
  .errorResilientLongTermPrediction, .lowDelay, .enhancedLowDelay,
]

private func decoder(for bytes: [UInt8]) -> AACDecoder? {
  let rates = SamplingRate.indexed
  guard
    let rate = try? SamplingRate(rates[Int(bytes[1]) % rates.count]),
    var configuration = try? AudioSpecificConfig(samplingRate: rate, layout: .stereo)
  else { return nil }
  configuration.objectType = objectTypes[Int(bytes[0] >> 3) % objectTypes.count]
  configuration.sectionDataResilience = bytes[0] & 1 != 0
  configuration.scaleFactorDataResilience = bytes[0] & 2 != 0
  configuration.spectralDataResilience = bytes[0] & 4 != 0
  configuration.channelConfiguration = [0, 1, 2, 6, 12][Int(bytes[2] & 7) % 5]
  configuration.frameLengthFlag = bytes[2] & 8 != 0
  if configuration.objectType == .enhancedLowDelay, bytes[2] & 0x80 != 0 {
    let isStartVaried = bytes[2] & 0x20 != 0
    // bs_amp_res, bs_start_freq, bs_stop_freq, bs_xover_band, and no more.
    let fields = isStartVaried ? Int(bytes[3]) << 4 | Int(bytes[1] >> 4) : 0x5 << 7 | 0x9 << 3
    let header = SBRHeaderBits(value: (fields & 0xFFF) << 4, count: 16)
    configuration.channelConfiguration = max(1, configuration.channelConfiguration)
    configuration.lowDelaySBR = LowDelaySBRConfig(
      isDualRate: bytes[2] & 0x40 != 0, hasChecksums: bytes[1] & 0x80 != 0,
      headers: configuration.elements.filter { $0.kind != .lowFrequency }.map { _ in header })
  } else if bytes[2] >> 6 == 3 {
    // Announced replication: where rates are low it doubles them, else it stays at the core's.
    configuration.signalling = .hierarchical
    configuration.sbrPresent = true
    configuration.psPresent = bytes[2] & 4 != 0
    let hertz = rate.hertz <= 48000 ? 2 * rate.hertz : rate.hertz
    configuration.extensionSamplingRate = try? SamplingRate(hertz)
  }
  return try? AACDecoder(configuration)
}
