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

  /// Enhanced low-delay streams that use noise substitution now and then.
  static let sweeps = [
    "sinesweep1_1ch_22khz_aot39_fl512_mp4", "sinesweep1_1ch_32khz_aot39_fl512_mp4",
    "sinesweep1_1ch_48khz_aot39_fl512_mp4", "sinesweep_2ch_22khz_aot39_fl480_mp4",
    "sinesweep_2ch_44khz_aot39_fl512_mp4",
  ]

  /// Away from the noise the samples have to match; where it is, what is left of both decoders' sound without
  /// that of the stream without its noise has to have the same energy.
  @Test(arguments: sweeps) func soundBesideNoiseMatches(name: String) throws {
    let url = try #require(sharedFolder).appendingPathComponent("vectors/encoders/\(name).m4a")
    let (format, ours) = try Self.decode(url)
    let (quiet, isNoisy) = try Self.decodeWithoutNoise(url)
    let theirs = try #require(Opponent.decode(url))
    let count = format.channelCount
    try #require(theirs.count == ours[0].count * count)
    let frameLength = ours[0].count / isNoisy.count
    var largest: Float = 0
    var compared = 0
    var energies = (ours: 0.0, theirs: 0.0)
    for frame in isNoisy.indices {
      // A frame sounds in the next three as well.
      let isClean = !isNoisy[max(0, frame - 3)...frame].contains(true)
      if isClean { compared += 1 }
      for channel in 0..<count {
        for index in frame * frameLength..<(frame + 1) * frameLength {
          let other = theirs[index * count + channel]
          if isClean {
            largest = max(largest, abs(ours[channel][index] - other))
          } else {
            energies.ours += pow(Double(ours[channel][index] - quiet[channel][index]), 2)
            energies.theirs += pow(Double(other - quiet[channel][index]), 2)
          }
        }
      }
    }
    let decibels = 10 * log10(energies.ours / energies.theirs)
    print(
      "\(name): \(compared) of \(isNoisy.count) frames, largest \(largest * 32768) / 32768; \(decibels) dB")
    #expect(compared > isNoisy.count / 4 && compared < isNoisy.count)
    #expect(largest <= 2 / 32768)
    // The frames' filters run over the noise and the windows are not orthogonal: a matter of statistics.
    #expect(abs(decibels) < 2)
  }

  /// Decodes a stream from which the noise bands have been taken, and tells which frames had some.
  private static func decodeWithoutNoise(_ url: URL) throws -> (channels: [[Float]], isNoisy: [Bool]) {
    let reader = try openPacketReader(FileSource(path: url.path))
    let config = reader.info.configuration
    let bands = ScaleFactorBands(samplingRate: config.samplingRate, frameLength: config.frameLength)
    let decoder = try AACDecoder(config)
    var packet = Packet(data: [], presentationTime: 0, duration: 0)
    var block = RawDataBlock()
    block.syntax = StreamSyntax(config)
    var channels = [[Float]](repeating: [], count: decoder.format.channelCount)
    var isNoisy: [Bool] = []
    while try reader.nextPacket(into: &packet) {
      var bits = BitReader(packet.data)
      try block.parse(&bits, bands: bands)
      var hasNoise = false
      for stream in 0..<block.streamCount {
        for band in 0..<block.streams[stream].bandCount
        where block.streams[stream].codebooks[band] == Codebook.noise {
          block.streams[stream].codebooks[band] = Codebook.zero
          hasNoise = true
        }
      }
      isNoisy.append(hasNoise)
      var writer = BitWriter()
      block.write(to: &writer, bands: bands)
      let output = try decoder.decode(writer.bytes)
      for channel in channels.indices { channels[channel] += output.channels[channel] }
    }
    return (channels, isNoisy)
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
  ///
  /// - Parameter noiseSeed: where the noise generator starts.
  static func decode(
    _ url: URL, noiseSeed: UInt32? = nil
  ) throws -> (format: PCMFormat, channels: [[Float]]) {
    let reader = try openPacketReader(FileSource(path: url.path))
    let decoder = try AACDecoder(reader.info.configuration)
    var packet = Packet(data: [], presentationTime: 0, duration: 0)
    var buffer = PCMBuffer(format: decoder.format)
    var channels: [[Float]] = []
    if let noiseSeed { decoder.decoder.noise = NoiseSubstitution(seed: noiseSeed) }
    while try reader.nextPacket(into: &packet) {
      if channels.isEmpty { decoder.prepare(for: [packet.data]) }
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
