import AACContainers
import DSP
import Foundation
import PCM
import Testing

@testable import AAC

/// Whole streams against another decoder. They need the folder of shared test sets and FFmpeg.
@Suite(.enabled(if: sharedFolder != nil && Opponent.path != nil, "needs the shared vectors and FFmpeg"))
struct ConformanceTests {
  /// Streams without noise substitution, and what they are there for.
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
  ]
  static let conformance15 = ChannelLayout([
    .frontLeft, .frontRight, .frontCenter, .lowFrequency, .frontLeftOfCenter, .frontRightOfCenter,
  ])

  @Test(arguments: exact) func samplesMatch(file: String, layout: ChannelLayout, frames: Int) throws {
    let url = try #require(sharedFolder).appendingPathComponent("vectors/\(file)")
    let (format, ours) = try Self.decode(url)
    #expect(format.layout == layout)
    let count = format.channelCount
    #expect(ours[0].count == frames)
    let theirs = try #require(Opponent.decode(url))
    #expect(theirs.count == frames * count)
    try #require(theirs.count == ours[0].count * count)
    for channel in 0..<count {
      let (largest, power) = Self.difference(ours[channel], theirs, channel, of: count)
      let decibels = 10 * log10(power + 1e-30)
      print("\(file), channel \(channel): largest \(largest * 32768) / 32768, rms \(decibels) dB")
      #expect(largest <= 2 / 32768)
      #expect(decibels <= -100)
    }
  }

  /// Noise has to have the energy of the other decoder's in every band and second. The forward transform
  /// with the same windows gives the lines back exactly, so this is not a matter of statistics.
  @Test func noiseEnergiesMatch() throws {
    let url = try #require(sharedFolder).appendingPathComponent("vectors/iso-conformance/al18_44.mp4")
    let (format, ours) = try Self.decode(url)
    #expect(format.layout == .mono)
    let theirs = try #require(Opponent.decode(url))
    #expect(ours[0].count == 2_880_512)
    try #require(theirs.count == ours[0].count)
    let bands = ScaleFactorBands.at(44100)
    let framesPerSecond = 43
    let a = try Self.bandEnergies(ours[0], bands, framesPerSecond)
    let b = try Self.bandEnergies(theirs, bands, framesPerSecond)
    var worst = 0.0
    for (mine, other) in zip(a, b) {
      // What is below this is the rounding of empty bands.
      guard mine > 1e-10 || other > 1e-10 else { continue }
      worst = max(worst, abs(10 * log10((mine + 1e-14) / (other + 1e-14))))
    }
    print("noise energies differ by at most \(worst) dB")
    #expect(worst <= 0.5)
  }

  /// Every access unit of a file, untrimmed, one array a channel.
  static func decode(_ url: URL) throws -> (format: PCMFormat, channels: [[Float]]) {
    let reader = try openPacketReader(FileSource(path: url.path))
    let decoder = try AACDecoder(reader.info.configuration)
    var packet = Packet(data: [], presentationTime: 0, duration: 0)
    var buffer = PCMBuffer(format: decoder.format)
    var channels: [[Float]] = []
    while try reader.nextPacket(into: &packet) {
      try decoder.decode(packet.data, into: &buffer)
      if channels.isEmpty { channels = [[Float]](repeating: [], count: buffer.channelCount) }
      for channel in channels.indices {
        channels[channel] += buffer.channels[channel].prefix(buffer.frameCount)
      }
    }
    return (decoder.format, channels)
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

  /// Energies by second and band, of long Kaiser–Bessel windows.
  private static func bandEnergies(
    _ samples: [Float], _ bands: ScaleFactorBands, _ framesPerSecond: Int
  ) throws -> [Double] {
    let slope = Window.kaiserBesselDerived(length: 1024, alpha: 4)
    let transform = MDCT(lines: 1024, inverseGain: 1)
    var energies: [Double] = []
    var spectrum = [Float](repeating: 0, count: 1024)
    var second = [Double](repeating: 0, count: bands.longCount)
    for frame in 0..<samples.count / 1024 - 1 {
      let block = Array(samples[frame * 1024..<frame * 1024 + 2048])
      transform.forward(block, at: 0, leftSlope: slope, rightSlope: slope, into: &spectrum, at: 0)
      for band in 0..<bands.longCount {
        let lines = bands.long[band]..<bands.long[band + 1]
        second[band] += Double(SpectralKernels.energy(spectrum, range: lines))
      }
      if frame % framesPerSecond == framesPerSecond - 1 {
        energies += second
        second = [Double](repeating: 0, count: bands.longCount)
      }
    }
    return energies
  }
}
