import AACContainers
import Foundation
import PCM
import Testing

@testable import AAC

/// Dynamic range control of real encoders' streams. They need the folder of shared test sets.
@Suite(.enabled(if: sharedFolder != nil, "needs the shared vectors"))
struct DynamicRangeStreamTests {
  private struct Result {
    var units: [AccessUnitSummary] = []
    var channels: [[Float]] = []
    var frameLength = 0
    var level: Double?
  }

  /// Units that are enough: the conformance streams go through all their reference levels.
  private static let mostUnits = 100

  private static func decode(_ file: String, _ control: DynamicRangeControl?) throws -> Result {
    let url = try #require(sharedFolder).appendingPathComponent("vectors/\(file)")
    let reader = try openPacketReader(FileSource(path: url.path))
    let decoder = try AACDecoder(reader.info.configuration)
    decoder.dynamics = control
    var inspector = try AccessUnitInspector(reader.info.configuration)
    var packet = Packet(data: [], presentationTime: 0, duration: 0)
    var buffer = PCMBuffer(format: decoder.format)
    var result = Result()
    while result.units.count < mostUnits, try reader.nextPacket(into: &packet) {
      result.units.append(try inspector.inspect(packet.data))
      try decoder.decode(packet.data, into: &buffer)
      if result.channels.isEmpty { result.channels = [[Float]](repeating: [], count: buffer.channelCount) }
      for channel in buffer.channels.indices {
        result.channels[channel] += buffer.channels[channel].prefix(buffer.frameCount)
      }
      result.frameLength = buffer.frameCount
    }
    result.level = decoder.programReferenceLevel
    return result
  }

  private static func power(_ samples: [Float], _ range: Range<Int>) -> Double {
    samples[range].reduce(0) { $0 + Double($1) * Double($1) } / Double(range.count)
  }

  /// Test sounds of the Android compatibility suite: sines of many levels whose gains, or whose reference levels, make
  /// them one sine of one level. `share` is what the gains were made for. Where gains change in the spectrum, the
  /// aliasing of neighbouring frames does not cancel: sines waver there.
  @Test(arguments: [
    ("sine_2ch_48khz_aot2_drchalf_mp4.m4a", 0.5, 0.7), ("sine_2ch_48khz_aot5_drcfull_mp4.m4a", 1.0, 0.2),
    ("sine_2ch_48khz_aot5_drclevel_mp4.m4a", 1.0, 0.2), ("sine_2ch_48khz_aot5_drcoff_mp4.m4a", 0.0, 0.2),
  ])
  func sinesBecomeEven(file: String, share: Double, spread: Double) throws {
    func levels(_ control: DynamicRangeControl?) throws -> [Double] {
      let sound = try Self.decode("encoders/\(file)", control)
      // Hundredths of a second, behind the part that has no level yet.
      return (100..<sound.channels[0].count / 480 - 12).map { part in
        10 * log10(Self.power(sound.channels[0], part * 480..<(part + 1) * 480) + 1e-12)
      }
    }
    func deviation(_ levels: [Double]) -> Double {
      let mean = levels.reduce(0, +) / Double(levels.count)
      return (levels.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(levels.count)).squareRoot()
    }
    let off = try levels(nil)
    let on = try levels(DynamicRangeControl(cut: share, boost: share, referenceLevel: -16))
    print("\(file): \(deviation(off)) dB without, \(deviation(on)) dB with dynamic range control")
    #expect(deviation(on) < spread)
    if share > 0 { #expect(deviation(off) > 2) }
  }

  /// Wherever gains and windows stay the same for two frames, the sound is multiplied by just that gain.
  @Test(arguments: [
    "encoders/tones_dolby_44100_stereo_aac_lc.mp4", "iso-conformance/al15_44.mp4",
    "iso-conformance/am05_44.mp4",
  ])
  func soundFollowsThePayload(file: String) throws {
    let off = try Self.decode(file, nil)
    let on = try Self.decode(file, DynamicRangeControl())
    let soft = try Self.decode(file, DynamicRangeControl(cut: 0, boost: 0, referenceLevel: -31))
    var levels: [Double?] = []
    var gains: [Double] = []
    var held: [Double] = [0]
    var checked = 0
    var levelled = 0
    for (frame, unit) in off.units.enumerated() {
      if let info = unit.dynamicRange.last {
        #expect(info.excludedChannels.isEmpty && info.programTag == nil)
        held = info.gains
      }
      levels.append(unit.dynamicRange.compactMap(\.programReferenceLevel).last ?? levels.last ?? nil)
      gains.append(held.count == 1 ? held[0] : .nan)
      let range = frame * off.frameLength..<(frame + 1) * off.frameLength
      for channel in off.channels.indices {
        let reference = Self.power(off.channels[channel], range)
        guard frame > 0, reference > 1e-10 else { continue }
        if gains[frame] == gains[frame - 1] {
          let measured = (Self.power(on.channels[channel], range) / reference).squareRoot()
          #expect(abs(measured / exp2(gains[frame] * 4 / 24) - 1) < 1e-5, "frame \(frame)")
          if gains[frame] != 0 { checked += 1 }
        }
        if let level = levels[frame], level == levels[frame - 1] {
          let measured = (Self.power(soft.channels[channel], range) / reference).squareRoot()
          #expect(abs(measured / exp2((-31 - level) * 4 / 24) - 1) < 1e-5, "frame \(frame)")
          levelled += 1
        }
      }
    }
    print("\(file): programme level \(off.level ?? .nan) dB")
    print("\(file): \(checked) channel frames of steady gains, \(levelled) of the level")
    #expect(checked > 20 && levelled > 100)
  }

  /// The same sound with replication: gains of steady frames, as the QMF samples have them.
  @Test(arguments: [
    "encoders/tones_dolby_44100_mono_aac_he.mp4", "encoders/tones_dolby_44100_stereo_aac_he.mp4",
  ])
  func replicatedSoundFollowsThePayload(file: String) throws {
    let off = try Self.decode(file, nil)
    let soft = try Self.decode(file, DynamicRangeControl(cut: 0, boost: 0, referenceLevel: -31))
    #expect(off.level == -27)
    for frame in 4..<off.units.count {
      let range = frame * off.frameLength..<(frame + 1) * off.frameLength
      for channel in off.channels.indices {
        let reference = Self.power(off.channels[channel], range)
        guard reference > 1e-10 else { continue }
        let measured = (Self.power(soft.channels[channel], range) / reference).squareRoot()
        #expect(abs(measured / exp2((27 - 31) * 4 / 24) - 1) < 1e-5, "frame \(frame)")
      }
    }
  }
}
