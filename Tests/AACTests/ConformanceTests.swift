import AACContainers
import DSP
import Foundation
import PCM
import Testing

@testable import AAC

/// Whole streams against another decoder. They need the folder of shared test sets and FFmpeg.
@Suite(.enabled(if: sharedFolder != nil && Opponent.path != nil, "needs the shared vectors and FFmpeg"))
struct ConformanceTests {
  /// Streams and what they are there for. The noise of noise substitution is that of the other decoder.
  static let exact: [(file: String, layout: ChannelLayout, frames: Int)] = [
    ("iso-conformance/al04_44.mp4", .mono, 363_520),  // all windows, both shapes, pulses, TNS
    ("iso-conformance/al04sf_48.mp4", .mono, 370_560),  // the same with 960 lines
    ("iso-conformance/al05_44.mp4", .stereo, 327_680),  // M/S, intensity
    ("iso-conformance/al06_44.mp4", .surround30, 363_520),  // three channels by program config
    ("iso-conformance/al07_96.mp4", .surround51, 798_720),  // dependent coupling, LFE
    ("iso-conformance/al15_44.mp4", conformance15, 133_120),  // independent coupling
    ("iso-conformance/al17_44.mp4", .stereo, 330_752),  // two single channels
    ("encoders/tones_dolby_44100_stereo_aac_lc.mp4", .stereo, 90_112),  // intensity with M/S in all bands
    ("encoders/tones_nero_16000_stereo_aac_lc.m4a", .stereo, 34_816),
    ("encoders/bbb_1ch_8kHz_aac_lc.m4a", .mono, 26_624),
    ("encoders/sinesweep51m4a.m4a", .surround51, 134_144),
    ("iso-conformance/al18_44.mp4", .mono, 2_880_512),  // noise substitution
    ("encoders/sinesweep1_1ch_48khz_aot39_fl512_mp4.m4a", .mono, 132_608),  // the same in ELD
    ("peers/faac-lc96-44k-2_pop_gm.aac", .stereo, 178_176),  // the same in pairs
    ("peers/ffmpeg9-lc96-44k-2_wide_gm.aac", .stereo, 178_176),
    ("robustness/bbb_1ch_8kHz_aac_lc.aac", .mono, 25_600),  // says SSR
    ("iso-conformance/am00_88.mp4", .mono, 5_781_504),  // Main: all windows
    ("iso-conformance/am05_44.mp4", .surround51, 133_120),  // Main: pairs, LFE, independent coupling
    ("iso-conformance/ap05_48.mp4", .stereo, 912_384),  // LTP, with M/S, intensity and TNS
    ("iso-conformance/er_ad6000np_44_ep0.mp4", .surround51, 154_624),  // LD, 512 lines
    ("iso-conformance/er_eld1001np_44_ep0.mp4", .mono, 1_569_280),  // ELD, 512 lines
    ("iso-conformance/er_eld2000np_48_ep0.mp4", .stereo, 1_708_032),
    ("iso-conformance/er_eld2100np_48_ep0.mp4", .stereo, 1_707_840),  // ELD, 480 lines
    ("encoders/sinesweep_2ch_48khz_aot39_fl480_mp4.m4a", .stereo, 132_960),
  ]
  static let conformance15 = ChannelLayout([
    .frontLeft, .frontRight, .frontCenter, .lowFrequency, .frontLeftOfCenter, .frontRightOfCenter,
  ])

  @Test(arguments: exact) func samplesMatch(file: String, layout: ChannelLayout, frames: Int) throws {
    let url = try #require(sharedFolder).appendingPathComponent("vectors/\(file)")
    let (format, ours, total) = try Self.decode(url, limit: Self.packetLimit)
    #expect(format.layout == layout)
    let count = format.channelCount
    #expect(total == frames)
    let theirs = try #require(Opponent.decode(url))
    #expect(theirs.count == frames * count)
    try #require(theirs.count >= ours[0].count * count && !ours[0].isEmpty)
    for channel in 0..<count {
      let (largest, power) = Self.difference(ours[channel], theirs, channel, of: count)
      let decibels = 10 * log10(power + 1e-30)
      print("\(file), channel \(channel): largest \(largest * 32768) / 32768, rms \(decibels) dB")
      #expect(largest <= 2 / 32768)
      #expect(decibels <= -100)
    }
  }

  /// FFmpeg has no bands for enhanced low delay at 16 kHz. The same sound as a low-complexity stream of the
  /// same encoder tells whether ours are right: with other bands there is no sweep at all.
  @Test(arguments: [("sinesweep1_1ch_16khz", "fl480"), ("sinesweep_2ch_16khz", "fl512")])
  func lowRatesSoundLikeLowComplexity(name: String, size: String) throws {
    let folder = try #require(sharedFolder).appendingPathComponent("vectors/encoders")
    let sweep = try Self.decode(folder.appendingPathComponent("\(name)_aot39_\(size)_mp4.m4a")).channels
    let model = try Self.decode(folder.appendingPathComponent("\(name)_aot2_mp4.m4a")).channels
    try #require(sweep.count == model.count)
    for (a, b) in zip(sweep, model) {
      func distance(_ lag: Int, _ range: Range<Int>, by step: Int) -> Double {
        stride(from: range.lowerBound, to: range.upperBound, by: step).reduce(0) {
          $0 + pow(Double(a[$1 - lag] - b[$1]), 2)
        }
      }
      // The streams start with silence of different lengths.
      let lag = (0..<2100).min { distance($0, 30000..<30200, by: 2) < distance($1, 30000..<30200, by: 2) }
      let range = 5000..<min(a.count, b.count) - 3000
      let energy = range.reduce(0) { $0 + pow(Double(b[$1]), 2) }
      let decibels = 10 * log10(energy / distance(try #require(lag), range, by: 1))
      print("\(name): \(decibels) dB over the difference")
      #expect(decibels > 45)
    }
  }

  /// Access units that are decoded here; `make conformance` decodes whole streams, with optimised code.
  static let packetLimit = 100

  /// The access units of a file, untrimmed, one array a channel.
  ///
  /// - Parameter limit: how many are decoded. `frames` counts what all of them would give.
  static func decode(
    _ url: URL, limit: Int = .max
  ) throws -> (format: PCMFormat, channels: [[Float]], frames: Int) {
    let reader = try openPacketReader(FileSource(path: url.path))
    let decoder = try AACDecoder(reader.info.configuration)
    var packet = Packet(data: [], presentationTime: 0, duration: 0)
    var buffer = PCMBuffer(format: decoder.format)
    var channels: [[Float]] = []
    var count = 0
    while try reader.nextPacket(into: &packet) {
      count += 1
      guard count <= limit else { continue }
      if channels.isEmpty { decoder.prepare(for: [packet.data]) }
      try decoder.decode(packet.data, into: &buffer)
      if channels.isEmpty { channels = [[Float]](repeating: [], count: buffer.channelCount) }
      for channel in channels.indices {
        channels[channel] += buffer.channels[channel].prefix(buffer.frameCount)
      }
    }
    return (decoder.format, channels, count * buffer.frameCount)
  }

  private static func difference(
    _ ours: [Float], _ theirs: [Float], _ channel: Int, of count: Int
  ) -> (largest: Float, power: Double) {
    var largest: Float = 0
    var power = 0.0
    var place = channel
    for sample in ours {
      let difference = abs(sample - theirs[place])
      if difference > largest { largest = difference }
      power += Double(difference * difference)
      place += count
    }
    return (largest, power / Double(ours.count))
  }
}
