import DSP

/// Encodes one channel element: from the samples of its channels to syntax ready to be written.
final class ElementEncoder {
  let kind: ChannelElement.Kind
  let tag: Int
  /// The element's channels among the encoder's inputs.
  let inputs: [Int]
  private let channels: [CodedChannel]
  /// Middle and side of a pair whose stereo coding is decided by measuring both ways.
  private let joint: [CodedChannel]
  /// Carriers of a pair's bands, where intensity stereo is in use.
  private let carrier: CodedChannel?
  private var isStereoOpen = false
  /// Spectra with the other window shape.
  private var alternatives: [[Float]]
  /// Sine parts of the channel being analysed.
  private var sines: [Float]
  private var pair = ChannelPair()
  /// Bits of the element besides global gains, sections, scale factors and lines; 0: not counted yet.
  private var headBits = 0
  private var counter = BitWriter()
  private var switching = BlockSwitching()
  private var noiseShaping: NoiseShapingChoice
  private var noiseSubstitution: [NoiseSubstitutionChoice]
  private var intensity: IntensityChoice
  private var shape: WindowShape = .sine
  private var sequence: WindowSequence = .onlyLong
  /// A change of window shape has to save this part of the bits.
  private static let shapeHysteresis: Float = 0.02
  /// What noise in short windows counts beside noise in long ones.
  private static let attackWeight: Float = 2
  private var windowWeights = [Float](repeating: 0, count: ChannelStream.bandCapacity)

  init(kind: ChannelElement.Kind, tag: Int, inputs: [Int], model: FrameModel, sampleRate: Int) {
    self.kind = kind
    self.tag = tag
    self.inputs = inputs
    channels = inputs.map { _ in CodedChannel(frameLength: model.frameLength, effort: model.effort) }
    let measures = kind == .pair && model.effort.measuresStereo && model.tools.contains(.midSide)
    joint =
      measures
      ? inputs.map { _ in CodedChannel(frameLength: model.frameLength, effort: model.effort) } : []
    let usesIntensity = kind == .pair && model.usesIntensity
    carrier = usesIntensity ? CodedChannel(frameLength: model.frameLength, effort: model.effort) : nil
    intensity = IntensityChoice(bands: model.bands, sampleRate: sampleRate)
    alternatives = inputs.map { _ in [Float](repeating: 0, count: model.frameLength) }
    sines = [Float](repeating: 0, count: model.frameLength)
    noiseShaping = NoiseShapingChoice(bands: model.bands, sampleRate: sampleRate)
    noiseSubstitution = inputs.map { _ in
      NoiseSubstitutionChoice(bands: model.bands, sampleRate: sampleRate, watchesMore: usesIntensity)
    }
    pair.tag = tag
    pair.commonWindow = true
  }

  /// Transforms the frame and makes the decisions that do not need the bits counted.
  ///
  /// - Parameter price: see `RateControl`; what decides between left/right and mid/side.
  func analyze(_ all: [ChannelInput], model: FrameModel, price: Float) {
    headBits = 0
    let previousShape = shape
    shape = .sine
    for (channel, input) in zip(channels, inputs) {
      model.filterbank.analyze(
        all[input].samples, at: 0, sequence: sequence, shape: shape, previousShape: previousShape,
        into: &channel.spectrum)
    }
    var info = ICSInfo()
    info.windowSequence = sequence
    info.windowShape = shape
    info.maxBand = info.isShort ? model.maxBandShort : model.maxBandLong
    if kind == .lowFrequency { info.maxBand = min(info.maxBand, model.maxBandLowFrequency) }
    if info.isShort { info.grouping = Grouping.choose(channels.map(\.spectrum)) }
    for (channel, input) in zip(channels, inputs) {
      channel.begin(info, bands: model.bands)
      weigh(channel, all[input], info: info, previousShape: previousShape, model: model, price: price)
      if kind != .lowFrequency, model.shapesNoise,
        info.isShort || all[input].detector.bunching > NoiseShapingChoice.leastBunching
      {
        channel.stream.tns = noiseShaping.apply(
          to: &channel.spectrum, weights: &channel.weights, info: info, price: price)
      }
    }
    if model.effort.comparesShapes, !info.isShort, kind != .lowFrequency {
      compareShapes(all, info: &info, previousShape: previousShape, model: model, price: price)
    }
    for channel in channels {
      Self.clearAboveEdge(&channel.spectrum, windowCount: info.windowCount, lineCount: model.lineCount)
    }
    let substitutes = model.effort.searches && model.tools.contains(.noiseSubstitution)
    if kind != .lowFrequency, substitutes || carrier != nil {
      let bands = findNoise(all, price: price)
      if substitutes { substituteNoise(bands) }
    }
    if let carrier {
      intensity.prepare(channels[0], channels[1], carrier: carrier, noise: noiseSubstitution, price: price)
    }
    pair.midSide = MidSideMask()
    isStereoOpen = !joint.isEmpty
    if kind == .pair, joint.isEmpty, model.tools.contains(.midSide) {
      pair.midSide = StereoCoding.code(
        channels[0], channels[1], info: info, bands: model.bands, price: price)
    }
    for channel in channels { channel.arrange(bands: model.bands) }
  }

  /// Bands that noise may stand for.
  private func findNoise(_ all: [ChannelInput], price: Float) -> UInt64 {
    var bands = UInt64.max
    for (index, channel) in channels.enumerated() {
      let isSteady = all[inputs[index]].detector.bunching < NoiseShapingChoice.leastBunching
      bands &= noiseSubstitution[index].bands(of: channel, isSteady: isSteady, price: price)
    }
    return bands
  }

  private func substituteNoise(_ noisy: UInt64) {
    let bands = kind == .pair ? noiseSubstitution[0].unlike(noisy, channels[0], channels[1]) : noisy
    for band in 0..<UInt64.bitWidth where bands >> UInt64(band) & 1 != 0 {
      for channel in channels { channel.substitute(band: band) }
    }
  }

  /// Looks for attacks in the block at `start` and fixes the windows of the frame before it.
  func lookAhead(_ all: [ChannelInput], at start: Int, model: FrameModel) {
    var attacks: UInt8 = 0
    for input in inputs {
      attacks |= all[input].detector.attacks(
        in: all[input].samples, at: start, count: model.frameLength)
    }
    guard kind != .lowFrequency, model.tools.contains(.shortBlocks) else { return }
    sequence = switching.next(nextBlock: attacks)
  }

  /// Clears what lies above the upper edge. Filters and masking have seen it: an edge inside the spectrum would
  /// look like something sudden to the one, and like silence to the other.
  private static func clearAboveEdge(_ spectrum: inout [Float], windowCount: Int, lineCount: Int) {
    let length = spectrum.count / windowCount
    let kept = (lineCount + windowCount - 1) / windowCount
    for window in 0..<windowCount {
      SpectralKernels.clear(&spectrum, range: window * length + kept..<(window + 1) * length)
    }
  }

  private func weigh(
    _ channel: CodedChannel, _ input: ChannelInput, info: ICSInfo, previousShape: WindowShape,
    model: FrameModel, price: Float
  ) {
    input.beginWindows(short: info.isShort)
    guard info.isShort else {
      let highestMask = Psychoacoustics.highestMask(price: price)
      if model.effort.transformsSines {
        model.filterbank.analyzeSines(
          input.samples, at: 0, sequence: sequence, shape: shape, previousShape: previousShape,
          into: &sines)
        model.long.analyze(
          channel.spectrum, sines: sines, at: 0, highestMask: highestMask, memory: &input.longMemory,
          weights: &channel.weights, at: 0)
        return
      }
      model.long.analyze(
        channel.spectrum, at: 0, highestMask: highestMask, memory: &input.longMemory,
        weights: &channel.weights, at: 0)
      return
    }
    let count = model.bands.shortCount
    for window in 0..<8 {
      model.short.analyze(
        channel.spectrum, at: window * model.frameLength / 8, memory: &input.shortMemory,
        weights: &windowWeights, at: window * count)
    }
    Self.groupWeights(windowWeights, stride: count, info: info, into: &channel.weights)
  }

  /// The noise of a group spreads evenly over its windows: the mean of their weights prices it. Short windows
  /// stand where an attack draws the ear.
  private static func groupWeights(
    _ windows: [Float], stride: Int, info: ICSInfo, into weights: inout [Float]
  ) {
    let lengths = info.groupLengths
    var window = 0
    for group in 0..<info.groupCount {
      for band in 0..<info.maxBand {
        var sum: Float = 0
        for member in window..<window + lengths[group] { sum += windows[member * stride + band] }
        weights[group * info.maxBand + band] = attackWeight * sum / Float(lengths[group])
      }
      window += lengths[group]
    }
  }

  /// Takes the Kaiser–Bessel window where its spectrum needs fewer bits: where strong lines stand far
  /// above what lies between them.
  private func compareShapes(
    _ all: [ChannelInput], info: inout ICSInfo, previousShape: WindowShape, model: FrameModel,
    price: Float
  ) {
    var sine: Float = 0
    var kaiserBessel: Float = 0
    for index in channels.indices {
      let channel = channels[index]
      // The filter was made for the spectrum at hand.
      if channel.stream.tns != nil { return }
      model.filterbank.analyze(
        all[inputs[index]].samples, at: 0, sequence: sequence, shape: .kaiserBessel,
        previousShape: previousShape, into: &alternatives[index])
      sine += channel.entropy(of: channel.spectrum, price: price)
      kaiserBessel += channel.entropy(of: alternatives[index], price: price)
    }
    let bias = previousShape == .sine ? 1 - Self.shapeHysteresis : 1 + Self.shapeHysteresis
    guard kaiserBessel < sine * bias else { return }
    shape = .kaiserBessel
    info.windowShape = .kaiserBessel
    for index in channels.indices {
      channels[index].stream.info.windowShape = .kaiserBessel
      swap(&channels[index].spectrum, &alternatives[index])
    }
  }

  /// Measures noise and bits around a price; the first time in a frame left/right, middle/side or
  /// intensity may follow.
  func measure(price: Float) {
    for channel in channels { channel.measure(price: price) }
    if isStereoOpen { chooseStereo(price: price) }
    if let carrier, intensity.isOpen {
      carrier.measure(price: price)
      intensity.choose(channels[0], channels[1], carrier: carrier, mask: &pair.midSide, price: price)
    }
  }

  private func chooseStereo(price: Float) {
    isStereoOpen = false
    joint[0].join(channels[0], channels[1], sign: 1)
    joint[1].join(channels[0], channels[1], sign: -1)
    for channel in joint { channel.measure(price: price) }
    pair.midSide = StereoCoding.choose(
      channels[0], channels[1], middle: joint[0], side: joint[1], info: channels[0].stream.info,
      price: price)
  }

  /// Chooses for a price; returns the bits expected.
  func choose(price: Float) -> Float {
    var bits: Float = 0
    for channel in channels { bits += channel.choose(price: price) }
    return bits
  }

  /// Quantises with the choice made last; returns the bits that writing takes.
  func quantize() -> Int {
    if headBits == 0 { headBits = countHead() }
    var bits = headBits
    for channel in channels { bits += channel.quantize(carrier: channels[0]) }
    return bits
  }

  /// Bits of all but what quantising decides.
  private func countHead() -> Int {
    counter.removeAll()
    SyntaxElementID.end.write(to: &counter)
    let first = channels[0].stream.info
    var maskBits = 0
    if kind == .pair {
      // Bit by bit the mask takes longer to write than to count.
      if pair.midSide.mode == .perBand { maskBits = first.groupCount * first.maxBand }
      var head = pair
      head.midSide = MidSideMask()
      head.writeHead(first, channels[1].stream.info, to: &counter, syntax: StreamSyntax())
    } else {
      counter.put(tag, SingleChannel.tagBits)
      first.write(to: &counter)
    }
    for channel in channels { channel.stream.writeTools(to: &counter) }
    return counter.bitCount + maskBits
  }

  func write(to bits: inout BitWriter, bands: ScaleFactorBands) {
    switch kind {
    case .single:
      SyntaxElementID.singleChannel.write(to: &bits)
      SingleChannel.write(tag: tag, channels[0].stream, to: &bits, bands: bands)
    case .lowFrequency:
      SyntaxElementID.lowFrequency.write(to: &bits)
      SingleChannel.write(tag: tag, channels[0].stream, to: &bits, bands: bands)
    case .pair:
      SyntaxElementID.channelPair.write(to: &bits)
      pair.write(channels[0].stream, channels[1].stream, to: &bits, bands: bands)
    }
  }
}
