import PCM
import Testing

@testable import AAC

/// What callers rely on: any chunk size, exact lengths, refusals with a reason.
struct EncoderContractTests {
  static let settings = EncoderSettings(sampleRate: 44100, layout: .stereo, rate: .constant(128_000))

  @Test("B112", arguments: [1, 7, 441, 1024, 1025, 65536])
  func b058_chunksMakeNoDifference(chunk: Int) throws {
    let left = Signal.music(rate: 44100, frames: 9000, seed: 1)
    let right = Signal.music(rate: 44100, frames: 9000, seed: 2)
    let sound = PCMBuffer([left, right], rate: 44100, layout: .stereo)
    #expect(try encode(sound, Self.settings, chunk: chunk) == encode(sound, Self.settings, chunk: 3000))
  }

  @Test(arguments: EncoderSettings.Effort.allCases)
  func chunksMakeNoDifferenceAtAnyEffort(effort: EncoderSettings.Effort) throws {
    let channels = [1, 2].map { Signal.music(rate: 44100, frames: 20000, seed: $0) }
    let sound = PCMBuffer(channels, rate: 44100, layout: .stereo)
    var settings = Self.settings
    settings.effort = effort
    #expect(try encode(sound, settings, chunk: 333) == encode(sound, settings, chunk: 20000))
  }

  /// Pairs, single and low frequency channels, in every mode of rate.
  @Test(
    arguments: [EncoderSettings.Rate.constant(192_000), .average(160_000), .quality(2)],
    EncoderSettings.Effort.allCases)
  func chunksMakeNoDifferenceInSurround(rate: EncoderSettings.Rate, effort: EncoderSettings.Effort) throws {
    let sound = Self.surround(frames: 3500)
    var settings = EncoderSettings(sampleRate: 48000, layout: .surround51, rate: rate)
    settings.effort = effort
    #expect(try encode(sound, settings, chunk: 777) == encode(sound, settings, chunk: 3500))
  }

  static func surround(frames: Int) -> PCMBuffer {
    var channels = (0..<6).map { Signal.music(rate: 48000, frames: frames, seed: UInt64($0 + 5)) }
    channels[3] = Signal.tone(70, rate: 48000, frames: frames)
    return PCMBuffer(channels, rate: 48000, layout: .surround51)
  }

  /// Encoders share nothing: many at a time, on as many threads as there are, give what each gives alone.
  @Test func threadsMakeNoDifference() async throws {
    let stereo = PCMBuffer(
      [1, 2].map { Signal.music(rate: 44100, frames: 9000, seed: $0) }, rate: 44100, layout: .stereo)
    let surround = Self.surround(frames: 4000)
    let jobs: [(PCMBuffer, EncoderSettings)] = EncoderSettings.Effort.allCases.flatMap { effort in
      var first = Self.settings
      first.effort = effort
      var second = EncoderSettings(sampleRate: 48000, layout: .surround51, rate: .average(192_000))
      second.effort = effort
      return [(stereo, first), (surround, second)]
    }
    let alone = try jobs.map { try encode($0.0, $0.1) }
    try await withThrowingTaskGroup(of: (Int, [Packet]).self) { group in
      for (index, job) in (jobs + jobs).enumerated() {
        group.addTask { (index % jobs.count, try encode(job.0, job.1, chunk: 512 + index)) }
      }
      for try await (index, packets) in group { #expect(packets == alone[index]) }
    }
  }

  @Test(arguments: [1, 2, 1023, 1024, 1025, 2048, 5000])
  func b035_lengthComesBackExactly(frames: Int) throws {
    let settings = EncoderSettings(sampleRate: 44100, layout: .mono, rate: .constant(96000))
    let tone = Signal.tone(500, rate: 44100, frames: frames)
    let packets = try encode(PCMBuffer([tone], rate: 44100, layout: .mono), settings)
    #expect(packets.map(\.duration).reduce(0, +) == 1024 * packets.count)
    #expect(packets.map(\.validFrames).reduce(0, +) == frames)
    #expect(packets.first?.presentationTime == -1024)
    #expect(packets.indices.allSatisfy { packets[$0].presentationTime == Int64($0 - 1) * 1024 })
    let decoded = try decode(packets, settings)[0]
    #expect(decoded.count == frames)
    if frames >= 1023 { #expect(signalToNoise(tone, decoded) > 25) }
  }

  /// Where bits are plenty, the finest quantiser must not be finer than its largest value allows.
  @Test(arguments: EncoderSettings.Effort.allCases) func loudTonesAreNotClipped(
    effort: EncoderSettings.Effort
  ) throws {
    var settings = EncoderSettings(sampleRate: 44100, layout: .mono, rate: .constant(160_000))
    settings.effort = effort
    let tone = Signal.tone(500, rate: 44100, frames: 5000, amplitude: 0.95)
    let packets = try encode(PCMBuffer([tone], rate: 44100, layout: .mono), settings)
    let decoded = try decode(packets, settings)[0]
    #expect(signalToNoise(tone, decoded) > (effort == .min ? 30 : 40))
  }

  @Test func nothingInGivesNothingOut() throws {
    let encoder = try AACEncoder(Self.settings)
    #expect(try encoder.finish().isEmpty)
  }

  @Test("B107", arguments: [Float.nan, .infinity, -.infinity])
  func notANumberIsRefusedWithItsPlace(bad: Float) throws {
    let encoder = try AACEncoder(Self.settings)
    let good = [Float](repeating: 0.1, count: 1500)
    var spoiled = good
    spoiled[321] = bad
    _ = try encoder.encode(PCMBuffer([good, good], rate: 44100, layout: .stereo))
    #expect(throws: AACError(.notFinite(channel: 1, frame: 1821))) {
      try encoder.encode(PCMBuffer([good, spoiled], rate: 44100, layout: .stereo))
    }
    // Nothing of the refused buffer was taken.
    let rest = try encoder.finish()
    #expect(rest.last?.padding == 2048 - 1500)
  }

  @Test func useAfterFinishAndWrongFormatsAreRefused() throws {
    let encoder = try AACEncoder(Self.settings)
    let mono = PCMBuffer([[0]], rate: 44100, layout: .mono)
    #expect(throws: AACError.self) { try encoder.encode(mono) }
    #expect(throws: AACError.self) {
      try encoder.encode(PCMBuffer([[0], [0]], rate: 48000, layout: .stereo))
    }
    _ = try encoder.finish()
    #expect(throws: AACError.self) { try encoder.finish() }
    #expect(throws: AACError.self) {
      try encoder.encode(PCMBuffer([[0], [0]], rate: 44100, layout: .stereo))
    }
  }

  @Test("B066", arguments: [0, 1, 7999, 600_000, -5]) func impossibleRatesNameThePossibleOnes(rate: Int) {
    let error = #expect(throws: AACError.self) {
      try AACEncoder(EncoderSettings(sampleRate: 44100, layout: .stereo, rate: .constant(rate)))
    }
    #expect(
      error?.description.contains("possible are 12100 to 529200") == true, "\(String(describing: error))")
  }

  @Test func otherImpossibleSettingsAreRefused() {
    var settings = Self.settings
    settings.sampleRate = 47250
    #expect(throws: AACError.self) { try AACEncoder(settings) }
    settings = Self.settings
    settings.layout = .discrete(9)
    #expect(throws: AACError.self) { try AACEncoder(settings) }
    settings = Self.settings
    settings.rate = .quality(6)
    #expect(throws: AACError.self) { try AACEncoder(settings) }
    settings = Self.settings
    settings.bandwidth = 30000
    #expect(throws: AACError.self) { try AACEncoder(settings) }
  }
}
