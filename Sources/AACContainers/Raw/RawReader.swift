public import AAC

/// Reads bare access units with the help of their sidecar (see `RawSidecar`).
public final class RawReader: PacketReader {
  public private(set) var info: StreamInfo
  public private(set) var warnings = WarningList()
  public var configurationChanges: Int { 0 }

  private let source: any ByteSource
  private let sidecarSource: (any ByteSource)?
  private let sidecar: RawSidecar?
  private let window: ByteWindow
  private var sizes: JSONScanner?
  private var units: UnitSplitter?
  private var offset: Int64 = 0
  private var time: Int64 = 0
  private var packetCount: Int64 = 0
  private var isFinished = false

  /// - Parameter sidecar: the JSON text; must be seekable.
  public init(_ source: any ByteSource, sidecar sidecarSource: any ByteSource) throws(ContainerError) {
    let sidecar = try RawSidecar(parsing: sidecarSource)
    let configuration = try Self.configuration(sidecar.configurationBytes)
    self.source = source
    self.sidecarSource = sidecarSource
    self.sidecar = sidecar
    window = ByteWindow(source)
    info = StreamInfo(container: .raw, configuration: configuration)
    info.configurationBytes = sidecar.configurationBytes
    if let timeRate = sidecar.timeRate { info.timeRate = timeRate }
    if let packetDuration = sidecar.packetDuration { info.packetDuration = packetDuration }
    info.tags = sidecar.tags
    info.priming = sidecar.priming
    info.padding = sidecar.padding
    info.delaySource = .sidecar
    info.packetCount = sidecar.packetCount
    if let count = sidecar.packetCount, let start = sidecar.sizesOffset {
      sizes = JSONScanner(sidecarSource, from: start)
      info.validFrames = max(
        0, count * Int64(info.packetDuration) - Int64(sidecar.priming) - Int64(sidecar.padding))
    } else {
      units = try UnitSplitter(configuration, from: 0)
    }
    time = -Int64(sidecar.priming)
  }

  /// Reads access units of a known configuration; their borders are found by their syntax.
  public init(_ source: any ByteSource, configurationBytes: [UInt8]) throws(ContainerError) {
    let configuration = try Self.configuration(configurationBytes)
    self.source = source
    sidecarSource = nil
    sidecar = nil
    window = ByteWindow(source)
    info = StreamInfo(container: .raw, configuration: configuration)
    info.configurationBytes = configurationBytes
    units = try UnitSplitter(configuration, from: 0)
  }

  private static func configuration(_ bytes: [UInt8]) throws(ContainerError) -> AudioSpecificConfig {
    do {
      return try AudioSpecificConfig(parsing: bytes)
    } catch {
      throw ContainerError(.configuration(error))
    }
  }

  public func nextPacket(into packet: inout Packet) throws(ContainerError) -> Bool {
    guard !isFinished else { return false }
    do throws(ContainerError) {
      guard try load(into: &packet.data) else {
        finish()
        return false
      }
    } catch {
      if error.reason != .needsMoreData { finish() }
      throw error
    }
    let duration = Int64(info.packetDuration)
    packet.presentationTime = time
    packet.duration = info.packetDuration
    packet.priming = Int(max(0, min(-time, duration)))
    packet.padding = 0
    if let valid = info.validFrames { packet.padding = Int(max(0, min(time + duration - valid, duration))) }
    packet.padding = min(packet.padding, packet.duration - packet.priming)
    time += duration
    packetCount += 1
    source.release(before: offset)
    return true
  }

  private func load(into data: inout [UInt8]) throws(ContainerError) -> Bool {
    if units != nil {
      let isThere = try units?.next(into: &data, from: source) ?? false
      offset = units?.offset ?? offset
      return isThere
    }
    guard packetCount < sidecar?.packetCount ?? 0, var scanner = sizes else {
      if try !window.isAtEnd(offset) {
        warnings.add(.junk, "there is more data than the sidecar lists", at: offset)
      }
      return false
    }
    let size = Int(try scanner.integer(in: 1...Int64(SampleTable.largestSample)))
    _ = try scanner.hasNext(before: "]")
    data.removeAll(keepingCapacity: true)
    let got = try window.append(size, at: offset, to: &data)
    guard got == size else {
      throw ContainerError(
        .truncated("the data, in the access unit \(packetCount + 1),"), at: offset + Int64(got))
    }
    sizes = scanner
    offset += Int64(size)
    return true
  }

  private func finish() {
    isFinished = true
    if info.packetCount == nil { info.packetCount = packetCount }
    if info.validFrames == nil { info.validFrames = max(0, time) }
  }

  public func survey() throws(ContainerError) -> StreamSurvey? {
    guard source.isSeekable else { return nil }
    let reader: RawReader
    if let sidecarSource {
      reader = try RawReader(source, sidecar: sidecarSource)
    } else {
      reader = try RawReader(source, configurationBytes: info.configurationBytes)
    }
    var counter = SurveyCounter(packetsPerSecond: max(1, info.timeRate / info.packetDuration))
    var data: [UInt8] = []
    while (try? reader.load(into: &data)) == true {
      counter.add(data.count)
      reader.packetCount += 1
    }
    return counter.finish(
      frames: counter.survey.packetCount * Int64(info.packetDuration), priming: info.priming,
      padding: info.padding)
  }
}
