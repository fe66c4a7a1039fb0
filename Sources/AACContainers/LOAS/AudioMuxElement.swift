import AAC

/// `AudioMuxElement()` (ISO/IEC 14496-3, 1.7.3): payloads of the streams, and now and then the
/// configuration of the multiplex in front of them.
struct AudioMuxElement {
  /// A payload of the chosen stream, or a chunk of one.
  struct Payload: Equatable {
    var bitOffset: Int
    var byteCount: Int
    /// An access unit ends with it.
    var endsUnit: Bool
  }

  private struct Slot {
    var stream: Int
    var byteCount: Int
    var endsUnit: Bool
  }

  /// What the element itself brought.
  private(set) var config: StreamMuxConfig?
  private(set) var payloads: [Payload] = []
  /// Bytes of the element with its alignment.
  private(set) var byteCount = 0
  /// The element needs a configuration that nobody told.
  private(set) var lacksConfig = false
  /// The bits up to the element's end are zero, as they should.
  private(set) var isPadded = false
  private var slots: [Slot] = []

  /// - Parameters:
  ///   - known: the configuration in force.
  ///   - hasConfig: elements tell about their configuration (muxConfigPresent).
  mutating func parse(
    _ bits: inout BitReader, known: StreamMuxConfig?, hasConfig: Bool
  ) throws(AACError) {
    payloads.removeAll(keepingCapacity: true)
    config = nil
    lacksConfig = false
    if hasConfig, try !bits.flag() { config = try StreamMuxConfig(parsing: &bits) }  // useSameStreamMux
    guard let active = config ?? known else {
      lacksConfig = true
      return
    }
    for _ in 0..<active.subFrameCount {
      try parseLengths(&bits, active)
      try skipPayloads(&bits, chosen: active.chosenStream)
    }
    try bits.skip(active.otherDataBitCount ?? 0)
    isPadded = try bits.uint((8 - bits.position & 7) & 7) == 0
    byteCount = bits.position / 8
  }

  /// PayloadLengthInfo
  private mutating func parseLengths(_ bits: inout BitReader, _ config: StreamMuxConfig) throws(AACError) {
    slots.removeAll(keepingCapacity: true)
    if config.hasSameTimeFraming {
      for index in config.streams.indices {
        let count = try Self.length(&bits, config.streams[index].framing)
        slots.append(Slot(stream: index, byteCount: count, endsUnit: true))
      }
      return
    }
    let count = try bits.uint(4) + 1  // numChunk
    for _ in 0..<count {
      let index = try bits.uint(4)  // streamIndx
      guard index < config.streams.count else { throw bits.failure(.reserved("streamIndx", value: index)) }
      let framing = config.streams[index].framing
      let byteCount = try Self.length(&bits, framing)
      var endsUnit = true
      if case .told = framing { endsUnit = try bits.flag() }  // AuEndFlag
      slots.append(Slot(stream: index, byteCount: byteCount, endsUnit: endsUnit))
    }
  }

  /// MuxSlotLengthBytes
  private static func length(
    _ bits: inout BitReader, _ framing: StreamMuxConfig.Stream.Framing
  ) throws(AACError) -> Int {
    if case .constant(let byteCount) = framing { return byteCount }
    var length = 0
    while true {
      let part = try bits.uint(8)
      length += part
      if part < 255 { return length }
    }
  }

  /// PayloadMux
  private mutating func skipPayloads(_ bits: inout BitReader, chosen: Int?) throws(AACError) {
    for slot in slots {
      if slot.stream == chosen {
        payloads.append(
          Payload(bitOffset: bits.position, byteCount: slot.byteCount, endsUnit: slot.endsUnit))
      }
      try bits.skip(8 * slot.byteCount)
    }
  }
}
