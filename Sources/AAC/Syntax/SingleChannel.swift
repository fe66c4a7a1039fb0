/// `single_channel_element()` and `lfe_channel_element()`: a tag and one channel stream.
struct SingleChannel: Equatable, Sendable {
  var tag = 0  // element_instance_tag
  /// Place of the channel stream in the block's `streams`.
  var stream = 0
}

extension SingleChannel {
  static let tagBits = 4

  /// Writes the element after its id.
  static func write(
    tag: Int, _ stream: ChannelStream, to bits: inout BitWriter, bands: ScaleFactorBands,
    syntax: StreamSyntax = StreamSyntax()
  ) {
    bits.put(tag, tagBits)
    stream.write(to: &bits, commonWindow: false, bands: bands, syntax: syntax)
  }
}
