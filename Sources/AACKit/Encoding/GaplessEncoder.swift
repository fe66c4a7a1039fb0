import AAC
import AACContainers
import PCM

/// Encodes tracks that follow each other without a pause: one encoder runs through all of them, and each track gets
/// the packets that its frames need.
///
/// A track's first packet carries the end of the track before it, and its last one the beginning of the next; both
/// are declared as priming and padding. So every track decodes to exactly its own frames, and they join as if they
/// had been encoded, and decoded, in one piece.
struct GaplessEncoder {
  /// A track that is complete.
  struct Finished {
    var index: Int
    var summary: EncodeSummary
  }

  private struct Track {
    var index: Int
    /// Frames of all tracks before it.
    var start: Int64
    /// `nil` while frames may come.
    var end: Int64?
    /// `nil` where the packets are not wanted.
    var writer: (any PacketWriter)?
    var packetCount: Int64 = 0
    var payloadBytes: Int64 = 0
  }

  private let settings: EncoderSettings
  private let encoder: AACEncoder
  /// Tracks whose packets have not all come yet, in order.
  private var tracks: [Track] = []
  private var trackCount = 0
  private var frames: Int64 = 0
  private var packetsMade: Int64 = 0
  private var last: Packet?

  init(_ settings: EncoderSettings) throws(AACKitError) {
    self.settings = settings
    do { encoder = try AACEncoder(settings) } catch { throw AACKitError(.codec(error)) }
  }

  /// Begins the next track. Frames from here on are its.
  mutating func begin(_ sink: (any ByteSink)?, _ output: PacketOutput) throws(AACKitError) {
    var writer: (any PacketWriter)?
    if let sink {
      do { writer = try output.open(sink, configuration: encoder.configuration) } catch {
        throw AACKitError(.container(error))
      }
    }
    tracks.append(Track(index: trackCount, start: frames, writer: writer))
    trackCount += 1
  }

  /// Takes frames of the present track and returns the tracks that have become complete.
  mutating func push(_ buffer: PCMBuffer) throws(AACKitError) -> [Finished] {
    let packets: [Packet]
    do { packets = try encoder.encode(buffer) } catch {
      var frame = frames
      if case .notFinite(_, let place) = error.reason { frame = place }
      let start = tracks.last?.start ?? 0
      throw AACKitError(.codec(error), time: Double(frame - start) / Double(settings.sampleRate))
    }
    frames += Int64(buffer.frameCount)
    return try distribute(packets)
  }

  /// Ends the present track.
  mutating func end() throws(AACKitError) {
    guard let track = tracks.last, track.end == nil else { return }
    if frames == track.start { throw AACKitError(.noSamples) }
    tracks[tracks.count - 1].end = frames
  }

  /// Encodes what is still inside.
  mutating func finish() throws(AACKitError) -> [Finished] {
    let packets: [Packet]
    do { packets = try encoder.finish() } catch { throw AACKitError(.codec(error)) }
    return try distribute(packets)
  }

  /// Gives each packet to the tracks that need it. Packets come late enough that the tracks they are for are known.
  private mutating func distribute(_ packets: [Packet]) throws(AACKitError) -> [Finished] {
    var finished: [Finished] = []
    for packet in packets {
      // Packet 0 decodes to the priming alone, packet 1 to the first frames.
      let blockEnd = packetsMade * Int64(packet.duration)
      let blockStart = blockEnd - Int64(packet.duration)
      packetsMade += 1
      for index in tracks.indices where tracks[index].start < blockEnd {
        if tracks[index].packetCount == 0, let last {
          try write(last, from: blockStart - Int64(packet.duration), to: &tracks[index])
        }
        try write(packet, from: blockStart, to: &tracks[index])
        guard let end = tracks[index].end, end <= blockEnd else { continue }
        finished.append(try finish(tracks[index], end: end))
      }
      tracks.removeAll { track in track.end.map { $0 <= blockEnd } ?? false }
      last = packet
    }
    return finished
  }

  private func write(
    _ packet: Packet, from blockStart: Int64, to track: inout Track
  ) throws(AACKitError) {
    let length = Int64(packet.duration)
    var packet = packet
    packet.presentationTime = blockStart - track.start
    packet.priming = Int(min(max(0, track.start - blockStart), length))
    packet.padding = Int(min(max(0, blockStart + length - (track.end ?? .max)), length))
    do { try track.writer?.write(packet) } catch { throw AACKitError(.container(error)) }
    track.packetCount += 1
    track.payloadBytes += Int64(packet.data.count)
  }

  private func finish(_ track: Track, end: Int64) throws(AACKitError) -> Finished {
    do { try track.writer?.finish() } catch { throw AACKitError(.container(error)) }
    return Finished(
      index: track.index,
      summary: EncodeSummary(
        settings: settings, effective: encoder.effective, frames: end - track.start,
        packetCount: track.packetCount, payloadBytes: track.payloadBytes))
  }
}
