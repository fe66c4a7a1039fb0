import DSP
public import PCM

/// Encodes PCM to AAC-LC access units.
///
/// Push any number of frames, take 0…n packets; `finish()` drains. Not safe for use from several threads
/// at a time; separate encoders share nothing.
public final class AACEncoder {
  /// What was chosen for the settings asked for.
  public struct Effective: Sendable, Equatable {
    /// Target rate in bits a second; for `quality` the typical rate.
    public var bitRate: Int
    /// Upper band edge in Hz; where none was asked for, sounds that take few bits have more.
    public var bandwidth: Int
    /// Output frames before the first input sample: the `priming` of the packets.
    public var priming: Int
    /// Frames that must be pushed beyond a packet's own before it comes out.
    public var lookahead: Int
    /// The codec that was chosen of ``EncoderSettings/codecPreference``.
    public var codec: CodecKind
  }

  /// Samples beyond this are limited to it: +12 dB over full scale, which no output format can hold.
  static let limit: Float = 4

  public let settings: EncoderSettings
  public let effective: Effective
  /// What a decoder needs; goes into the container.
  public let configuration: AudioSpecificConfig

  private let frameLength: Int
  /// Where the block being filled starts in the inputs' samples.
  private var blockStart: Int
  private let frames: FrameEncoder
  private let inputs: [ChannelInput]
  /// Frames in the block that is being filled.
  private var filled: Int
  private var framesTaken: Int64 = 0
  private var packetsMade: Int64 = 0
  private var isFinished = false

  /// - Throws: `invalidSettings` with what was asked and what is possible; `noCodec`; `unsupported` for a layout that
  ///   no program config element can describe.
  public init(_ settings: EncoderSettings) throws(AACError) {
    let plan = try EncoderPlan(settings)
    self.settings = settings
    effective = plan.effective
    configuration = plan.configuration
    let model = FrameModel(
      rate: plan.configuration.samplingRate, bandwidth: plan.effective.bandwidth, tools: plan.tools,
      effort: EffortPlan(settings.effort))
    frameLength = model.frameLength
    inputs = (0..<settings.layout.channelCount).map { _ in
      ChannelInput(
        frameLength: model.frameLength, longMemory: model.long.makeMemory(),
        shortMemory: model.short.makeMemory())
    }
    frames = FrameEncoder(
      model: model,
      elements: Self.makeElements(
        plan.configuration.elements, model: model, sampleRate: settings.sampleRate),
      inputs: inputs, control: plan.control,
      bandwidth: BandwidthChoice(settings, plan: plan))
    // The first frame transforms a block of nothing and the first block of sound.
    filled = 0
    blockStart = model.frameLength
  }

  static func makeElements(
    _ elements: [ChannelElement], model: FrameModel, sampleRate: Int
  ) -> [ElementEncoder] {
    let indices = elements.outputIndices
    var next = 0
    var tags: [ChannelElement.Kind: Int] = [:]
    return elements.map { element in
      let inputs = Array(indices[next..<next + element.channelCount])
      next += element.channelCount
      let tag = tags[element.kind, default: 0]
      tags[element.kind] = tag + 1
      return ElementEncoder(
        kind: element.kind, tag: tag, inputs: inputs, model: model, sampleRate: sampleRate)
    }
  }

  /// Takes `buffer` (format as in the settings) and returns the packets that are complete. Nothing of
  /// the caller's memory is kept.
  ///
  /// - Throws: `notFinite` with channel and frame at a NaN or an infinity; `misuse` for another format or
  ///   after `finish()`. After a throw nothing of `buffer` has been taken.
  public func encode(_ buffer: PCMBuffer) throws(AACError) -> [Packet] {
    guard !isFinished else { throw AACError(.misuse("the encoder is finished; make a new one")) }
    guard buffer.format.sampleRate == settings.sampleRate, buffer.channels.count == inputs.count else {
      throw AACError(
        .misuse(
          """
          a buffer of \(buffer.channels.count) channel(s) at \(buffer.format.sampleRate) Hz was given to an \
          encoder of \(inputs.count) at \(settings.sampleRate) Hz
          """))
    }
    for (channel, samples) in buffer.channels.enumerated() {
      if let frame = SpectralKernels.firstNonFinite(samples, count: buffer.frameCount) {
        throw AACError(.notFinite(channel: channel, frame: framesTaken + Int64(frame)))
      }
    }
    var packets: [Packet] = []
    var taken = 0
    while taken < buffer.frameCount {
      let count = min(frameLength - filled, buffer.frameCount - taken)
      for (input, samples) in zip(inputs, buffer.channels) {
        SpectralKernels.copyLimited(
          samples, range: taken..<taken + count, limit: Self.limit, to: &input.samples,
          at: blockStart + filled)
      }
      taken += count
      filled += count
      if filled == frameLength { completeBlock(into: &packets) }
    }
    framesTaken += Int64(buffer.frameCount)
    return packets
  }

  /// Encodes what is still inside and returns the last packets. The encoder takes no more input then.
  ///
  /// - Throws: `misuse` when called again.
  public func finish() throws(AACError) -> [Packet] {
    guard !isFinished else { throw AACError(.misuse("the encoder is finished already")) }
    isFinished = true
    guard framesTaken > 0 else { return [] }
    let length = Int64(frameLength)
    let total = (framesTaken + length - 1) / length + 1
    var packets: [Packet] = []
    while packetsMade < total {
      for input in inputs {
        SpectralKernels.clear(
          &input.samples, range: blockStart + filled..<blockStart + frameLength)
      }
      filled = frameLength
      completeBlock(into: &packets)
    }
    if let last = packets.indices.last {
      packets[last].padding = Int((total - 1) * length - framesTaken)
    }
    return packets
  }

  private func completeBlock(into packets: inout [Packet]) {
    filled = 0
    if blockStart < 2 * frameLength {
      // The first block of all: one more is needed to look ahead.
      frames.lookAhead(at: blockStart)
      blockStart += frameLength
      return
    }
    let data = frames.encode()
    packets.append(
      Packet(
        data: data, presentationTime: (packetsMade - 1) * Int64(frameLength), duration: frameLength,
        priming: packetsMade == 0 ? effective.priming : 0))
    packetsMade += 1
    for input in inputs { input.advance(by: frameLength) }
  }
}
