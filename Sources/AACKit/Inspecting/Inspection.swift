public import AAC
public import AACContainers
public import AudioFiles
public import PCM

/// What an AAC file or stream is.
public struct Inspection: Sendable, Equatable {
  public var info: StreamInfo
  /// `LC`, `HE`, `HEv2`, `Main`, …
  public var objectType: String
  /// How spectral band replication is announced: `none`, `implicit`, `backwardCompatible` or `hierarchical`. The last
  /// is also said of ELD with replication, whose configuration announces it to all; its object type stays `ELD`.
  public var signalling: String
  /// Rate of the sound, with spectral band replication where there is some.
  public var sampleRate: Int
  public var coreSampleRate: Int
  public var layout: ChannelLayout
  /// Packets.
  public var frames: Int64 = 0
  /// Frames of sound that one packet decodes to.
  public var frameLength: Int
  /// Frames of sound after trimming, at `sampleRate`.
  public var samples: Int64 = 0
  public var priming: Int64 = 0
  public var padding: Int64 = 0
  /// Bytes of the access units.
  public var byteCount: Int64 = 0
  public var smallestFrame = 0
  public var largestFrame = 0
  /// What the packets say about dynamic range; `nil` where they have no such data.
  public var dynamicRange: DynamicRange?
  /// How the stream wants to be mixed down, from the first program config element that says so.
  public var matrixMixdown: ProgramConfig.MatrixMixdown?
  /// Highest rate over about a second.
  public var peakBitRate: Double = 0
  public var warnings: [String] = []
  /// The file cannot be read to its end.
  public var isDamaged = false

  public var duration: Double { sampleRate > 0 ? Double(samples) / Double(sampleRate) : 0 }
  /// Mean bits a second over all packets.
  public var bitRate: Double {
    let seconds = Double(frames) * Double(frameLength) / Double(max(1, sampleRate))
    return frames > 0 ? Double(byteCount) * 8 / seconds : 0
  }

  /// Dynamic range control over all packets.
  public struct DynamicRange: Sendable, Equatable {
    /// Packets with data.
    public var frames: Int64 = 0
    /// Mean level of the programme in dB from full scale, as told first; `nil` where it never is.
    public var programReferenceLevel: Double?
    /// The smallest and the largest gain in dB.
    public var smallestGain = Double.infinity
    public var largestGain = -Double.infinity
  }

  /// One packet of the walk.
  public struct Frame: Sendable {
    public var index: Int64
    public var packet: Packet
    /// `nil` where it is damaged or of a type that is not looked into.
    public var summary: AccessUnitSummary?
    public var fault: String?
  }
}

extension Inspection {
  /// Walks over all packets of a container.
  ///
  /// - Parameters:
  ///   - track: the number of the track that is looked at, from 1; `nil` for the usual one.
  ///   - visit: called for each packet.
  /// - Throws: `container` where it is no AAC at all; later faults become warnings. What `visit` throws.
  public init(
    _ source: any ByteSource, track: Int? = nil, path: String? = nil, cancellation: Cancellation? = nil,
    visit: (Frame) throws(AACKitError) -> Void = { _ in }
  ) throws(AACKitError) {
    let reader = try openPackets(source, path: path, PacketReadingOptions(track: track))
    info = reader.info
    objectType = reader.info.configuration.objectType.name
    signalling = reader.info.configuration.signalling.rawValue
    coreSampleRate = reader.info.configuration.samplingRate.hertz
    sampleRate = reader.info.timeRate
    frameLength = reader.info.packetDuration
    layout = reader.info.configuration.elements.layout
    var walk = Walk(reader, cancellation, path, isSeekable: source.isSeekable)
    try walk.run(visit)
    adopt(walk)
  }

  private mutating func adopt(_ walk: Walk) {
    info = walk.reader.info
    frames = walk.count
    byteCount = walk.byteCount
    smallestFrame = walk.smallest
    largestFrame = walk.largest
    peakBitRate = Double(walk.peakBytes) * 8 / walk.peakSeconds
    samples = walk.validFrames
    priming = walk.priming
    padding = walk.padding
    dynamicRange = walk.dynamicRange
    matrixMixdown = info.configuration.programConfig?.matrixMixdown ?? walk.matrixMixdown
    let configuration = info.configuration
    if configuration.programConfig != nil || layout.channelCount == 0 {
      layout = configuration.elements.layout
    }
    if layout.channelCount == 0, walk.channelCount > 0 {
      layout = .standard(channelCount: walk.channelCount) ?? .discrete(walk.channelCount)
    }
    // What a decoder finds in the first access units is what it goes by.
    let decoder = try? AACDecoder(configuration)
    decoder?.prepare(for: walk.firstUnits)
    let found = decoder?.extensions ?? []
    if configuration.lowDelaySBR != nil {
      signalling = "hierarchical"
    } else if configuration.sbrPresent == true || found.contains(.spectralBandReplication) {
      // The decoder also makes stereo of mono where parametric stereo may be about to come.
      let isStereo =
        configuration.psPresent == true || found.contains(.parametricStereo)
        || (layout == .mono && decoder?.format.layout == .stereo)
      objectType = isStereo ? "HEv2" : "HE"
      if isStereo, layout == .mono { layout = .stereo }
    }
    if configuration.lowDelaySBR == nil, configuration.sbrPresent == nil,
      found.contains(.spectralBandReplication)
    {
      signalling = "implicit"
      // Some containers count at the rate of the core, others at that of the output.
      if sampleRate == coreSampleRate {
        sampleRate *= 2
        frameLength *= 2
        samples *= 2
        priming *= 2
        padding *= 2
      }
    }
    let list = walk.reader.warnings
    warnings = list.items.map(\.description)
    if list.furtherCount > 0 { warnings.append("\(list.furtherCount) more remarks") }
    if walk.damagedCount > 0 {
      warnings.append("\(walk.damagedCount) of \(frames) packets are damaged; \(walk.firstFault ?? "")")
    }
    warnings += walk.faults
    isDamaged = walk.damagedCount > 0 || !walk.faults.isEmpty
  }
}

extension Inspection.DynamicRange {
  fileprivate func with(_ data: [AccessUnitSummary.DynamicRange]) -> Self {
    var sum = self
    sum.frames += 1
    for info in data {
      if sum.programReferenceLevel == nil { sum.programReferenceLevel = info.programReferenceLevel }
      for gain in info.gains {
        sum.smallestGain = min(sum.smallestGain, gain)
        sum.largestGain = max(sum.largestGain, gain)
      }
    }
    return sum
  }
}

/// Counts while walking over the packets.
private struct Walk {
  let reader: any PacketReader
  let cancellation: Cancellation?
  let path: String?
  var count: Int64 = 0
  var byteCount: Int64 = 0
  var smallest = 0
  var largest = 0
  var validFrames: Int64 = 0
  var priming: Int64 = 0
  var padding: Int64 = 0
  var firstUnits: [[UInt8]] = []
  var channelCount = 0
  var damagedCount: Int64 = 0
  var firstFault: String?
  var faults: [String] = []
  var dynamicRange: Inspection.DynamicRange?
  var matrixMixdown: ProgramConfig.MatrixMixdown?
  var peakBytes = 0
  private var recent: [Int] = []
  private var recentBytes = 0
  private let recentLength: Int
  let peakSeconds: Double
  /// What decoding goes by is what is told here.
  private let preparationCount: Int
  private var isFirstConfiguration = true

  init(
    _ reader: any PacketReader, _ cancellation: Cancellation?, _ path: String?, isSeekable: Bool
  ) {
    preparationCount = reader.info.configuration.preparationCount(isSeekable: isSeekable)
    self.reader = reader
    self.cancellation = cancellation
    self.path = path
    let duration = max(1, reader.info.packetDuration)
    recentLength = max(1, reader.info.timeRate / duration)
    peakSeconds = Double(recentLength * duration) / Double(max(1, reader.info.timeRate))
  }

  mutating func run(_ visit: (Inspection.Frame) throws(AACKitError) -> Void) throws(AACKitError) {
    var inspector = try? AccessUnitInspector(reader.info.configuration)
    var changes = reader.configurationChanges
    var packet = Packet(data: [], presentationTime: 0, duration: 0)
    while faults.count < 20 {
      if cancellation?.isCancelled == true { throw AACKitError(.cancelled, path: path) }
      do {
        guard try reader.nextPacket(into: &packet) else { break }
      } catch {
        let failure = AACKitError(.container(error), path: path)
        if failure.reason == .cancelled { throw failure }
        faults.append(failure.description)
        if case .needsSeeking = error.reason { break }
        continue
      }
      if reader.configurationChanges != changes {
        changes = reader.configurationChanges
        isFirstConfiguration = false
        inspector = try? AccessUnitInspector(reader.info.configuration)
      }
      var frame = Inspection.Frame(index: count, packet: packet)
      if packet.data.isEmpty {
        frame.fault = "missing"
      } else if inspector != nil {
        do { frame.summary = try inspector?.inspect(packet.data) } catch { frame.fault = error.description }
      }
      add(frame)
      try visit(frame)
    }
  }

  private mutating func add(_ frame: Inspection.Frame) {
    let size = frame.packet.data.count
    if isFirstConfiguration, count < preparationCount { firstUnits.append(frame.packet.data) }
    smallest = count == 0 ? size : min(smallest, size)
    largest = max(largest, size)
    byteCount += Int64(size)
    validFrames += Int64(frame.packet.validFrames)
    priming += Int64(frame.packet.priming)
    padding += Int64(frame.packet.padding)
    if let fault = frame.fault {
      damagedCount += 1
      if firstFault == nil { firstFault = "the first is packet \(count): \(fault)" }
    }
    if let summary = frame.summary {
      if channelCount == 0 { channelCount = summary.channels.count }
      if matrixMixdown == nil { matrixMixdown = summary.programConfig?.matrixMixdown }
      if !summary.dynamicRange.isEmpty {
        dynamicRange = (dynamicRange ?? Inspection.DynamicRange()).with(summary.dynamicRange)
      }
    }
    let slot = Int(count % Int64(recentLength))
    if recent.count <= slot {
      recent.append(size)
      recentBytes += size
    } else {
      recentBytes += size - recent[slot]
      recent[slot] = size
    }
    peakBytes = max(peakBytes, recentBytes)
    count += 1
  }
}
