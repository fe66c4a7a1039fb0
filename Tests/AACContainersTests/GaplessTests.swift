import AAC
import PCM
import Testing

@testable import AACContainers

@Suite struct GaplessTests {
  static let count = 20
  static let total = Int64(count * 1024)
  static let priming = 2112
  static let valid: Int64 = 17_000

  static func maker() throws -> MP4Maker {
    let configuration = try TestStream.configuration()
    return MP4Maker(configuration, try TestStream.packets(count, configuration))
  }

  static func lengths(_ maker: MP4Maker) throws -> (info: StreamInfo, frames: Int64) {
    let reader = try MP4Reader(MemorySource(maker.bytes))
    let frames = try reader.all().reduce(Int64(0)) { $0 + Int64($1.validFrames) }
    return (reader.info, frames)
  }

  @Test("B031, B043") func oneOwnerOfTrimming() throws {
    let padding = Int(Self.total - Self.valid) - Self.priming
    let gapless = GaplessInfo(priming: Self.priming, padding: padding, validFrames: Self.valid)
    let edit: [(UInt64, Int64)] = [(UInt64(Self.valid), Int64(Self.priming))]
    let other = GaplessInfo(priming: 1024, padding: 1000, validFrames: Self.total - 2024)

    var maker = try Self.maker()
    maker.edits = edit
    #expect(try Self.lengths(maker).frames == Self.valid, "edit list only")
    #expect(try Self.lengths(maker).info.delaySource == .editList)

    maker.edits = nil
    maker.gapless = gapless
    #expect(try Self.lengths(maker).frames == Self.valid, "iTunSMPB only")
    #expect(try Self.lengths(maker).info.delaySource == .iTunSMPB)

    maker.edits = edit
    #expect(try Self.lengths(maker).frames == Self.valid, "both, equal")

    maker.gapless = other
    let different = try Self.lengths(maker)
    #expect(different.frames == Self.valid, "both, different: the edit list wins")
    #expect(different.info.priming == Self.priming)

    maker.edits = nil
    maker.gapless = nil
    #expect(try Self.lengths(maker).frames == Self.total, "neither")
    #expect(try Self.lengths(maker).info.delaySource == .none)
  }

  /// An edit list that shows everything says nothing about the encoder.
  @Test func anEditOfEverythingLeavesTheTagInCharge() throws {
    var maker = try Self.maker()
    maker.edits = [(UInt64(Self.total), 0)]
    maker.gapless = GaplessInfo(
      priming: Self.priming, padding: Int(Self.total - Self.valid) - Self.priming, validFrames: Self.valid)
    #expect(try Self.lengths(maker).frames == Self.valid)
  }

  @Test func coarseMovieClocksAreMadeExact() throws {
    var maker = try Self.maker()
    maker.movieScale = 600
    maker.edits = [(UInt64((Double(Self.valid) * 600 / 44100).rounded()), Int64(Self.priming))]
    maker.gapless = GaplessInfo(
      priming: Self.priming, padding: Int(Self.total - Self.valid) - Self.priming, validFrames: Self.valid)
    #expect(try Self.lengths(maker).frames == Self.valid)

    // The last sample's duration tells the same.
    maker.gapless = nil
    let end = UInt32(Self.valid) + UInt32(Self.priming)
    let short = UInt32(Self.count) * 1024 - 700
    maker.times = [(UInt32(Self.count - 1), 1024), (1, 324)]
    maker.edits = [(UInt64((Double(Int(short) - Self.priming) * 600 / 44100).rounded()), Int64(Self.priming))]
    #expect(end < short)
    #expect(try Self.lengths(maker).frames == Int64(short) - Int64(Self.priming))
  }

  @Test func aShortLastSampleIsPadding() throws {
    var maker = try Self.maker()
    maker.times = [(UInt32(Self.count - 1), 1024), (1, 100)]
    let (info, frames) = try Self.lengths(maker)
    #expect(frames == Self.total - 924)
    #expect(info.delaySource == .sampleTimes)
    #expect(info.padding == 924)
  }

  @Test func severalEdits() throws {
    var maker = try Self.maker()
    maker.edits = [(4410, -1), (UInt64(Self.valid), Int64(Self.priming)), (100, 5000)]
    let reader = try MP4Reader(MemorySource(maker.bytes))
    #expect(try reader.all().reduce(0) { $0 + $1.validFrames } == Int(Self.valid))
    #expect(reader.warnings.items.map(\.kind) == [.ignored, .ignored])
    maker.edits = [(4410, -1)]
    #expect(try Self.lengths(maker).frames == Self.total)
    maker.edits = []
    #expect(try Self.lengths(maker).frames == Self.total)
  }

  @Test func versionOneEditsAndNonsense() throws {
    var maker = try Self.maker()
    maker.editVersion = 1
    maker.edits = [(UInt64(Self.valid), Int64(Self.priming))]
    #expect(try Self.lengths(maker).frames == Self.valid)
    maker.edits = [(.max, Int64(Self.priming))]
    #expect(try Self.lengths(maker).frames == Self.total - Int64(Self.priming))
    maker.edits = [(.max, .max)]
    #expect(try Self.lengths(maker).frames == Self.total)
    maker.edits = [(1, .min)]
    #expect(try Self.lengths(maker).frames == Self.total)
  }

  @Test("B063") func b063_everyTimeScale() throws {
    for rate in [8000, 11025, 32000, 44100, 48000, 96000] {
      for mediaScale in [rate, 600, 1000, 90000] {
        for movieScale in [rate, 600, 1000] {
          let configuration = try TestStream.configuration(rate: rate)
          var maker = MP4Maker(configuration, try TestStream.packets(100, configuration, sizes: 20...30))
          maker.mediaScale = UInt32(mediaScale)
          maker.movieScale = UInt32(movieScale)
          maker.times = [(100, UInt32(1024 * mediaScale / rate))]
          let (info, frames) = try Self.lengths(maker)
          #expect(info.timeRate == rate)
          #expect(frames == 102_400, "\(rate) \(mediaScale) \(movieScale)")
        }
      }
    }
  }

  /// Spectral band replication that only the time scale gives away.
  @Test("B032") func doubledTimeScale() throws {
    let configuration = try TestStream.configuration(rate: 22050)
    var maker = MP4Maker(configuration, try TestStream.packets(10, configuration))
    maker.mediaScale = 44100
    maker.times = [(10, 2048)]
    maker.edits = [(15_000, 4096)]
    let (info, frames) = try Self.lengths(maker)
    #expect(info.timeRate == 44100)
    #expect(info.packetDuration == 2048)
    #expect(info.priming == 4096)
    #expect(frames == 15_000)
  }

  /// Announced spectral band replication with the core's time scale: all counts double.
  @Test("B032") func coreTimeScale() throws {
    var configuration = try TestStream.configuration(rate: 22050)
    configuration.signalling = .hierarchical
    configuration.sbrPresent = true
    configuration.psPresent = false
    configuration.extensionSamplingRate = try SamplingRate(44100)
    var maker = MP4Maker(configuration, try TestStream.packets(10, configuration))
    maker.mediaScale = 22050
    maker.movieScale = 22050
    maker.edits = [(7500, 2048)]
    let (info, frames) = try Self.lengths(maker)
    #expect(info.priming == 4096)
    #expect(frames == 15_000)
    // The tag may count at either rate.
    maker.edits = nil
    maker.gapless = GaplessInfo(priming: 2048, padding: 10_240 - 2048 - 7500, validFrames: 7500)
    #expect(try Self.lengths(maker).frames == 15_000)
    maker.gapless = GaplessInfo(priming: 4096, padding: 20_480 - 4096 - 15_000, validFrames: 15_000)
    #expect(try Self.lengths(maker).frames == 15_000)
  }

  @Test func gaplessText() {
    let info = GaplessInfo(priming: 2112, padding: 458, validFrames: 0x3F_31F6)
    #expect(info.text.hasPrefix(" 00000000 00000840 000001CA 00000000003F31F6 00000000"))
    #expect(GaplessInfo(parsing: info.text) == info)
    for bad in ["", "1 2 3", "x x x x", " 0 FFFFFFFFFF 0 0", "0 0 0 FFFFFFFFFFFFFFFFF", "0 -1 0 0"] {
      #expect(GaplessInfo(parsing: bad) == nil, "\(bad)")
    }
  }

  @Test func scalingIsBounded() {
    #expect(TrackTiming.scale(.max, .max, 1) == 1 << 62)
    #expect(TrackTiming.scale(1, 44100, 600) == 74)
    #expect(TrackTiming.scale(600, 44100, 600) == 44100)
    #expect(TrackTiming.scale(5, 3, 0) == 15)
  }
}
