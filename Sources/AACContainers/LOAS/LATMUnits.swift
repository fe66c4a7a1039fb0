import AAC
import PCM

/// The access units of one multiplex element, and the configuration in force.
struct LATMUnits {
  /// Bytes of an access unit that comes in chunks, at most.
  private static let largestUnit = 1 << 17

  enum Outcome {
    case loaded
    /// The element needs a configuration that did not come yet.
    case noConfig
    /// The configuration is another one from this element on.
    case changed
  }

  private(set) var config: StreamMuxConfig?
  private let hasConfig: Bool
  private var element = AudioMuxElement()
  private var bytes: [UInt8] = []
  private var ranges: [Range<Int>] = []
  private var nextIndex = 0
  /// The start of an access unit whose end is still to come.
  private var partial: [UInt8] = []

  /// - Parameter config: told otherwise; elements have none then.
  init(config: StreamMuxConfig? = nil) {
    self.config = config
    hasConfig = config == nil
  }

  var hasNext: Bool { nextIndex < ranges.count }
  /// The element at hand is what nearly all are: a stream alone, each unit whole, zero bits at the end.
  var isOrdinary: Bool { config?.streams.count == 1 && hasNext && element.isPadded }
  var bringsConfig: Bool { element.config != nil }
  /// Bytes of the element at hand.
  var byteCount: Int { element.byteCount }
  /// The end of an access unit is still to come.
  var isPartial: Bool { !partial.isEmpty }
  /// Access units that an element has, usually.
  var usualCount: Int { config?.subFrameCount ?? 1 }

  mutating func next(into data: inout [UInt8]) {
    data.removeAll(keepingCapacity: true)
    data.append(contentsOf: bytes[ranges[nextIndex]])
    nextIndex += 1
  }

  /// Takes the element at the start of `frame`.
  ///
  /// - Parameter isWhole: the element must end where `frame` does if it brings another configuration:
  ///   damage looks like that too.
  mutating func load(_ frame: [UInt8], isWhole: Bool) throws(AACError) -> Outcome {
    ranges.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    nextIndex = 0
    var bits = BitReader(frame)
    try element.parse(&bits, known: config, hasConfig: hasConfig)
    if element.lacksConfig { return .noConfig }
    var outcome = Outcome.loaded
    if let told = element.config, config.map({ !$0.isSame(as: told) }) ?? true {
      guard told.chosenStream != nil else {
        // Says why.
        if let first = told.streams.first { _ = try AudioSpecificConfig(parsing: first.configurationBytes) }
        throw bits.failure(.unsupported("the configuration"))
      }
      if isWhole, config != nil, element.byteCount != frame.count {
        throw bits.failure(.inconsistent("a new configuration does not fit its frame"))
      }
      if isWhole, config != nil, let configuration = told.configuration {
        guard element.payloads.allSatisfy({ fits($0, of: frame, configuration) }) else {
          throw bits.failure(.inconsistent("a new configuration does not fit its access units"))
        }
      }
      config = told
      partial.removeAll(keepingCapacity: true)
      outcome = .changed
    }
    for payload in element.payloads { take(payload, from: frame) }
    return outcome
  }

  private mutating func take(_ payload: AudioMuxElement.Payload, from frame: [UInt8]) {
    let start = bytes.count
    if payload.endsUnit {
      bytes.append(contentsOf: partial)
      partial.removeAll(keepingCapacity: true)
      appendShifted(frame, from: payload.bitOffset, count: payload.byteCount, to: &bytes)
      // A slot without bytes has no access unit.
      if bytes.count > start { ranges.append(start..<bytes.count) }
    } else if partial.count + payload.byteCount <= Self.largestUnit {
      appendShifted(frame, from: payload.bitOffset, count: payload.byteCount, to: &partial)
    } else {
      partial.removeAll(keepingCapacity: true)
    }
  }

  /// Whether an access unit is what the configuration says, as far as its syntax is known.
  private func fits(
    _ payload: AudioMuxElement.Payload, of frame: [UInt8], _ configuration: AudioSpecificConfig
  ) -> Bool {
    guard payload.endsUnit, payload.byteCount > 0, var scanner = try? AccessUnitScanner(configuration) else {
      return true
    }
    var unit: [UInt8] = []
    appendShifted(frame, from: payload.bitOffset, count: payload.byteCount, to: &unit)
    guard (try? scanner.scan(unit, range: 0..<unit.count)) != nil else { return false }
    let count = configuration.elements.layout.channelCount
    return count == 0 || scanner.layout.channelCount == count
  }

  /// Forgets the configuration: what follows is of a kind that is not read.
  mutating func forgetConfig() {
    if hasConfig { config = nil }
    partial.removeAll(keepingCapacity: true)
  }
}
