import AAC
import AACContainers
import AudioFiles
import PCM

/// Turns a container's packets into sound, one packet at a time, in whatever format each comes out.
final class PacketDecoder {
  let packets: any PacketReader
  private(set) var decoder: AACDecoder
  /// Packets so far, and those of them that were concealed.
  private(set) var packetCount: Int64 = 0
  private(set) var concealedCount: Int64 = 0
  private(set) var firstDamage: AACKitError?
  var notes: AACDecoder.Notes { earlierNotes.union(decoder.notes) }

  private var earlierNotes: AACDecoder.Notes = []

  private let options: AACReader.Options
  private let path: String?
  private let cancellation: Cancellation?
  private var configurationChanges: Int
  private var packet = Packet(data: [], presentationTime: 0, duration: 0)
  private var isAtEnd = false

  /// How many failures in a row end the reading: the container cannot find its place again.
  private static let patience = 1000

  init(
    _ source: any ByteSource, _ path: String?, _ options: AACReader.Options,
    _ cancellation: Cancellation?
  ) throws(AACKitError) {
    self.options = options
    self.path = path
    self.cancellation = cancellation
    packets = try openPackets(source, path: path)
    do { decoder = try AACDecoder(packets.info.configuration) } catch {
      throw AACKitError(.codec(error), path: path)
    }
    decoder.dynamics = options.dynamics
    configurationChanges = packets.configurationChanges
  }

  /// Puts the next packet's sound into `output`, without priming and padding where they are to be left
  /// out; false at the end.
  func next(into output: inout PCMBuffer) throws(AACKitError) -> Bool {
    while !isAtEnd {
      if cancellation?.isCancelled == true { throw AACKitError(.cancelled, path: path) }
      guard try load() else { break }
      try decode(into: &output)
      if options.trims { trim(&output) }
      if output.frameCount > 0 { return true }
    }
    isAtEnd = true
    if packetCount > 0, packetCount == concealedCount, let firstDamage { throw firstDamage }
    output.resize(to: 0, format: decoder.format)
    return false
  }

  /// Reads the next packet; false at the end.
  private func load() throws(AACKitError) -> Bool {
    for _ in 0..<Self.patience {
      do {
        guard try packets.nextPacket(into: &packet) else { return false }
        packetCount += 1
        return true
      } catch {
        let failure = AACKitError(.container(error), path: path, time: time)
        switch error.reason {
        case .needsSeeking, .system: throw failure
        default: try note(failure)
        }
      }
    }
    return false
  }

  private func decode(into output: inout PCMBuffer) throws(AACKitError) {
    do throws(AACError) {
      if packets.configurationChanges != configurationChanges {
        configurationChanges = packets.configurationChanges
        earlierNotes.formUnion(decoder.notes)
        decoder = try AACDecoder(packets.info.configuration)
        decoder.dynamics = options.dynamics
      }
      if packet.data.isEmpty { throw AACError(.inconsistent("the packet is missing")) }
      try decoder.decode(packet.data, into: &output)
    } catch {
      let failure = AACKitError(.codec(error), path: path, time: time)
      if case .unsupported = error.reason, packetCount == concealedCount + 1 { throw failure }
      concealedCount += 1
      try note(failure)
      decoder.conceal(into: &output)
      if output.channelCount == 0 { output.frameCount = 0 }
    }
  }

  private func note(_ failure: AACKitError) throws(AACKitError) {
    if options.strict { throw failure }
    if firstDamage == nil { firstDamage = failure }
  }

  /// Seconds at which the packet at hand starts.
  private var time: Double? {
    let rate = packets.info.timeRate
    return rate > 0 ? Double(max(0, packet.presentationTime)) / Double(rate) : nil
  }

  private func trim(_ output: inout PCMBuffer) {
    guard packet.priming > 0 || packet.padding > 0, packet.duration > 0 else { return }
    // Counts are at the container's rate; unannounced spectral band replication doubles them.
    let frames = output.frameCount
    let priming = min(max(0, packet.priming), packet.duration)
    let padding = min(max(0, packet.padding), packet.duration)
    let start = priming * frames / packet.duration
    let end = max(start, frames - padding * frames / packet.duration)
    if start > 0 {
      for channel in output.channels.indices {
        moveDown(&output.channels[channel], start..<end)
      }
    }
    output.frameCount = end - start
  }
}

private func moveDown(_ samples: inout [Float], _ range: Range<Int>) {
  for index in range { samples[index - range.lowerBound] = samples[index] }
}
