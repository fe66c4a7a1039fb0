public import AAC
public import AACContainers
public import AudioFiles
public import PCM

/// Reads the sound of an AAC file or stream: container and decoder in one.
///
/// The format is that of the first packet; where the stream changes later, the sound is converted to it.
/// Damaged packets are concealed and counted unless the reader is strict.
public final class AACReader: AudioReader {
  /// What is left out, and what ends the reading.
  public struct Options: Sendable {
    /// Leave out what the container declares as priming and padding.
    public var trims = true
    /// Stop at the first damage instead of concealing it.
    public var strict = false
    /// How far the stream's dynamic range control is followed; `nil` is not at all.
    public var dynamics: DynamicRangeControl?
    /// The number of the track that is read, from 1 (`StreamInfo.tracks`); `nil` for the usual one.
    public var track: Int?
    /// Called for each damage that is got over, on the thread that reads. `damages` has the first hundred.
    public var onDamage: (@Sendable (DecodingDamage) -> Void)?
    public init() {}
  }

  public let path: String?
  public let format: PCMFormat
  private let trims: Bool
  private let core: PacketDecoder
  /// Sound of the last packet, handed out from `next` on.
  private var decoded: PCMBuffer
  private var next = 0
  private var isAtEnd: Bool
  private var adapter: FormatAdapter?

  /// Opens the file at `path`.
  ///
  /// - Throws: `container` for what is no AAC file, `codec` for one that is not decoded.
  public convenience init(
    path: String, options: Options = Options(), cancellation: Cancellation? = nil
  ) throws(AACKitError) {
    try self.init(try openByteSource(path), path: path, options: options, cancellation: cancellation)
  }

  /// Reads a container from `source`. `path` is for messages.
  public init(
    _ source: any ByteSource, path: String? = nil, options: Options = Options(),
    cancellation: Cancellation? = nil
  ) throws(AACKitError) {
    self.path = path
    trims = options.trims
    core = try PacketDecoder(source, path, options, cancellation)
    // The configuration may leave channels and rate open: the first packet tells.
    decoded = PCMBuffer(format: core.decoder.format)
    isAtEnd = try !core.next(into: &decoded)
    format = decoded.format
  }

  public var info: StreamInfo { core.packets.info }
  /// Packets so far.
  public var packetCount: Int64 { core.packetCount }
  /// Packets so far that were lost or could not be decoded, and were concealed.
  public var concealedCount: Int64 { core.statistics.concealedFrames }
  /// What became of the packets so far.
  public var statistics: DecodingStatistics { core.statistics }
  /// The first hundred damages that were got over.
  public var damages: [DecodingDamage] { core.damages }
  /// How the stream wants to be mixed down, as far as its program config elements have told.
  public var matrixMixdown: ProgramConfig.MatrixMixdown? { core.decoder.matrixMixdown }
  /// The programme's mean level in dB from full scale, as the stream last told it.
  public var programReferenceLevel: Double? { core.decoder.programReferenceLevel }
  /// What the sound lacks although nothing is damaged.
  public var notes: AACDecoder.Notes { core.notes }
  /// The first damage that was got over.
  public var firstDamage: AACKitError? { core.firstDamage }

  public var warnings: [String] {
    let list = core.packets.warnings
    let further = list.furtherCount > 0 ? ["\(list.furtherCount) more remarks"] : []
    return list.items.map(\.description) + further
  }

  /// The container's tags.
  public var tags: [AudioTag] { info.tags.items.map { AudioTag(key: $0.key, value: $0.value) } }
  public var pictures: [[UInt8]] { info.tags.artwork.map(\.data) }

  /// Throws the container's first sign of damage, for strict use at the end of reading.
  public func checkIntact() throws(AACKitError) {
    guard let warning = core.packets.warnings.items.first(where: { DecodingDamage.Kind($0) != nil }) else {
      return
    }
    throw AACKitError(
      .container(ContainerError(.malformed(warning.text), at: warning.byteOffset)), path: path)
  }

  /// Frames of the sound as the container tells them; `nil` where only the end will tell.
  public var frameCount: Int64? {
    let info = core.packets.info
    guard let frames = trims ? info.validFrames : info.packetCount.map({ $0 &* Int64(info.packetDuration) }),
      info.timeRate > 0
    else { return nil }
    let (product, overflow) = frames.multipliedReportingOverflow(by: Int64(format.sampleRate))
    return overflow ? nil : product / Int64(info.timeRate)
  }

  /// Goes forward to a frame of the sound, counted as `read` gives them. Packets on the way are not decoded, but for the
  /// last few: then the first frame that is read is the same as without the jump, as far as the codec's memory allows.
  /// In MP4 files they are not even read.
  /// Only right behind opening; where the sound ends before, nothing more is read.
  ///
  /// - Throws: `codec` and `container` as for reading; `cancelled`.
  public func skip(to frame: Int64) throws(AACKitError) {
    guard frame > 0, next == 0, !isAtEnd else { return }
    let rate = Int64(max(1, format.sampleRate))
    let timeRate = Int64(max(1, core.packets.info.timeRate))
    func scale(_ count: Int64, _ factor: Int64, _ divisor: Int64) -> Int64 {
      let (product, overflow) = count.multipliedReportingOverflow(by: factor)
      return overflow ? .max / 2 : product / divisor
    }
    var start: Int64 = 0
    if frame >= decoded.frameCount {
      try core.skip(to: scale(frame, timeRate, rate))
      // The packets in front of the place are decoded for the sake of what follows.
      repeat {
        isAtEnd = try !core.next(into: &decoded)
        if isAtEnd { return }
        start = scale(max(0, core.packetStart), rate, timeRate)
      } while start + Int64(decoded.frameCount) <= frame
    }
    if decoded.format != format {
      do { try adaptAlways() } catch { throw AACKitError(.audioFile(error), path: path) }
    }
    next = Int(clamping: max(0, frame - start))
  }

  public func read(_ frames: Int, into buffer: inout PCMBuffer) throws(AudioFileError) -> Int {
    while true {
      if next < decoded.frameCount {
        handOut(frames, &buffer)
        return buffer.frameCount
      }
      if isAtEnd {
        buffer.resize(to: 0, format: format)
        return 0
      }
      try refill()
    }
  }

  private func handOut(_ frames: Int, _ buffer: inout PCMBuffer) {
    let count = min(frames, decoded.frameCount - next)
    if next == 0, count == decoded.frameCount {
      swap(&buffer, &decoded)
      decoded.frameCount = 0
      return
    }
    buffer.resize(to: count, format: format)
    for channel in decoded.channels.indices {
      copy(decoded.channels[channel], next..<next + count, &buffer.channels[channel])
    }
    next += count
  }

  private func refill() throws(AudioFileError) {
    next = 0
    do {
      isAtEnd = try !core.next(into: &decoded)
    } catch {
      if error.reason == .cancelled { throw AudioFileError(.interrupted) }
      throw AudioFileError(.source(error.description, advice: error.advice))
    }
    if adapter != nil || decoded.format != format { try adaptAlways() }
  }

  private func adaptAlways() throws(AudioFileError) {
    if adapter == nil {
      adapter = FormatAdapter(to: format, downmix: DownmixChoice.stream.downmix(by: matrixMixdown))
    }
    try adapt()
  }

  /// Brings a packet of another format to the reader's own.
  private func adapt() throws(AudioFileError) {
    guard var adapter else { return }
    var joined = PCMBuffer(format: format)
    if isAtEnd || adapter.needsDraining(before: decoded.format) { try adapter.finish(into: &joined) }
    if !isAtEnd {
      var converted = PCMBuffer(format: format)
      try adapter.convert(decoded, into: &converted)
      joined.append(converted)
    }
    decoded = joined
    self.adapter = adapter
  }
}

private func copy(_ source: [Float], _ range: Range<Int>, _ target: inout [Float]) {
  for index in range { target[index - range.lowerBound] = source[index] }
}

extension PCMBuffer {
  /// Adds the frames of a buffer of the same format behind the own ones.
  mutating func append(_ other: PCMBuffer) {
    for channel in channels.indices where channel < other.channels.count {
      if channels[channel].count > frameCount {
        channels[channel].removeLast(channels[channel].count - frameCount)
      }
      channels[channel].append(contentsOf: other.channels[channel].prefix(other.frameCount))
    }
    frameCount += other.frameCount
  }
}
