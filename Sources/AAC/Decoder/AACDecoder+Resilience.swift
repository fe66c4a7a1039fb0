public import PCM

extension AACDecoder {
  /// Decodes one access unit as well as it can be done, and makes up what is missing. Never fails.
  ///
  /// - An empty access unit stands for a lost one.
  /// - Of one that breaks off, or breaks in the middle, the elements in front of the fault are kept where each of
  ///   them is about as loud as before; damage shows only behind its place, so what is loud or faint there all at
  ///   once is not believed. In streams of one element, and in those with coupling channels, which lean on each
  ///   other, the whole frame is made up.
  /// - An element whose lines stand for more than twice full scale (its mean) is made up.
  /// - Other channels than before are believed from the second access unit on that has them.
  /// - In and right behind what was made up no sample exceeds full scale by more than 1 dB, and for a while none what
  ///   the stream had before. One frame that leaps 8 dB over full scale and all that was is held at 1 dB.
  /// - Streams whose access units have ended with their data are believed to go on so.
  ///
  /// Streams without damage sound exactly as from `decode(_:into:)`.
  ///
  /// - Returns: what became of the frame, also in `lastFrame`.
  @discardableResult
  public func decodeOrConceal(_ accessUnit: [UInt8], into output: inout PCMBuffer) -> FrameReport {
    guard !accessUnit.isEmpty else { return conceal(.missing, into: &output) }
    do throws(AACError) {
      var bits = BitReader(accessUnit)
      try block.parse(&bits, bands: decoder.bands)
      if !block.syntax.isErrorResilient, resilience.tidiness.doubts(bits.remaining) {
        throw bits.failure(.inconsistent("an access unit that ends before its data does"))
      }
      try doubtChange()
      var map = try currentMap()
      try decoder.prepare(block, &map)
      play(map, .plausible, behind: bits, into: &output)
    } catch {
      guard let map = salvage() else { return conceal(.damaged(error), into: &output) }
      play(map, .similar, fault: .damaged(error), into: &output)
    }
    return lastFrame
  }

  /// A frame in place of one that is lost or broken: each channel's last spectrum again with other signs, fading
  /// to silence within about 0.2 s. Replicated bands and stereo parameters are held and fade with it.
  @discardableResult
  public func conceal(into output: inout PCMBuffer) -> FrameReport { conceal(.missing, into: &output) }

  /// `count` frames in place of lost ones, one after the other; `body` is given each.
  public func conceal(count: Int, _ body: (PCMBuffer) -> Void) {
    var output = PCMBuffer(format: format)
    for _ in 0..<max(0, count) {
      conceal(into: &output)
      body(output)
    }
  }

  /// The next access unit does not follow the last one: data was left out or joined on purpose, and no time is
  /// missing. The sound before it dies away under the first frame behind it, without a click; what would predict
  /// across the joint is forgotten. `reset()` forgets the sound too.
  public func discontinuity() {
    decoder.discontinuity()
    resilience.changeCount = .max - 1
    resilience.discontinuity()
  }

  /// What the last frame leaves to be heard: one frame, to be added to the first one of whatever comes next. The
  /// decoder wants `reset()` before it goes on.
  public func drain(into output: inout PCMBuffer) {
    guard let map, map.outputs.count > 0 else { return output.resize(to: 0, format: format) }
    guard let replication else {
      output.resize(to: frameLength, format: format)
      guard replicates != true else { return output.silence() }
      return decoder.drain(map, into: &output)
    }
    core.resize(to: decoder.bands.frameLength, format: coreFormat)
    decoder.drain(map, into: &core)
    replication.takeDynamics(dynamics, decoder, map)
    replication.beginFrame()
    output.resize(to: replication.frameLength, format: format)
    replication.render(core, map, into: &output)
  }

  private func conceal(_ cause: FrameReport.Cause, into output: inout PCMBuffer) -> FrameReport {
    lastFrame = FrameReport()
    lastFrame.cause = cause
    decoder.dynamics = replication == nil ? dynamics : nil
    resilience.take(isWhole: false)
    lastFrame.run = resilience.run
    if let replication, let map {
      core.resize(to: decoder.bands.frameLength, format: coreFormat)
      decoder.conceal(map, into: &core)
      replication.beginFrame()
      replication.hold(elements: .max)
      replication.takeDynamics(dynamics, decoder, map)
      output.resize(to: replication.frameLength, format: format)
      replication.render(core, map, into: &output)
    } else {
      output.resize(to: frameLength, format: format)
      if let map, replicates != true {
        decoder.conceal(map, into: &output)
      } else {
        output.silence()
      }
    }
    for channel in 0..<output.channelCount { lastFrame.concealedChannels.insert(channel) }
    lastFrame.isLimited =
      resilience.limit(&output, hasReplication: replication != nil, isWeighted: dynamics != nil) != .none
    return lastFrame
  }

  /// Makes the sound of a prepared block.
  ///
  /// - Parameter bits: where the block's elements end; `nil` where they break off.
  func play(
    _ map: ElementMap, _ trust: BlockDecoder.Trust, behind bits: BitReader? = nil,
    fault: FrameReport.Cause? = nil, into output: inout PCMBuffer
  ) {
    var report = FrameReport()
    if replication == nil {
      look(into: block)
      settle()
    }
    takeLowDelayReplication(bits)
    decoder.takeDynamics(block, program: programConfig?.tag)
    decoder.dynamics = replication == nil ? dynamics : nil
    var concealed: UInt64
    let heard = decoder.heard(map)
    if let replication {
      core.resize(to: decoder.bands.frameLength, format: coreFormat)
      concealed = decoder.render(block, map, trust: trust, into: &core)
      if configuration.lowDelaySBR != nil {
        replication.hold(elements: concealed)
      } else {
        replication.take(block, places: decoder.places, except: concealed)
      }
      noteStereo(replication)
      replication.takeDynamics(dynamics, decoder, map)
      output.resize(to: replication.frameLength, format: format)
      replication.render(core, map, into: &output)
      if replication.isHeld { report.cause = .replication }
    } else {
      if block.hasReplication { notes.insert(.ignoresSpectralBandReplication) }
      output.resize(to: decoder.bands.frameLength, format: format)
      concealed = decoder.render(block, map, trust: trust, into: &output)
    }
    // What was never there is not missed.
    let doubted = concealed & map.taken
    concealed &= heard
    if concealed != 0 || doubted != 0 || fault != nil {
      report.cause = fault ?? (doubted != 0 ? .implausible : .incomplete)
      insert(concealed | doubted, map, output.channelCount, into: &report.concealedChannels)
    }
    finish(report, trust, &output)
  }

  /// The replication data of low delay is behind all elements, and further payloads are behind that.
  private func takeLowDelayReplication(_ bits: BitReader?) {
    guard let replication, let lowDelay = configuration.lowDelaySBR else { return }
    guard var bits else {
      replication.beginFrame()
      return replication.hold(elements: .max)
    }
    if replication.takeLowDelay(&bits, hasChecksums: lowDelay.hasChecksums) {
      block.parseResilientExtensions(&bits)
    }
  }

  private func finish(_ report: FrameReport, _ trust: BlockDecoder.Trust, _ output: inout PCMBuffer) {
    var report = report
    resilience.take(isWhole: report.isWhole)
    resilience.changeCount = 0
    report.run = resilience.run
    if trust != .all {
      let limit = resilience.limit(&output, hasReplication: replication != nil, isWeighted: dynamics != nil)
      report.isLimited = limit != .none
      if limit == .implausible, report.isWhole {
        report.cause = .implausible
        resilience.take(isWhole: false)
        report.run = resilience.run
      }
    }
    lastFrame = report
  }

  private func noteStereo(_ replication: SBRDecoder) {
    guard replication.hasParametricStereo else { return }
    if replication.isStereo {
      extensions.insert(.parametricStereo)
    } else {
      notes.insert(.ignoresParametricStereo)
    }
  }

  private func insert(
    _ elements: UInt64, _ map: ElementMap, _ outputCount: Int, into channels: inout FrameReport.Channels
  ) {
    for index in map.elements.indices where elements >> UInt64(min(index, 63)) & 1 != 0 {
      let first = map.firstChannels[index]
      for channel in first..<first + map.elements[index].channelCount {
        channels.insert(map.outputs[channel])
      }
    }
    // Both channels of parametric stereo come from one.
    if map.outputs.count == 1, outputCount == 2, !channels.isEmpty { channels.insert(1) }
  }

  /// The elements in front of the fault that the block stopped at, where they can be played; `nil` where not.
  private func salvage() -> ElementMap? {
    guard var map, map.elements.count > 1, decoder.couplingChannels.allSatisfy({ $0 == nil }) else {
      return nil
    }
    for element in block.elements {
      switch element {
      case .coupling, .programConfig: return nil
      default: break
      }
    }
    guard (try? decoder.prepare(block, &map)) != nil, map.taken != 0 else { return nil }
    return map
  }

  /// Damage can look like other channels: they have to come twice.
  private func doubtChange() throws(AACError) {
    guard let map, decoder.heard(map) != 0, resilience.changeCount < 1, asksForChange else { return }
    resilience.changeCount += 1
    throw AACError(.inconsistent("an access unit with other channels than those before"))
  }
}
