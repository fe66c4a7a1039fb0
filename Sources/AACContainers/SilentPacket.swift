public import AAC

/// Access units that decode to silence, to stand where something is missing.
public enum SilentPacket {
  /// The smallest access unit of a configuration with all its channels silent. `nil` where the channels
  /// are not known, or the object type's syntax differs from low complexity.
  public static func data(for configuration: AudioSpecificConfig) -> [UInt8]? {
    let elements = configuration.elements
    guard !elements.isEmpty, (1...4).contains(configuration.objectType.rawValue) else { return nil }
    var bits = BitWriter()
    var tags: [ChannelElement.Kind: Int] = [:]
    for (index, element) in elements.enumerated() {
      let tag = programTag(configuration, index) ?? tags[element.kind, default: 0]
      tags[element.kind, default: 0] += 1
      switch element.kind {
      case .single: bits.put(0, 3)  // ID_SCE
      case .pair: bits.put(1, 3)  // ID_CPE
      case .lowFrequency: bits.put(3, 3)  // ID_LFE
      }
      bits.put(tag & 15, 4)  // element_instance_tag
      if element.kind == .pair { bits.put(false) }  // common_window
      for _ in 0..<element.channelCount { putSilence(to: &bits) }
    }
    bits.put(7, 3)  // ID_END
    bits.alignToByte()
    return bits.bytes
  }

  /// individual_channel_stream with no bands.
  private static func putSilence(to bits: inout BitWriter) {
    bits.put(0, 8)  // global_gain
    bits.put(0, 1)  // ics_reserved_bit
    bits.put(0, 2)  // window_sequence
    bits.put(0, 1)  // window_shape
    bits.put(0, 6)  // max_sfb
    bits.put(0, 1)  // predictor_data_present
    bits.put(0, 3)  // pulse, TNS and gain control absent
  }

  private static func programTag(_ configuration: AudioSpecificConfig, _ index: Int) -> Int? {
    guard let config = configuration.programConfig else { return nil }
    let tags = (config.front + config.side + config.back).map(\.tag) + config.lowFrequencyTags
    return index < tags.count ? tags[index] : nil
  }
}
