internal import PCM

/// From one raw_data_block to samples: the stages of 4.5.1 between the integers and the output.
///
/// `prepare` checks everything about a block that can be wrong; `render` cannot fail, so an error never
/// leaves the channels half decoded.
final class BlockDecoder {
  let bands: ScaleFactorBands
  let syntax: StreamSyntax
  let filterbank: Filterbank
  /// For the object types that have it.
  let longTermPrediction: LongTermPrediction?
  /// In element order of the map.
  private(set) var channels: [ChannelState] = []
  /// By tag; made when a coupling channel first appears.
  var couplingChannels = [ChannelState?](repeating: nil, count: 16)
  var noise = NoiseSubstitution()
  var couplingOutput: [Float]
  /// The element of the map that each element of the block decodes to; -1 for what is no channel.
  private(set) var places: [Int] = []
  /// How the gains of dynamic range control act on the spectrum; `nil` where they do not.
  var dynamics: DynamicRangeControl?
  /// prog_ref_level, once the stream has told it.
  var programLevel: Int?
  /// Scratch of those gains, made when they are first heard.
  var weighted: [Float] = []
  /// Starts the signs of a concealed frame.
  private(set) var signs: UInt32 = 1

  init(syntax: StreamSyntax, bands: ScaleFactorBands) {
    self.bands = bands
    self.syntax = syntax
    filterbank = Filterbank(syntax.objectType, frameLength: bands.frameLength)
    longTermPrediction =
      syntax.hasLongTermPrediction
      ? LongTermPrediction(frameLength: bands.frameLength, isLowDelay: syntax.objectType == .lowDelay)
      : nil
    couplingOutput = [Float](repeating: 0, count: bands.frameLength)
  }

  /// Starts over with `count` channels.
  func reset(channelCount count: Int) {
    channels = (0..<count).map { _ in makeChannel() }
    couplingChannels = [ChannelState?](repeating: nil, count: 16)
    noise = NoiseSubstitution()
    programLevel = nil
  }

  func reset() {
    for channel in channels { channel.reset() }
    for channel in couplingChannels { channel?.reset() }
    noise = NoiseSubstitution()
    programLevel = nil
  }

  /// Finds the channels of the block's elements.
  func prepare(_ block: RawDataBlock, _ map: inout ElementMap) throws(AACError) {
    map.beginBlock()
    places.removeAll(keepingCapacity: true)
    var couplingTags: UInt16 = 0
    for element in block.elements {
      switch element {
      case .single(let channel): places.append(try map.take(.single, tag: channel.tag))
      case .pair(let pair): places.append(try map.take(.pair, tag: pair.tag))
      case .lowFrequency(let channel): places.append(try map.take(.lowFrequency, tag: channel.tag))
      case .coupling(let coupling):
        let bit: UInt16 = 1 << UInt16(coupling.tag)
        guard couplingTags & bit == 0 else {
          throw AACError(.inconsistent("two coupling channels with the tag \(coupling.tag)"))
        }
        couplingTags |= bit
        try checkTargets(of: coupling, block)
        places.append(-1)
      default: places.append(-1)
      }
    }
    guard map.taken != 0 || map.elements.isEmpty else {
      throw AACError(.inconsistent("an access unit without a channel"))
    }
  }

  /// Dependent coupling adds lines to lines, so both must be of windows of one length.
  private func checkTargets(of coupling: CouplingChannel, _ block: RawDataBlock) throws(AACError) {
    guard !coupling.isIndependent else { return }
    let isShort = block.streams[coupling.stream].info.isShort
    for target in block.couplingTargets[coupling.targets] {
      for element in block.elements {
        let streams: ClosedRange<Int>
        switch element {
        case .single(let channel) where !target.isPair && channel.tag == target.tag:
          streams = channel.stream...channel.stream
        case .pair(let pair) where target.isPair && pair.tag == target.tag:
          streams = pair.left...pair.right
        default: continue
        }
        for stream in streams where block.streams[stream].info.isShort != isShort {
          throw AACError(.inconsistent("a coupling channel with other windows than its target"))
        }
      }
    }
  }

  /// Decodes a prepared block into the channels of `output`. Elements that it does not have, and those that are
  /// not believed, are concealed.
  ///
  /// - Returns: the elements of the map that are concealed, bit e for element e.
  @discardableResult
  func render(
    _ block: RawDataBlock, _ map: ElementMap, trust: Trust = .all, into output: inout PCMBuffer
  ) -> UInt64 {
    throwSigns()
    for (element, place) in zip(block.elements, places) {
      keepSpectrum(place, map)
      dequantize(element, place, block, map)
    }
    couple(block, map, afterTNS: false)
    for (element, place) in zip(block.elements, places) { shapeNoise(element, place, block, map) }
    couple(block, map, afterTNS: true)
    var concealed = ~map.taken
    for (element, place) in zip(block.elements, places) where place >= 0 {
      if isBelievable(place, block.infos(of: element), trust, map) {
        synthesize(element, place, block, map, into: &output)
      } else {
        keepSpectrum(place, map)
        concealed |= 1 << UInt64(place)
      }
    }
    for index in map.elements.indices where concealed >> UInt64(index) & 1 != 0 {
      concealElement(index, map, into: &output)
    }
    coupleIndependently(block, map, into: &output)
    return map.elements.count < 64 ? concealed & (1 << UInt64(map.elements.count) - 1) : concealed
  }

  /// The elements that have been decoded since the start, bit e for element e.
  func heard(_ map: ElementMap) -> UInt64 {
    var bits: UInt64 = 0
    for index in map.elements.indices.prefix(64) where channels[map.firstChannels[index]].isHeard {
      bits |= 1 << UInt64(index)
    }
    return bits
  }

  /// New signs for a frame to be concealed, in whole or in part.
  func throwSigns() { signs = signs &* 1_103_515_245 &+ 12345 }

  /// Keeps the last spectrum of an element's channels, or takes it back.
  private func keepSpectrum(_ index: Int, _ map: ElementMap) {
    guard index >= 0 else { return }
    let first = map.firstChannels[index]
    for channel in first..<first + map.elements[index].channelCount {
      let state = channels[channel]
      swap(&state.spectrum, &state.spare)
    }
  }

  private func dequantize(
    _ element: RawDataBlock.Element, _ place: Int, _ block: RawDataBlock, _ map: ElementMap
  ) {
    switch element {
    case .single(let channel), .lowFrequency(let channel):
      dequantize(block.streams[channel.stream], channels[map.firstChannels[place]])
    case .pair(let pair):
      let first = map.firstChannels[place]
      dequantize(
        pair, block.streams[pair.left], block.streams[pair.right], channels[first], channels[first + 1])
    case .coupling(let coupling):
      let state = couplingState(coupling.tag)
      let stream = block.streams[coupling.stream]
      dequantize(stream, state)
      // A coupling channel is complete, its own filters included, before it is added to others.
      shapeNoise(stream, state)
    default: break
    }
  }

  private func dequantize(_ stream: ChannelStream, _ state: ChannelState) {
    Dequantizer.apply(stream, bands: bands, to: &state.spectrum)
    noise.apply(stream, bands: bands, to: &state.spectrum)
    state.prediction?.apply(stream, bands: bands, to: &state.spectrum)
  }

  private func dequantize(
    _ pair: ChannelPair, _ left: ChannelStream, _ right: ChannelStream, _ leftState: ChannelState,
    _ rightState: ChannelState
  ) {
    guard pair.commonWindow else {
      dequantize(left, leftState)
      dequantize(right, rightState)
      guard left.info.isShort == right.info.isShort else { return }
      Intensity.apply(
        pair, right: right, bands: bands, left: leftState.spectrum, to: &rightState.spectrum)
      return
    }
    Dequantizer.apply(left, bands: bands, to: &leftState.spectrum)
    Dequantizer.apply(right, bands: bands, to: &rightState.spectrum)
    noise.apply(
      pair, left: left, right: right, bands: bands, to: &leftState.spectrum, &rightState.spectrum)
    MidSide.apply(
      pair, left: left, right: right, bands: bands, to: &leftState.spectrum, &rightState.spectrum)
    leftState.prediction?.apply(left, bands: bands, to: &leftState.spectrum)
    rightState.prediction?.apply(right, bands: bands, to: &rightState.spectrum)
    Intensity.apply(pair, right: right, bands: bands, left: leftState.spectrum, to: &rightState.spectrum)
  }

  private func shapeNoise(
    _ element: RawDataBlock.Element, _ place: Int, _ block: RawDataBlock, _ map: ElementMap
  ) {
    switch element {
    case .single(let channel), .lowFrequency(let channel):
      shapeNoise(block.streams[channel.stream], channels[map.firstChannels[place]])
    case .pair(let pair):
      let first = map.firstChannels[place]
      shapeNoise(block.streams[pair.left], channels[first])
      shapeNoise(block.streams[pair.right], channels[first + 1])
    default: break
    }
  }

  private func shapeNoise(_ stream: ChannelStream, _ state: ChannelState) {
    if let longTermPrediction, case .longTerm(let data?) = stream.info.predictor {
      state.lag = data.lag ?? state.lag
      longTermPrediction.apply(
        data, lag: state.lag, stream, previousShape: state.windowShape, bands: bands, history: state.history,
        to: &state.spectrum)
    }
    guard let tns = stream.tns else { return }
    TemporalNoiseShaping.synthesize(tns, info: stream.info, bands: bands, in: &state.spectrum)
  }

  private func synthesize(
    _ element: RawDataBlock.Element, _ place: Int, _ block: RawDataBlock, _ map: ElementMap,
    into output: inout PCMBuffer
  ) {
    switch element {
    case .single(let channel), .lowFrequency(let channel):
      let index = map.firstChannels[place]
      synthesize(
        block.streams[channel.stream].info, channels[index], into: &output.channels[map.outputs[index]])
    case .pair(let pair):
      let index = map.firstChannels[place]
      synthesize(
        block.streams[pair.left].info, channels[index], into: &output.channels[map.outputs[index]])
      synthesize(
        block.streams[pair.right].info, channels[index + 1],
        into: &output.channels[map.outputs[index + 1]])
    default: break
    }
  }

  func synthesize(_ info: ICSInfo, _ state: ChannelState, into samples: inout [Float]) {
    let endsLong = state.windowSequence == .onlyLong || state.windowSequence == .longStop
    if state.isBroken, endsLong { filterbank.fit(&state.overlap, to: info, shape: state.windowShape) }
    if dynamics != nil || !state.plainOverlap.isEmpty {
      synthesizeWeighted(info, state, into: &samples)
    } else {
      filterbank.synthesize(
        state.spectrum, info, previousShape: state.windowShape, overlap: &state.overlap, into: &samples, at: 0
      )
      longTermPrediction?.update(&state.history, output: samples, overlap: state.overlap)
    }
    state.windowShape = info.windowShape
    state.windowSequence = info.windowSequence
    state.run = 0
    state.isBroken = false
    state.isHeard = true
  }

  func couplingState(_ tag: Int) -> ChannelState {
    if let state = couplingChannels[tag] { return state }
    let state = makeChannel()
    couplingChannels[tag] = state
    return state
  }

  private func makeChannel() -> ChannelState {
    let state = ChannelState(
      frameLength: bands.frameLength,
      overlapCount: filterbank.overlapCount(frameLength: bands.frameLength))
    if syntax.objectType == .main {
      state.prediction = Prediction(bands: bands, bandCount: syntax.predictionBands)
    }
    if let longTermPrediction { state.history = longTermPrediction.emptyHistory }
    return state
  }
}

extension RawDataBlock {
  /// The windows of an element's channels.
  fileprivate func infos(of element: Element) -> (ICSInfo, ICSInfo) {
    switch element {
    case .single(let channel), .lowFrequency(let channel):
      (streams[channel.stream].info, streams[channel.stream].info)
    case .pair(let pair): (streams[pair.left].info, streams[pair.right].info)
    default: (ICSInfo(), ICSInfo())
    }
  }
}
