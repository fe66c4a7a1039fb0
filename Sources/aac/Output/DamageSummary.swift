import AAC
import AACKit

/// What was concealed and got over, for people and for scripts.
struct DamageSummary {
  private let counts: DecodingStatistics

  init(_ counts: DecodingStatistics) { self.counts = counts }

  /// - Parameter first: the first damage.
  func lines(first: AACKitError?) -> [String] {
    var lines: [String] = []
    let told = first.map { AACKitError($0.reason, time: $0.time).description }
    let fault = told.map { "; the first fault: \($0)" } ?? ""
    if counts.concealedFrames > 0 {
      var kinds: [String] = []
      func add(_ count: Int64, _ words: String) { if count > 0 { kinds.append("\(count) \(words)") } }
      add(counts.damagedFrames, "broken")
      add(counts.missingFrames, "missing or with a wrong checksum")
      add(counts.incompleteFrames, "without all channels")
      add(counts.implausibleFrames, "louder than any sound")
      lines.append(
        "\(counts.concealedFrames) of \(counts.frames) frames were damaged and concealed "
          + "(\(kinds.joined(separator: ", "))), \(counts.longestRun) in a row at most" + fault)
    } else if let told {
      lines.append(counts.frames > 0 ? "\(counts.frames) whole frames; then: \(told)" : told)
    }
    if counts.replicationFaults > 0 {
      lines.append("\(counts.replicationFaults) frames had broken replication data: the last one was held")
    }
    if counts.checksumFailures > 0 { lines.append("\(counts.checksumFailures) checksums did not fit") }
    if counts.resynchronisations > 0 {
      lines.append(
        "the frames had to be found again \(counts.resynchronisations) times, over \(counts.skippedBytes) bytes"
      )
    }
    return lines
  }

  var json: JSON {
    .object([
      (key: "frames", value: .integer(counts.frames)),
      (key: "concealed", value: .integer(counts.concealedFrames)),
      (key: "partly", value: .integer(counts.partlyConcealedFrames)),
      (key: "channels", value: .integer(counts.concealedChannels)),
      (key: "longestRun", value: .integer(Int64(counts.longestRun))),
      (key: "missing", value: .integer(counts.missingFrames)),
      (key: "broken", value: .integer(counts.damagedFrames)),
      (key: "incomplete", value: .integer(counts.incompleteFrames)),
      (key: "implausible", value: .integer(counts.implausibleFrames)),
      (key: "replication", value: .integer(counts.replicationFaults)),
      (key: "checksums", value: .integer(counts.checksumFailures)),
      (key: "resynchronisations", value: .integer(counts.resynchronisations)),
      (key: "skippedBytes", value: .integer(counts.skippedBytes)),
      (key: "configurationChanges", value: .integer(counts.configurationChanges)),
    ])
  }
}
