extension RawDataBlock {
  /// Leaves out elements that only repeat the programme, mixed to one channel or two (mono_mixdown_element_number,
  /// stereo_mixdown_element_number), and the fill elements that belong to them.
  mutating func removeMixdowns(of config: ProgramConfig) {
    guard config.monoMixdown != nil || config.stereoMixdown != nil else { return }
    var isInside = false
    elements.removeAll { element in
      switch element {
      case .single(let channel): isInside = config.isMixdown(isPair: false, tag: channel.tag)
      case .pair(let pair): isInside = config.isMixdown(isPair: true, tag: pair.tag)
      case .fill: break
      default: isInside = false
      }
      return isInside
    }
  }
}

extension ProgramConfig {
  fileprivate func isMixdown(isPair: Bool, tag: Int) -> Bool {
    guard tag == (isPair ? stereoMixdown : monoMixdown) else { return false }
    let element = Element(isPair: isPair, tag: tag)
    return !front.contains(element) && !side.contains(element) && !back.contains(element)
  }
}
