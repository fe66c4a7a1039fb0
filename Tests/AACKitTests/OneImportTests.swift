import AACKit
import Testing

/// The README's library example: `import AACKit` is all that it needs.
struct OneImportTests {
  @Test func encodeAndDecodeWithOneImport() throws {
    let encoder = try AACEncoder(
      EncoderSettings(sampleRate: 44_100, layout: .stereo, rate: .constant(128_000)))
    let format = PCMFormat(sampleRate: 44_100, layout: .stereo)
    var packets = try encoder.encode(PCMBuffer(format: format, frameCount: 3000))
    packets += try encoder.finish()
    let decoder = try AACDecoder(encoder.configuration)
    let sounds = try packets.map { try decoder.decode($0.data) }
    #expect(sounds.allSatisfy { $0.format == format && $0.frameCount == 1024 })
    #expect(packets.reduce(0) { $0 + $1.validFrames } == 3000)
  }
}
