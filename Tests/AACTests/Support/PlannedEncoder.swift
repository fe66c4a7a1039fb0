import PCM

@testable import AAC

/// The encoder with parts that its settings cannot switch off: what `AACEncoder` does, of a whole sound.
enum PlannedEncoder {
  static func encode(
    _ sound: PCMBuffer, _ settings: EncoderSettings, effort: EffortPlan, control: RateControl? = nil
  ) throws -> [Packet] {
    let plan = try EncoderPlan(settings)
    let model = FrameModel(
      rate: plan.configuration.samplingRate, bandwidth: plan.effective.bandwidth, tools: plan.tools,
      effort: effort)
    let length = model.frameLength
    let inputs = sound.channels.map { _ in
      ChannelInput(
        frameLength: length, longMemory: model.long.makeMemory(), shortMemory: model.short.makeMemory())
    }
    let encoder = FrameEncoder(
      model: model,
      elements: AACEncoder.makeElements(
        plan.configuration.elements, model: model, sampleRate: settings.sampleRate),
      inputs: inputs, control: control ?? plan.control, bandwidth: BandwidthChoice(settings, plan: plan))
    func fill(block: Int, at start: Int) {
      for (input, samples) in zip(inputs, sound.channels) {
        for index in 0..<length {
          let frame = block * length + index
          input.samples[start + index] = frame < samples.count ? samples[frame] : 0
        }
      }
    }
    fill(block: 0, at: length)
    encoder.lookAhead(at: length)
    let total = (sound.frameCount + length - 1) / length + 1
    return (0..<total).map { index in
      fill(block: index + 1, at: 2 * length)
      let data = encoder.encode()
      for input in inputs { input.advance(by: length) }
      return Packet(
        data: data, presentationTime: Int64((index - 1) * length), duration: length,
        priming: index == 0 ? length : 0,
        padding: index == total - 1 ? (total - 1) * length - sound.frameCount : 0)
    }
  }
}
