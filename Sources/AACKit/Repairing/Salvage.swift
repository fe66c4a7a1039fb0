import AAC
import AACContainers
import AudioFiles

/// The packets of a damaged container: the whole ones as they are, and silence where it is known that some are missing.
struct Salvage {
  /// What a walk over all packets found.
  struct Finding: Equatable {
    /// Packets that are whole.
    var keptCount: Int64 = 0
    /// Packets that are missing or broken, as far as their number is known.
    var lostCount: Int64 = 0
    /// Those of them in whose place there is silence.
    var silenceCount: Int64 = 0
    /// Those of them that are there, but are no access units.
    var brokenCount: Int64 = 0
    /// Somewhere packets are missing of which nobody knows how many.
    var hasUnknownLoss = false
    /// The first things that are wrong, in words.
    var faults: [String] = []
    var furtherFaults = 0
    /// Where the first of them is.
    var firstOffset: Int64?
    /// Frames of the whole file that will be, priming and padding left out.
    var frames: Int64 = 0
    var timeRate = 0

    var isDamaged: Bool { !faults.isEmpty }

    mutating func note(_ fault: String, at offset: Int64?) {
      if firstOffset == nil { firstOffset = offset }
      if faults.count < 20 { faults.append(fault) } else { furtherFaults += 1 }
    }
  }

  private enum Step {
    case whole
    /// A packet is missing, or is no access unit.
    case lost
    case end
  }

  /// Faults after which a reader is given up.
  private static let patience = 1000

  private let reader: any PacketReader
  private let path: String?
  private let changes: Int
  private var scanner: AccessUnitScanner?
  private var failureCount = 0
  private(set) var finding = Finding()

  /// - Parameters:
  ///   - checksPackets: whether packets that are no access units count as lost.
  ///   - strangeByte: where in the file something is that the reader passes over without a word.
  init(
    _ reader: any PacketReader, path: String?, checksPackets: Bool = false, strangeByte: Int64? = nil
  ) {
    self.reader = reader
    self.path = path
    changes = reader.configurationChanges
    if checksPackets { scanner = try? AccessUnitScanner(reader.info.configuration) }
    if let strangeByte {
      finding.note("what follows is no part of an MP4 file (at byte \(strangeByte))", at: strangeByte)
      finding.hasUnknownLoss = true
    }
  }

  /// Looks at all packets and writes nothing.
  mutating func survey(
    cancellation: Cancellation?, progress: (Progress) -> Void = { _ in }
  ) throws(AACKitError) -> Finding {
    var packet = Packet(data: [], presentationTime: 0, duration: 0)
    while try next(into: &packet, cancellation) != .end {
      finding.frames += Int64(packet.validFrames)
      progress(self.progress(packet))
    }
    finish()
    return finding
  }

  /// Copies the packets to a new container.
  ///
  /// - Throws: what writing throws; `unsupported` where the configuration changes; `cancelled`.
  mutating func copy(
    to sink: any ByteSink, _ output: PacketOutput, path outputPath: String?, cancellation: Cancellation?,
    progress: (Progress) -> Void = { _ in }
  ) throws(AACKitError) -> Finding {
    let info = reader.info
    var output = output
    output.tags = info.tags
    output.chapters = info.chapters
    output.mpeg2 = info.isMPEG2
    output.configurationBytes = info.configurationBytes
    output.timeRate = info.timeRate
    output.checksums = info.hasChecksums && output.container == .adts
    let silence = SilentPacket.data(for: info.configuration)
    let writer: any PacketWriter
    do { writer = try output.open(sink, configuration: info.configuration) } catch {
      throw AACKitError(.container(error), path: outputPath)
    }
    var packet = Packet(data: [], presentationTime: 0, duration: 0)
    while true {
      let step = try next(into: &packet, cancellation)
      if step == .end { break }
      if step == .lost {
        guard let silence else { continue }
        packet.data = silence
        finding.silenceCount += 1
      }
      finding.frames += Int64(packet.validFrames)
      do { try writer.write(packet) } catch { throw AACKitError(.container(error), path: outputPath) }
      progress(self.progress(packet))
    }
    finish()
    do { try writer.finish() } catch { throw AACKitError(.container(error), path: outputPath) }
    return finding
  }

  private func progress(_ packet: Packet) -> Progress {
    Progress(
      frames: max(0, packet.presentationTime), total: reader.info.validFrames,
      sampleRate: reader.info.timeRate)
  }

  private mutating func next(
    into packet: inout Packet, _ cancellation: Cancellation?
  ) throws(AACKitError) -> Step {
    while true {
      if cancellation?.isCancelled == true { throw AACKitError(.cancelled, path: path) }
      do throws(ContainerError) {
        guard try reader.nextPacket(into: &packet) else { return .end }
      } catch {
        try bear(error)
        continue
      }
      if reader.configurationChanges != changes {
        throw AACKitError(
          .unsupported("the configuration changes at frame \(finding.keptCount), which no file can hold"),
          path: path)
      }
      if packet.data.isEmpty {
        finding.lostCount += 1
        return .lost
      }
      if let fault = check(packet.data) {
        finding.note("the frame \(finding.keptCount + finding.lostCount) is damaged: \(fault)", at: nil)
        finding.brokenCount += 1
        finding.lostCount += 1
        return .lost
      }
      finding.keptCount += 1
      return .whole
    }
  }

  /// What the data says against itself; `nil` where it is an access unit, or cannot be looked into.
  private mutating func check(_ data: [UInt8]) -> AACError? {
    guard scanner != nil else { return nil }
    do throws(AACError) {
      try scanner?.scan(data, range: 0..<data.count)
      return nil
    } catch { return error }
  }

  /// Notes a fault of the data. Those of the disk are no damage that could be repaired.
  private mutating func bear(_ error: ContainerError) throws(AACKitError) {
    failureCount += 1
    if case .system = error.reason { throw AACKitError(.container(error), path: path) }
    guard failureCount < Self.patience else { throw AACKitError(.container(error), path: path) }
    finding.note(AACKitError.plain(error), at: error.byteOffset)
    if let missing = (reader as? MP4Reader)?.missingCount, missing > 0 {
      finding.lostCount += missing
    } else {
      finding.hasUnknownLoss = true
    }
  }

  /// Adds what the reader got over by itself.
  private mutating func finish() {
    finding.timeRate = reader.info.timeRate
    var kinds: Set<ContainerWarning.Kind> = [.repaired, .lost, .checksum, .cutOff, .junk]
    let list = reader.warnings
    // Where most checksums do not fit, the encoder wrote other numbers there.
    if 2 * Int64(list.count(of: .checksum)) > finding.keptCount { kinds.remove(.checksum) }
    // What stands in front of the first frame is no damage.
    let relevant = list.items.filter { kinds.contains($0.kind) && !($0.kind == .junk && $0.byteOffset == 0) }
    for warning in relevant { finding.note(warning.description, at: warning.byteOffset) }
    if relevant.contains(where: { $0.kind == .junk }) { finding.hasUnknownLoss = true }
    finding.lostCount += Int64(list.count(of: .cutOff))
    let listed = list.items.count { kinds.contains($0.kind) }
    finding.furtherFaults += kinds.reduce(0) { $0 + list.count(of: $1) } - listed
  }
}
