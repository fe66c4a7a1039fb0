import AACContainers
import Foundation
import PCM
import Testing

@testable import AAC

/// Whole HE-AAC and HE-AAC v2 streams against other decoders. They need the folder of shared test sets.
@Suite(.enabled(if: sharedFolder != nil && Opponent.path != nil, "needs the shared vectors and FFmpeg"))
struct HEConformanceTests {
  /// Access units that are decoded here, of 2048 samples each; `make conformance` decodes whole streams.
  static let packetLimit = 60

  /// Streams and what they are there for.
  static let exact: [(file: String, layout: ChannelLayout, rate: Int, frames: Int)] = [
    ("iso-conformance/al_sbr_cm_48_2.mp4", .stereo, 48000, 1_544_192),  // coupling
    ("iso-conformance/al_sbr_cm_48_5.1.mp4", conformance51, 48000, 1_544_192),  // five elements, LFE
    ("iso-conformance/al_sbr_sr_48_2_fsaac48.mp4", .stereo, 48000, 1_175_552),  // down-sampled
    ("iso-conformance/al_sbr_ps_04_new.mp4", .stereo, 32000, 217_088),  // all band divisions
    ("iso-conformance/al_sbr_ps_06_new.mp4", .stereo, 32000, 434_176),  // phases
    ("peers/fdk-he32-32k-1_pop_gm.aac", .mono, 32000, 133_120),
    ("peers/fdk-he48-44k-2_pop_gm.aac", .stereo, 44100, 182_272),
    ("peers/fdk-hev2_24-44k-2_wide_gm.aac", .stereo, 44100, 184_320),
    ("peers/xaac-he64-48k-2_castanets_gm.aac", .stereo, 48000, 192_512),
    ("peers/xaac-hev2_32-48k-2_harpsichord_gm.aac", .stereo, 48000, 192_512),
    ("encoders/tones_dolby_44100_stereo_aac_he.mp4", .stereo, 44100, 92_160),
    ("encoders/tones_nero_44100_stereo_aac_he2.m4a", .stereo, 44100, 94_208),
    ("encoders/tones_nero_16000_stereo_aac_he.m4a", .stereo, 16000, 36_864),
    ("encoders/tones_afconvert_16000_mono_aac_he.adts", .mono, 32000, 69_632),
    ("encoders/tones_afconvert_44100_stereo_aac_he2.m4a", .stereo, 44100, 94_208),
    ("encoders/noise_1ch_24khz_aot5_ds_sbr_sig1_mp4.m4a", .mono, 24000, 99_328),
    ("encoders/noise_1ch_24khz_aot5_dr_sbr_sig1_mp4.m4a", .mono, 24000, 100_352),  // noise in the core
    ("peers/faac-he64-44k-2_pop_gm.aac", .stereo, 44100, 180_224),  // noise in a pair of the core
    ("encoders/noise_1ch_44khz_aot5_dr_sbr_sig0_mp4.m4a", .mono, 44100, 182_272),
    ("encoders/noise_2ch_48khz_aot29_dr_sbr_sig2_mp4.m4a", .stereo, 48000, 198_656),
    ("containers/zero-length-mdat.m4a", .mono, 44100, 49_152),
  ]
  static let conformance51 = ChannelLayout([
    .frontLeft, .frontRight, .frontCenter, .lowFrequency, .frontLeftOfCenter, .frontRightOfCenter,
  ])

  @Test(arguments: exact) func samplesMatch(file: String, layout: ChannelLayout, rate: Int, frames: Int)
    throws
  {
    let url = try #require(sharedFolder).appendingPathComponent("vectors/\(file)")
    let (format, ours, total) = try ConformanceTests.decode(url, limit: Self.packetLimit)
    #expect(format == PCMFormat(sampleRate: rate, layout: layout))
    #expect(total == frames)
    let theirs = try #require(Opponent.decode(url))
    let isDoubled = layout == .mono && theirs.count == 2 * total
    #expect(theirs.count == total * (isDoubled ? 2 : layout.channelCount))
    let (largest, decibels) = try Self.difference(ours, theirs, isDoubled: isDoubled)
    print("\(file): largest \(largest * 32768) / 32768, rms \(decibels) dB")
    #expect(largest <= 2 / 32768)
    #expect(decibels <= -100)
  }

  /// All ways to announce, or not to announce, the same stream; the reference is the publisher's.
  static let signalled = [
    "sbr_bc-ps_bc.mp4", "sbr_bc-ps_i.3gp", "sbr_bc-ps_i.mp4", "sbr_bic-ps_i.3gp", "sbr_i-ps_bic.mp4",
    "sbr_i-ps_i.aac", "sbr_i-ps_i.mp4",
  ]

  @Test("B011", arguments: signalled) func signallingDoesNotMatter(file: String) throws {
    let folder = try #require(sharedFolder).appendingPathComponent("vectors/signalling")
    let (format, ours, total) = try ConformanceTests.decode(
      folder.appendingPathComponent(file), limit: Self.packetLimit)
    #expect(format == PCMFormat(sampleRate: 44100, layout: .stereo))
    let reference = try #require(Opponent.decode(folder.appendingPathComponent("aacPlusv2.wav")))
    #expect(reference.count == total * 2)
    let (largest, decibels) = try Self.difference(ours, reference)
    print("\(file): largest \(largest * 32768) / 32768, rms \(decibels) dB")
    #expect(largest <= 2 / 32768)
    #expect(decibels <= -98)
  }

  /// The odd one of the signalling set is another encoding: only another decoder can tell.
  @Test func oddFileMatches() throws {
    let url = try #require(sharedFolder).appendingPathComponent("vectors/signalling/File1.aac")
    let (_, ours, total) = try ConformanceTests.decode(url, limit: Self.packetLimit)
    let theirs = try #require(Opponent.decode(url))
    #expect(theirs.count == total * 2)
    let (largest, _) = try Self.difference(ours, theirs)
    #expect(largest <= 2 / 32768)
  }

  /// Where a pair shares its noise (ms_used in a band of noise), the other decoder gives the channels noise of
  /// their own, against 4.6.13.3. Only energies can be compared there; elsewhere the samples have to match.
  @Test func samplesMatchBesideSharedNoise() throws {
    let url = try #require(sharedFolder).appendingPathComponent(
      "vectors/encoders/noise_2ch_24khz_aot5_dr_sbr_sig2_mp4.m4a")
    let (_, ours, _) = try ConformanceTests.decode(url)
    let theirs = try #require(Opponent.decode(url))
    try #require(theirs.count == ours[0].count * 2)
    let isShared = try Self.sharedNoise(url)
    let frameLength = ours[0].count / isShared.count
    var largest: Float = 0
    var compared = 0
    // A frame sounds in the next two as well.
    for frame in isShared.indices where !isShared[max(0, frame - 2)...frame].contains(true) {
      compared += 1
      for index in frame * frameLength..<(frame + 1) * frameLength {
        for channel in 0..<2 {
          largest = max(largest, abs(ours[channel][index] - theirs[index * 2 + channel]))
        }
      }
    }
    print("\(compared) of \(isShared.count) frames, largest \(largest * 32768) / 32768")
    #expect(compared > isShared.count / 4 && compared < isShared.count)
    #expect(largest <= 2 / 32768)
    for channel in ours.indices {
      var other = [Float](repeating: 0, count: ours[0].count)
      for index in other.indices { other[index] = theirs[index * 2 + channel] }
      let worst = zip(PowerMeter.bands(ours[channel]), PowerMeter.bands(other)).reduce(0.0) { worst, pair in
        guard pair.0 > 1e-9 || pair.1 > 1e-9 else { return worst }
        return max(worst, abs(10 * log10(pair.0 / pair.1)))
      }
      #expect(worst <= 0.5)
    }
  }

  /// Whether a pair of the access unit shares noise, for each access unit of a file.
  private static func sharedNoise(_ url: URL) throws -> [Bool] {
    let reader = try openPacketReader(FileSource(path: url.path))
    let config = reader.info.configuration
    let bands = ScaleFactorBands(samplingRate: config.samplingRate, frameLength: config.frameLength)
    var packet = Packet(data: [], presentationTime: 0, duration: 0)
    var block = RawDataBlock()
    block.syntax = StreamSyntax(config)
    var isShared: [Bool] = []
    while try reader.nextPacket(into: &packet) {
      var bits = BitReader(packet.data)
      try block.parse(&bits, bands: bands)
      var isFound = false
      for case .pair(let pair) in block.elements where pair.commonWindow {
        let (left, right) = (block.streams[pair.left], block.streams[pair.right])
        for group in 0..<left.info.groupCount {
          for band in 0..<left.info.maxBand where pair.midSide.uses(group: group, band: band) {
            let index = group * left.info.maxBand + band
            isFound =
              isFound || left.codebooks[index] == Codebook.noise && right.codebooks[index] == Codebook.noise
          }
        }
      }
      isShared.append(isFound)
    }
    return isShared
  }

  /// The first of `theirs` are compared where `ours` end early.
  private static func difference(
    _ ours: [[Float]], _ theirs: [Float], isDoubled: Bool = false
  ) throws -> (largest: Float, decibels: Double) {
    // The other decoder gives mono streams that might have parametric stereo two equal channels.
    let step = isDoubled ? 2 : ours.count
    try #require(theirs.count >= ours[0].count * step && !ours[0].isEmpty)
    var largest: Float = 0
    var power = 0.0
    for channel in ours.indices {
      var place = channel
      for sample in ours[channel] {
        let difference = abs(sample - theirs[place])
        if difference > largest { largest = difference }
        power += Double(difference * difference)
        place += step
      }
    }
    return (largest, 10 * log10(power / Double(ours.count * ours[0].count) + 1e-30))
  }
}
