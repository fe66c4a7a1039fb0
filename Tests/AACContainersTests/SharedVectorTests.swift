import AAC
import Foundation
import PCM
import Testing

@testable import AACContainers

/// Every stream of the large set is opened and compared with its list: container, packets, rate, channels.
@Suite(.enabled(if: sharedFolder != nil)) struct SharedVectorTests {
  struct Entry: CustomTestStringConvertible {
    var path: String
    var format: String
    var tools: String
    var rate: Int?
    var channels: Int?
    var units: Int?
    var testDescription: String { path }
  }

  static let entries: [Entry] = {
    guard let folder = sharedFolder?.appendingPathComponent("vectors"),
      let list = try? String(contentsOf: folder.appendingPathComponent("MANIFEST.tsv"), encoding: .utf8)
    else { return [] }
    return list.split(separator: "\n").dropFirst().map { line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      let units = fields[8].firstRange(of: " AU").flatMap { Int(fields[8][..<$0.lowerBound]) }
      return Entry(
        path: fields[0], format: fields[4], tools: fields[5], rate: Int(fields[6]), channels: Int(fields[7]),
        units: units)
    }
  }()

  /// What the list counts differently, and why.
  static let exceptions: [String: String] = [
    "robustness/adts-sf-escape.aac": "ADTS with the reserved rate index 15",
    "robustness/foo.aac": "the list counts the last frame, which is cut off",
    "robustness/sample_cbs_truncated.adts": "the list counts the last frame, which is cut off",
    "robustness/fragmented.mp4": "the list counts the last packet, which is cut off",
    "containers/adif_CBR88_8s.aac": "the list stopped counting at 300",
    "robustness/64bit.mp4": "no track at all",
    "robustness/ilst_trailing_padding.m4a": "no track at all",
    "robustness/bipbop-cenc-audioinit.mp4": "encrypted",
    "robustness/steam_at_mention_IDX_83_RAND_107070306175668418039559.m4a": "cut off inside of moov",
  ]
  /// Tables without their sound: an error with a position at the first packet.
  static let soundless: Set<String> = [
    "robustness/faststart-4gb-overflow.mov",
    "robustness/steam_at_mention_IDX_33_RAND_122808229373977607781108.m4a",
    "robustness/ui_steam_smoother_friend_join_IDX_20_RAND_133775534408028271049852.m4a",
    "robustness/zero_empty_stsc.mp4",
  ]

  @Test func listIsThere() { #expect(Self.entries.count > 150) }

  @Test(arguments: entries)
  func listed(entry: Entry) throws {
    let folder = try #require(sharedFolder).appendingPathComponent("vectors")
    let path = folder.appendingPathComponent(entry.path).path
    try #require(FileManager.default.fileExists(atPath: path), "a listed file is missing")
    let source = try FileSource(path: path)
    let format: ContainerFormat
    switch entry.format {
    case "mp4/mov": format = .m4a
    case "ADTS": format = .adts
    case "ADIF": format = .adif
    case "LOAS/LATM": format = .loas
    case "mpegts": format = .ts
    case "flv": format = .flv
    case "raw LATM AudioMuxElement" where entry.path.contains("latmMcp1"): format = .loas
    case _ where entry.tools.contains("LD-SBR"):
      // FFmpeg, from which the list is, does not know them.
      let info = try openPacketReader(source).info
      #expect(info.container == .m4a && info.configuration.lowDelaySBR != nil)
      return
    default:
      let error = containerError { try Self.drain(openPacketReader(source)) }
      #expect(error != nil, "\(entry.format) should not be read")
      return
    }
    let reader: any PacketReader
    do {
      reader = try openPacketReader(source)
    } catch {
      #expect(Self.exceptions[entry.path] != nil, "\(error)")
      return
    }
    let found = reader.info.container == .fmp4 ? .m4a : reader.info.container
    #expect(found == format)
    #expect(Self.fits(reader.info, entry), "\(reader.info)")
    if Self.soundless.contains(entry.path) {
      let error = containerError { try Self.drain(reader) }
      #expect(error?.byteOffset != nil)
      return
    }
    var count = 0
    var sounding = 0
    let failure = containerError {
      while let packet = try reader.nextPacket() {
        count += 1
        if packet.validFrames > 0 { sounding += 1 }
      }
    }
    #expect(try reader.survey()?.packetCount == Int64(count))
    guard Self.exceptions[entry.path] == nil, let units = entry.units else { return }
    #expect(failure == nil, "\(String(describing: failure))")
    // The list leaves out some of the packets that hold nothing but priming or padding.
    #expect((sounding...count).contains(units), "\(count) packets, \(sounding) of them with sound")
  }

  /// The one stream of the set with checksums, from another encoder: they all fit.
  @Test func checksumsOfAnotherEncoder() throws {
    let path = try #require(sharedFolder).appendingPathComponent("vectors/containers/id3v1.aac").path
    let reader = try ADTSReader(FileSource(path: path))
    #expect(try reader.all().count == 5)
    #expect(reader.checkedCount == 5)
    #expect(reader.mismatchCount == 0)
  }

  private static func drain(_ reader: any PacketReader) throws {
    while try reader.nextPacket() != nil {}
  }

  /// Rate and channels; the list has them behind spectral band replication and parametric stereo, of which
  /// the container may know nothing.
  private static func fits(_ info: StreamInfo, _ entry: Entry) -> Bool {
    let channels = info.configuration.elements.layout.channelCount
    let rateFits = entry.rate.map { $0 == info.timeRate || $0 == 2 * info.timeRate } ?? true
    let channelsFit = entry.channels.map { $0 == channels || (channels == 1 && $0 == 2) } ?? true
    return rateFits && channelsFit
  }

  /// Through our writers and back, nothing is lost: every readable stream to M4A, fragments and ADTS.
  @Test(
    arguments: entries.filter {
      $0.format == "mp4/mov" && exceptions[$0.path] == nil && !soundless.contains($0.path)
    })
  func rewritten(entry: Entry) throws {
    let path = try #require(sharedFolder).appendingPathComponent("vectors/\(entry.path)").path
    guard let reader = try? openPacketReader(FileSource(path: path)) else { return }
    let packets = try reader.all()
    guard !packets.isEmpty, !packets.contains(where: { $0.data.isEmpty }) else { return }
    let info = reader.info
    var options = M4AWriter.Options(tags: info.tags)
    options.timescale = info.timeRate
    options.configurationBytes = info.configurationBytes
    let again = try MP4Reader(MemorySource(m4a(packets, info.configuration, options: options)))
    #expect(try again.all() == packets)
    #expect(again.info.configurationBytes == info.configurationBytes)
    #expect(again.info.tags == info.tags)
    var fragmentOptions = FragmentedMP4Writer.Options()
    fragmentOptions.timescale = info.timeRate
    fragmentOptions.configurationBytes = info.configurationBytes
    let pieces = try MP4Reader(
      MemorySource(fragmented(packets, info.configuration, options: fragmentOptions)))
    #expect(try pieces.all() == packets)
    guard let bytes = try? adts(packets, info.configuration) else { return }
    let stream = try ADTSReader(MemorySource(bytes))
    let units = try stream.all().map(\.data)
    #expect(units.count == packets.count)
    if info.configuration.programConfig == nil { #expect(units == packets.map(\.data)) }
  }
}
