public import AAC

/// Writes LOAS: LATM elements behind sync words, or LATM alone.
///
/// There is no place for priming, padding and tags: they are lost.
public final class LOASWriter: PacketWriter {
  /// How often the configuration is repeated, and in which bytes.
  public struct Options: Sendable, Equatable {
    /// audioMuxVersion 0 or 1; `nil`: 0, and 1 where the configuration has a sync extension, which version 0
    /// cannot hold.
    public var version: Int?
    /// Elements from one configuration to the next; `nil`: about half a second. Receivers can join there.
    public var configInterval: Int?
    /// Access units in an element, 1…64.
    public var unitsPerElement = 1
    /// Put a sync word and the length in front of each element. Without them a stream cannot be joined in its
    /// middle.
    public var hasSync = true
    /// The configuration's bytes as another container had them.
    public var configurationBytes: [UInt8]?
    public init() {}
  }

  private let sink: any ByteSink
  private let hasSync: Bool
  private let configInterval: Int
  private let unitsPerElement: Int
  private var config: StreamMuxConfig
  /// Access units waiting for their element.
  private var pending: [[UInt8]] = []
  private var bits = BitWriter()
  private var frame: [UInt8] = []
  private var elementCount = 0
  private var packetCount: Int64 = 0
  private var isFinished = false

  public init(
    _ sink: any ByteSink, configuration: AudioSpecificConfig, options: Options = Options()
  ) throws(ContainerError) {
    guard options.version.map({ (0...1).contains($0) }) ?? true, options.configInterval ?? 1 > 0,
      (1...64).contains(options.unitsPerElement)
    else {
      throw ContainerError(.misuse("LOAS has versions 0 and 1, and 1 to 64 access units in an element"))
    }
    if options.version == 0, configuration.signalling == .backwardCompatible {
      throw ContainerError(.cannotCarry("LATM of version 0 has no place for a sync extension"))
    }
    self.sink = sink
    hasSync = options.hasSync
    unitsPerElement = options.unitsPerElement
    let unitRate = configuration.samplingRate.hertz / max(1, configuration.frameLength)
    configInterval = options.configInterval ?? max(1, unitRate / 2 / unitsPerElement)
    config = StreamMuxConfig(
      configuration, bytes: options.configurationBytes, version: options.version)
    config.totalBufferFullness = 0xFF
    config.subFrameCount = unitsPerElement
  }

  public func write(_ packet: Packet) throws(ContainerError) {
    guard !isFinished else { throw ContainerError(.misuse("the writer is finished")) }
    try PacketCheck.refuseFramed(packet.data)
    pending.append(packet.data)
    packetCount += 1
    if pending.count == unitsPerElement { try writeElement(tellsConfig: elementCount % configInterval == 0) }
  }

  private func writeElement(tellsConfig: Bool) throws(ContainerError) {
    bits.removeAll()
    bits.put(!tellsConfig)  // useSameStreamMux
    if tellsConfig { config.write(to: &bits) }
    for unit in pending {
      var length = unit.count
      while length >= 255 {
        bits.put(255, 8)
        length -= 255
      }
      bits.put(length, 8)
      bits.put(bytes: unit)
    }
    bits.alignToByte()
    let count = bits.bytes.count
    guard count <= LOASFramer.maximumElementLength || !hasSync else {
      throw ContainerError(
        .cannotCarry(
          "the element behind access unit \(packetCount - Int64(pending.count)) has \(count) bytes, a LOAS "
            + "frame holds \(LOASFramer.maximumElementLength)"))
    }
    frame.removeAll(keepingCapacity: true)
    if hasSync {
      let word = LOASFramer.syncWord << 13 | UInt64(count)
      for shift in [16, 8, 0] as [UInt64] { frame.append(UInt8(truncatingIfNeeded: word >> shift)) }
    }
    frame.append(contentsOf: bits.bytes)
    try sink.append(frame)
    pending.removeAll(keepingCapacity: true)
    elementCount += 1
  }

  public func finish() throws(ContainerError) {
    guard !isFinished else { return }
    isFinished = true
    if !pending.isEmpty {
      // The last element has fewer: that is another configuration.
      config.subFrameCount = pending.count
      try writeElement(tellsConfig: true)
    }
    try sink.flush()
  }
}
