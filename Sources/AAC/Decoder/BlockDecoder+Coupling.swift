import DSP
internal import PCM

extension BlockDecoder {
  /// Adds the dependent coupling channels of one domain to the spectra of their targets.
  func couple(_ block: RawDataBlock, _ map: ElementMap, afterTNS: Bool) {
    for element in block.elements {
      guard case .coupling(let coupling) = element, !coupling.isIndependent,
        coupling.afterTNS == afterTNS
      else { continue }
      let source = couplingState(coupling.tag)
      let stream = block.streams[coupling.stream]
      forEachTarget(of: coupling, block, map) { channel, list in
        Coupling.add(
          coupling, stream, gains: block.gainLists[list], bands: bands, source.spectrum,
          to: &channels[channel].spectrum)
      }
    }
  }

  /// Decodes the independent coupling channels to samples and adds them to those of their targets.
  func coupleIndependently(_ block: RawDataBlock, _ map: ElementMap, into output: inout PCMBuffer) {
    for element in block.elements {
      guard case .coupling(let coupling) = element, coupling.isIndependent else { continue }
      synthesize(
        block.streams[coupling.stream].info, couplingState(coupling.tag), into: &couplingOutput)
      let range = 0..<bands.frameLength
      forEachTarget(of: coupling, block, map) { channel, list in
        let gain = Coupling.commonFactor(block.gainLists[list], of: coupling)
        SpectralKernels.addScaled(
          couplingOutput, range: range, gain: gain, to: &output.channels[map.outputs[channel]], at: 0)
      }
    }
  }

  /// Calls `body` with each channel that the element is added to and the place of its gain list. Targets
  /// that the block does not have are passed over, their lists too.
  private func forEachTarget(
    of coupling: CouplingChannel, _ block: RawDataBlock, _ map: ElementMap,
    _ body: (_ channel: Int, _ list: Int) -> Void
  ) {
    var list = coupling.gainLists.lowerBound
    for target in block.couplingTargets[coupling.targets] {
      if let first = firstChannel(of: target, block, map) {
        // Neither flag set means both channels with one list.
        if !target.isPair {
          body(first, list)
        } else {
          if target.left || !target.right { body(first, list) }
          if target.right || !target.left { body(first + 1, list + target.listCount - 1) }
        }
      }
      list += target.listCount
    }
  }

  private func firstChannel(
    of target: CouplingChannel.Target, _ block: RawDataBlock, _ map: ElementMap
  ) -> Int? {
    for (element, place) in zip(block.elements, places) {
      switch element {
      case .single(let channel) where !target.isPair && channel.tag == target.tag:
        return map.firstChannels[place]
      case .pair(let pair) where target.isPair && pair.tag == target.tag:
        return map.firstChannels[place]
      default: continue
      }
    }
    return nil
  }
}
