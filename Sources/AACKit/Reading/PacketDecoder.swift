import AAC
import AACContainers
import AudioFiles
import PCM

/// Turns a container's packets into sound, one packet at a time, in whatever format each comes out.
final class PacketDecoder {
  let packets: any PacketReader
  private(set) var decoder: AACDecoder
  /// Packets so far.
  private(set) var packetCount: Int64 = 0
  private(set) var firstDamage: AACKitError?
  /// The first hundred.
  private(set) var damages: [DecodingDamage] = []
  var notes: AACDecoder.Notes { earlierNotes.union(decoder.notes) }

  private var earlierNotes: AACDecoder.Notes = []
  private var counts = DecodingStatistics()

  private let options: AACReader.Options
  private let path: String?
  private let cancellation: Cancellation?
  private var queue: PacketQueue
  private var configurationChanges: Int
  private var packet = Packet(data: [], presentationTime: 0, duration: 0)
  private var isAtEnd = false
  /// Warnings that have been looked at.
  private var warningCount = 0
  /// What the decoder before a change of configuration leaves to be heard.
  private var tail: PCMBuffer?

  /// How many failures in a row end the reading: the container cannot find its place again.
  private static let patience = 1000
  private static let largestDamageCount = 100

  init(
    _ source: any ByteSource, _ path: String?, _ options: AACReader.Options,
    _ cancellation: Cancellation?
  ) throws(AACKitError) {
    self.options = options
    self.path = path
    self.cancellation = cancellation
    packets = try openPackets(
      source, path: path,
      PacketReadingOptions(dropsDamagedPackets: true, fillsGaps: true, track: options.track))
    let configuration = packets.info.configuration
    do { decoder = try AACDecoder(configuration) } catch {
      throw AACKitError(.codec(error), path: path)
    }
    decoder.dynamics = options.dynamics
    configurationChanges = packets.configurationChanges
    queue = PacketQueue(packets)
    let count = configuration.preparationCount(isSeekable: source.isSeekable)
    if count > 1 { decoder.prepare(for: queue.peek(count)) }
  }

  /// What became of the packets so far.
  var statistics: DecodingStatistics {
    var all = counts
    let list = packets.warnings
    all.checksumFailures = Int64(list.count(of: .checksum))
    all.resynchronisations = Int64(list.count(of: .repaired) + list.count(of: .lost) + list.count(of: .junk))
    all.skippedBytes = list.skippedBytes
    return all
  }

  /// Puts the next packet's sound into `output`, without priming and padding where they are to be left
  /// out; false at the end.
  func next(into output: inout PCMBuffer) throws(AACKitError) -> Bool {
    while !isAtEnd {
      if cancellation?.isCancelled == true { throw AACKitError(.cancelled, path: path) }
      let isThere = try load()
      let hasBadChecksum = try noteWarnings()
      guard isThere else { break }
      try decode(hasBadChecksum: hasBadChecksum, into: &output)
      if options.trims { trim(&output) }
      if output.frameCount > 0 { return true }
    }
    isAtEnd = true
    let lost = counts.concealedFrames - counts.partlyConcealedFrames
    if packetCount > 0, packetCount == lost, let firstDamage { throw firstDamage }
    output.resize(to: 0, format: decoder.format)
    return false
  }

  /// Passes over packets without decoding them, up to a few in front of the one that holds frame `time` (at the
  /// container's rate): what is decoded from those comes out exact. Where the container has tables, what lies between
  /// is not read.
  func skip(to time: Int64) throws(AACKitError) {
    let info = packets.info
    let duration = Int64(max(1, min(info.packetDuration, 1 << 20)))
    guard !isAtEnd, packetCount > 0, packet.presentationTime > -.max / 2 else { return }
    let (distance, isFar) = time.subtractingReportingOverflow(packet.presentationTime)
    guard !isFar else { return }
    let step = Int64(info.configuration.preRollStep)
    let count = (distance / duration - 1 - Int64(info.preRoll)) / step * step
    guard count > 0 else { return }
    // Where that fails, walking shows what is there up to the fault.
    if let place = try? queue.seek(to: packet.presentationTime + (count + 1) * duration) {
      packetCount = place
      return
    }
    let near = time - (Int64(info.preRoll) + 1) * duration
    for _ in 0..<count where packet.presentationTime < near {
      if cancellation?.isCancelled == true { throw AACKitError(.cancelled, path: path) }
      guard try load() else {
        isAtEnd = true
        return
      }
      _ = try noteWarnings()
    }
  }

  /// Frames at the container's rate from the start of the sound to that of the packet at hand, priming left out.
  var packetStart: Int64 {
    let (sum, overflow) = packet.presentationTime.addingReportingOverflow(Int64(max(0, packet.priming)))
    return overflow ? .max : sum
  }

  /// Reads the next packet; false at the end.
  private func load() throws(AACKitError) -> Bool {
    for _ in 0..<Self.patience {
      do {
        guard try queue.nextPacket(into: &packet) else { return false }
        packetCount += 1
        return true
      } catch {
        let failure = AACKitError(.container(error), path: path, time: time)
        switch error.reason {
        case .needsSeeking, .system: throw failure
        case .truncated: try note(.cutOff, failure)
        default: try note(.resynchronised, failure)
        }
      }
    }
    return false
  }

  /// Takes note of the container's new warnings; true where a checksum of the packet at hand does not fit.
  private func noteWarnings() throws(AACKitError) -> Bool {
    let list = packets.warnings
    guard list.count != warningCount else { return false }
    var hasBadChecksum = false
    for warning in list.items.dropFirst(warningCount) {
      guard let kind = DecodingDamage.Kind(warning) else { continue }
      if kind == .checksum { hasBadChecksum = true }
      let error = ContainerError(.malformed(warning.text), at: warning.byteOffset)
      let failure = AACKitError(.container(error), path: path, time: time)
      if options.strict { throw failure }
      // The packets that stand for it, or the reader's own words, tell of it otherwise.
      if kind != .checksum, warning.kind != .lost { add(kind, failure) }
    }
    warningCount = list.count
    return hasBadChecksum
  }

  private func decode(hasBadChecksum: Bool, into output: inout PCMBuffer) throws(AACKitError) {
    try followChange()
    let report = decoder.decodeOrConceal(packet.data, into: &output)
    counts.add(report)
    if let cause = report.cause {
      let failure = AACKitError(.codec(cause.error), path: path, time: time)
      if case .unsupported = cause.error.reason, counts.concealedFrames == counts.frames { throw failure }
      let kind = hasBadChecksum && cause == .missing ? .checksum : DecodingDamage.Kind(cause)
      try note(kind, failure, report.concealedChannels)
      if output.channelCount == 0 { output.frameCount = 0 }
    }
    if let tail { mix(tail, into: &output) }
    tail = nil
  }

  /// Takes another decoder where the packet at hand has another configuration.
  private func followChange() throws(AACKitError) {
    guard queue.configurationChanges != configurationChanges else { return }
    configurationChanges = queue.configurationChanges
    counts.configurationChanges += 1
    earlierNotes.formUnion(decoder.notes)
    let old = decoder
    do { decoder = try AACDecoder(packets.info.configuration) } catch {
      let failure = AACKitError(.codec(error), path: path, time: time)
      // The old one goes on: what it cannot read it conceals.
      if case .unsupported = error.reason, counts.frames == 0 { throw failure }
      return try note(.broken, failure)
    }
    decoder.dynamics = options.dynamics
    var sound = PCMBuffer(format: old.format)
    old.drain(into: &sound)
    tail = sound
  }

  /// Lets the sound in front of a change die away under the first frame behind it. At another rate it ends at once.
  private func mix(_ tail: PCMBuffer, into output: inout PCMBuffer) {
    guard tail.format.sampleRate == output.format.sampleRate else { return }
    var sound = tail
    if tail.format.layout != output.format.layout {
      guard let mixer = ChannelMixer(from: tail.format.layout, to: output.format.layout) else { return }
      mixer.mix(tail, into: &sound)
    }
    let count = min(sound.frameCount, output.frameCount)
    for channel in 0..<min(sound.channelCount, output.channelCount) {
      addSamples(sound.channels[channel], count, &output.channels[channel])
    }
  }

  private func note(
    _ kind: DecodingDamage.Kind, _ failure: AACKitError, _ channels: FrameReport.Channels = .init()
  ) throws(AACKitError) {
    if options.strict { throw failure }
    add(kind, failure, channels)
  }

  private func add(
    _ kind: DecodingDamage.Kind, _ failure: AACKitError, _ channels: FrameReport.Channels = .init()
  ) {
    if firstDamage == nil { firstDamage = failure }
    guard damages.count < Self.largestDamageCount || options.onDamage != nil else { return }
    let damage = DecodingDamage(
      kind: kind, packet: max(0, packetCount - 1), time: failure.time, channels: channels, error: failure)
    if damages.count < Self.largestDamageCount { damages.append(damage) }
    options.onDamage?(damage)
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

private func addSamples(_ samples: [Float], _ count: Int, _ target: inout [Float]) {
  for index in 0..<count { target[index] += samples[index] }
}
