import PCM
import Testing

@testable import AAC

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Dynamic range control in the error-resilient and low-delay syntaxes, whose payloads stand behind the elements.
@Suite struct DynamicRangeTypeTests {
  @Test(arguments: [
    AudioObjectType.main, .errorResilientLowComplexity, .errorResilientLongTermPrediction, .lowDelay,
    .enhancedLowDelay,
  ])
  func gainsOfEveryType(type: AudioObjectType) throws {
    let config = AudioSpecificConfig.of(type, configuration: 1)
    var stream = ChannelStream()
    stream.globalGain = 140
    stream.info.maxBand = 30
    for band in 0..<30 {
      stream.codebooks[band] = 5
      stream.scaleFactors[band] = 140
    }
    for line in 0..<60 { stream.spectrum[line] = Int16(line % 7 - 3) }
    let syntax = StreamSyntax(config)
    let info = DynamicRangeTests.info([-36], level: 100)
    var bits = BitWriter()
    if type.isErrorResilient {
      if type != .enhancedLowDelay { bits.put(0, 4) }
      stream.writeErrorResilient(to: &bits, commonWindow: false, bands: config.bands, syntax: syntax)
      // Whole bytes from extension_type on, wherever the elements end.
      for byte in DynamicRangeTests.payload(info) { bits.put(Int(byte), 8) }
      bits.alignToByte()
    } else {
      var block = DecoderTests.block([(.singleChannel, 0, [stream])])
      block.syntax = syntax
      DynamicRangeTests.add([info], to: &block)
      block.write(to: &bits, bands: config.bands)
    }
    let unit = bits.bytes
    let on = try AACDecoder(config)
    on.dynamics = DynamicRangeControl(referenceLevel: -20)
    let off = try AACDecoder(config)
    for frame in 0..<10 {
      let a = try on.decode(unit).channels[0]
      let b = try off.decode(unit).channels[0]
      guard frame > 4 else { continue }
      let ratio = DynamicRangeTests.ratio(a, b)
      #expect(DynamicRangeTests.isNear(ratio, exp2((-36.0 + 20) / 24)), "\(type.name), frame \(frame)")
    }
    #expect(on.programReferenceLevel == -25)
  }
}
