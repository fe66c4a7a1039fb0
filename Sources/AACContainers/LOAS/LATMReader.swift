public import AAC

/// Reads LATM elements that stand back to back without sync words. Only their own syntax tells their
/// lengths: behind a fault there is no way to go on.
public final class LATMReader: PacketReader {
  /// Far more than the largest element.
  private static let largestElement = 1 << 18

  public private(set) var info: StreamInfo
  public private(set) var warnings = WarningList()
  public private(set) var configurationChanges = 0
  /// How the stream is multiplexed at present.
  public private(set) var muxConfig: StreamMuxConfig

  private let source: any ByteSource
  private let window: ByteWindow
  private let given: StreamMuxConfig?
  private var elements: Elements
  private var time: Int64 = 0
  private var packetCount: Int64 = 0
  private var isFinished = false

  /// - Parameter muxConfig: the configuration, where the elements do not tell it (muxConfigPresent 0, as in
  ///   RTP); else the first element has to.
  /// - Throws: `malformed` where the first element is none or has no configuration, `configuration` where it
  ///   is not read.
  public init(_ source: any ByteSource, muxConfig given: StreamMuxConfig? = nil) throws(ContainerError) {
    self.source = source
    self.given = given
    window = ByteWindow(source)
    let start = try TagBlock.endOfLeadingTags(in: window)
    elements = Elements(at: start, config: given)
    if given == nil, try elements.load(in: window) == .noConfig {
      throw ContainerError(.malformed("the first LATM element does not tell the configuration"), at: start)
    }
    guard let config = elements.units.config, let configuration = config.configuration else {
      throw ContainerError(.malformed("there is no LATM configuration that is read here"), at: start)
    }
    muxConfig = config
    info = StreamInfo(container: .loas, configuration: configuration)
    adopt(config)
  }

  public func nextPacket(into packet: inout Packet) throws(ContainerError) -> Bool {
    while !elements.units.hasNext {
      guard try loadElement() else { return false }
    }
    elements.units.next(into: &packet.data)
    packet.presentationTime = time
    packet.duration = info.packetDuration
    packet.priming = 0
    packet.padding = 0
    time += Int64(info.packetDuration)
    packetCount += 1
    return true
  }

  private func loadElement() throws(ContainerError) -> Bool {
    guard !isFinished else { return false }
    if try window.isAtEnd(elements.position) {
      finish()
      return false
    }
    let start = elements.position
    do throws(ContainerError) {
      if try elements.load(in: window) == .changed, let config = elements.units.config {
        let old = info.configuration
        adopt(config)
        if old != info.configuration {
          configurationChanges += 1
          warnings.add(
            .configurationChange, "the stream changes from \(old.summary) to \(info.configuration.summary)",
            at: start)
        }
      }
    } catch {
      if error.reason == .needsMoreData { throw error }
      finish()
      if try TagBlock.length(at: start, in: window) != nil { return false }
      guard case .truncated = error.reason else { throw error }
      warnings.add(.cutOff, "the last LATM element is cut off", at: start)
      return false
    }
    source.release(before: elements.position)
    return true
  }

  private func finish() {
    isFinished = true
    info.packetCount = packetCount
    info.validFrames = time
  }

  private func adopt(_ config: StreamMuxConfig) {
    muxConfig = config
    config.describe(in: &info, warnings: &warnings)
  }

  public func survey() throws(ContainerError) -> StreamSurvey? {
    guard source.isSeekable else { return nil }
    return try LATMReader(source, muxConfig: given).count()
  }

  /// Steps from element to element.
  struct Elements {
    /// Most elements are found whole in as many bytes as the one before had, and a few more.
    private static let firstLook = 64

    private(set) var position: Int64
    var units: LATMUnits
    private var bytes: [UInt8] = []

    init(at position: Int64, config: StreamMuxConfig?) {
      self.position = position
      units = LATMUnits(config: config)
    }

    /// Takes the next element. State changes where it is there as a whole only.
    ///
    /// - Throws: `truncated` where the data ends inside of it, `malformed` or `configuration` where it makes
    ///   no sense.
    mutating func load(in window: ByteWindow) throws(ContainerError) -> LATMUnits.Outcome {
      var wanted = Self.firstLook
      while true {
        bytes.removeAll(keepingCapacity: true)
        let got = try window.append(wanted, at: position, to: &bytes)
        do {
          let outcome = try units.load(bytes, isWhole: false)
          // The rest of an element without configuration has no length.
          if outcome != .noConfig { position += Int64(units.byteCount) }
          return outcome
        } catch {
          guard case .truncated(let missing) = error.reason else { throw fault(error) }
          guard got == wanted else {
            throw ContainerError(.truncated("the last LATM element"), at: position)
          }
          wanted += max(16, missing > 8 * largestElement ? largestElement : (missing + 7) / 8)
          guard wanted <= largestElement else { throw fault(error) }
        }
      }
    }

    private func fault(_ error: AACError) -> ContainerError {
      if case .unsupported = error.reason { return ContainerError(.configuration(error), at: position) }
      return ContainerError(.malformed("there is no LATM element: \(error)"), at: position)
    }
  }
}
