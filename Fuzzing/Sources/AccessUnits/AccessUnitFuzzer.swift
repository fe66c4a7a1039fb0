import AAC
import PCM

/// Decodes raw access units of any content: the first byte picks the configuration, the rest is cut into up
/// to three access units that one decoder takes in turn.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAccessUnits(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 2 else { return 0 }
  let bytes = [UInt8](UnsafeBufferPointer(start: data, count: count))
  guard let decoder = decoder(for: bytes[0]) else { return 0 }
  var output = PCMBuffer(format: decoder.format)
  let units = Int(bytes[1]) % 3 + 1
  let rest = Array(bytes.dropFirst(2))
  for unit in 0..<units {
    let part = rest[rest.count * unit / units..<rest.count * (unit + 1) / units]
    do throws(AACError) {
      try decoder.decode(Array(part), into: &output)
      precondition(output.frameCount == decoder.configuration.frameLength)
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
  return 0
}

private func decoder(for selector: UInt8) -> AACDecoder? {
  let rates = SamplingRate.indexed
  guard
    let rate = try? SamplingRate(rates[Int(selector) % rates.count]),
    var configuration = try? AudioSpecificConfig(samplingRate: rate, layout: .stereo)
  else { return nil }
  configuration.channelConfiguration = [0, 1, 2, 6, 12][Int(selector / 13) % 5]
  configuration.frameLengthFlag = selector >= 130
  return try? AACDecoder(configuration)
}
