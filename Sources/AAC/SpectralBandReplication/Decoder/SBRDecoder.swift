import DSP
internal import PCM

/// From the samples of the core decoder to those of the output: spectral band replication, parametric stereo,
/// or their absence, for all channels.
final class SBRDecoder {
  /// Frames of the output for one access unit.
  let frameLength: Int
  /// The only channel is heard in stereo.
  let isStereo: Bool

  private let shape: SBRFrameShape
  private let elements: [SBRElement]
  private let analysis: QMFAnalysis
  private let synthesis: QMFSynthesis
  private var work: SBRWork

  /// - Parameters:
  ///   - isDownSampled: the output has the rate of the core.
  ///   - isStereo: the only channel is heard in stereo.
  ///   - lowDelay: for low-delay streams.
  init(
    _ map: ElementMap, coreRate: Int, coreFrameLength: Int, isDownSampled: Bool, isStereo: Bool,
    lowDelay: LowDelaySBRConfig? = nil
  ) {
    let shape = SBRFrameShape(coreFrameLength: coreFrameLength, isLowDelay: lowDelay != nil)
    self.shape = shape
    let prototype = lowDelay == nil ? QMFPrototype.taps : LowDelayQMFPrototype.taps
    // The tools' constants are for a full scale of 32768.
    analysis = QMFAnalysis(prototype: prototype, gain: 32768, modulation: shape.modulation)
    let synthesis = QMFSynthesis(
      bands: isDownSampled ? 32 : 64, prototype: prototype, gain: 1 / 32768, modulation: shape.modulation)
    self.synthesis = synthesis
    self.isStereo = isStereo
    frameLength = shape.slots * synthesis.bands
    work = SBRWork(shape)
    let parsers = SBRElementParser.all(
      of: map.elements.map(\.kind), outputRate: 2 * coreRate, slots: shape.gridSlots, lowDelay: lowDelay)
    elements = zip(map.elements, parsers).map { element, parser in
      SBRElement(
        kind: element.kind, shape, parser: parser,
        synthesisCount: synthesis.memoryCount(slots: shape.slots), isStereo: isStereo)
    }
  }

  func reset() {
    for element in elements { element.reset() }
  }

  /// Parametric stereo data that is not heard.
  var ignoresParametricStereo: Bool {
    !isStereo && elements.contains { $0.parser?.parametricStereo?.isPresent == true }
  }

  /// Parametric stereo has been heard of.
  var hasParametricStereo: Bool {
    elements.contains { $0.parser?.parametricStereo?.isPresent == true }
  }

  /// What the elements' last payloads said.
  var payloads: [SBRData] { elements.compactMap { $0.parser?.data } }

  /// Starts a frame without payloads.
  func beginFrame() {
    for element in elements { element.beginFrame() }
  }

  /// Elements that are concealed, bit e for element e: their envelopes are held.
  func hold(elements concealed: UInt64) {
    guard concealed != 0 else { return }
    for index in elements.indices where concealed >> UInt64(min(index, 63)) & 1 != 0 {
      elements[index].hold()
    }
  }

  /// The frame at hand has an element whose payload was broken.
  var isHeld: Bool { elements.contains { $0.isHeld } }

  /// Takes the payloads of a block, each with the channel element that it follows.
  ///
  /// - Parameters:
  ///   - places: the map's element for each element of the block; -1 for what is none.
  ///   - concealed: elements that are made up, bit e for element e: their payloads are not looked at.
  func take(_ block: RawDataBlock, places: [Int], except concealed: UInt64 = 0) {
    beginFrame()
    block.forEachReplication(places: places) { place, bits, hasChecksum in
      guard concealed >> UInt64(place) & 1 == 0 else { return }
      elements[place].take(&bits, hasChecksum: hasChecksum)
    }
    hold(elements: concealed)
  }

  /// Takes the payloads of a low-delay block, which follow each other from where `bits` is. Where one has no end,
  /// those of the elements behind it are lost too.
  ///
  /// - Returns: whether `bits` is behind the last of them.
  func takeLowDelay(_ bits: inout BitReader, hasChecksums: Bool) -> Bool {
    beginFrame()
    var isFound = true
    for element in elements where element.parser != nil {
      if isFound { isFound = element.takeLowDelay(&bits, hasChecksum: hasChecksums) }
      if !isFound { element.hold() }
    }
    return isFound
  }

  /// Sets the factors of dynamic range control for the frame that the core has just made.
  func takeDynamics(_ control: DynamicRangeControl?, _ core: BlockDecoder, _ map: ElementMap) {
    for (index, element) in elements.enumerated() {
      for (channel, state) in element.channels.enumerated() {
        guard let control else {
          state.dynamics = nil
          continue
        }
        let rows = state.dynamics ?? DynamicRangeRows(slots: shape.slots, delay: shape.delay)
        state.dynamics = rows
        let source = core.channels[map.firstChannels[index] + channel]
        rows.advance(
          source.dynamics, control, programLevel: core.programLevel,
          isShort: source.windowSequence == .eightShort)
      }
    }
  }

  /// Makes a frame of output from one of the core, whose channels are those of the map's layout.
  func render(_ core: PCMBuffer, _ map: ElementMap, into output: inout PCMBuffer) {
    for (index, element) in elements.enumerated() {
      for channel in element.channels.indices {
        let place = map.outputs[map.firstChannels[index] + channel]
        element.process(channel, core.channels[place], analysis, &work)
        if let stereo = element.parametricStereo {
          stereo.process(
            element.channels[0], element.parser?.parametricStereo?.current,
            isFresh: element.hasFreshStereo)
          if let rows = element.channels[0].dynamics { stereo.weigh(by: rows) }
          stereo.synthesize(synthesis, into: &output.channels[1])
        }
        let state = element.channels[channel]
        state.dynamics?.apply(to: &state.high)
        synthesis.synthesize(
          state.high, row: 0, slots: shape.slots, memory: &state.synthesisMemory,
          into: &output.channels[place])
      }
    }
  }
}

extension RawDataBlock {
  /// Calls `body` with each SBR payload and the map's element that it belongs to.
  func forEachReplication(
    places: [Int], _ body: (_ place: Int, _ bits: inout BitReader, _ hasChecksum: Bool) -> Void
  ) {
    var current = -1
    for (element, place) in zip(elements, places) {
      switch element {
      case .single, .pair: current = place
      case .lowFrequency, .coupling: current = -1
      case .fill(let fill) where current >= 0:
        for payload in extensions[fill.extensions] {
          guard case .spectralBandReplication(let hasChecksum) = payload.content else { continue }
          // The payload reaches to the end of its element.
          let skipped = 8 * fill.bytes.count - payload.bits.count
          var bits = BitReader(bytes, range: fill.bytes)
          guard skipped >= 0, (try? bits.skip(skipped)) != nil else { continue }
          body(current, &bits, hasChecksum)
        }
      default: break
      }
    }
  }
}
