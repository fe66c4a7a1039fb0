import AAC
import Foundation
import PCM
import Testing

@testable import AACContainers

/// Every stream of the large set is opened; counts are compared with the list and with what a decoder
/// found in them.
@Suite(.enabled(if: sharedFolder != nil)) struct SharedVectorTests {
  @Test func listed() throws {
    let folder = try #require(sharedFolder).appendingPathComponent("vectors")
    let list = try String(contentsOf: folder.appendingPathComponent("MANIFEST.tsv"), encoding: .utf8)
    for line in list.split(separator: "\n").dropFirst() {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      let path = folder.appendingPathComponent(fields[0]).path
      let result: String
      do {
        let reader = try openPacketReader(FileSource(path: path))
        var count = 0
        var failure = ""
        do {
          while try reader.nextPacket() != nil { count += 1 }
        } catch {
          failure = " THROWS \(error)"
        }
        let info = reader.info
        let survey = try? reader.survey()
        result =
          "\(info.container.rawValue) \(count) [\(survey?.packetCount ?? -1)] \(info.timeRate) ch\(info.configuration.elements.layout.channelCount) p\(info.priming) e\(info.padding) v\(info.validFrames ?? -1) \(info.delaySource) tags\(info.tags.count) w:\(reader.warnings.items.map(\.description))\(failure)"
      } catch {
        result = "ERROR \(error)"
      }
      print("VEC", fields[0], "|", fields[4], fields[6], fields[7], fields[8], "|", result)
    }
  }
}
