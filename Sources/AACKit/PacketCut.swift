import AAC
import AACContainers

/// A stretch of a stream of packets: which of them belong to it, and how much of the first and the last one is dropped.
///
/// A few packets in front are kept and dropped in whole after decoding, so that the first frame comes out as it did.
struct PacketCut {
  /// Frames at the container's rate; the end is the first that is left out.
  private let start: Int64
  private let end: Int64
  private let lead: Int64
  private let trims: Bool
  /// Whether no later packet belongs to it.
  private(set) var isOver = false

  /// - Parameters:
  ///   - seconds: where it begins and ends.
  ///   - info: what is known of the stream.
  ///   - trims: whether the output can say how much is to be dropped; else whole packets are taken, from the one in
  ///     which the stretch begins to the one in which it ends.
  init(_ seconds: Range<Double>, of info: StreamInfo, trims: Bool) {
    func frames(_ time: Double) -> Int64 {
      let value = (time * Double(info.timeRate)).rounded()
      return value < 1e17 ? Int64(value) : .max / 2
    }
    start = frames(seconds.lowerBound)
    end = frames(seconds.upperBound)
    lead = trims ? Int64(Self.lead(of: info.configuration)) * Int64(max(1, info.packetDuration)) : 0
    self.trims = trims
  }

  /// Packets in front of sound that are kept to prepare the decoder: the overlap of low complexity takes one,
  /// replication more. Fewer than `StreamInfo.preRoll`, since players that cannot drop them play them.
  static func lead(of configuration: AudioSpecificConfig) -> Int {
    configuration.sbrPresent == false ? 1 : 4
  }

  /// Whether a packet belongs to the stretch; its times are those of the stretch then.
  mutating func take(_ packet: inout Packet) -> Bool {
    let duration = Int64(packet.duration)
    let (packetEnd, overflow) = packet.presentationTime.addingReportingOverflow(duration)
    guard !overflow, packetEnd > start - lead else { return false }
    guard packet.presentationTime < end else {
      isOver = true
      return false
    }
    if trims {
      packet.priming = Int(max(Int64(packet.priming), min(duration, start - packet.presentationTime)))
      packet.padding = Int(max(Int64(packet.padding), min(duration, packetEnd - end)))
    }
    packet.presentationTime -= start
    return true
  }
}

extension [Chapter] {
  /// The chapters of a stretch, counted from its start; the one that it begins in begins with it.
  func within(_ seconds: Range<Double>) -> [Chapter] {
    let first = lastIndex { $0.start <= seconds.lowerBound } ?? startIndex
    return self[first...].filter { $0.start < seconds.upperBound }.map { chapter in
      Chapter(start: Swift.max(0, chapter.start - seconds.lowerBound), title: chapter.title)
    }
  }
}
