/// One access unit (a `raw_data_block`, without any transport header) and its place in time.
public struct Packet: Sendable, Equatable {
  /// The bytes of the access unit.
  public var data: [UInt8]
  /// Time of the packet's first frame in output frames. The first valid frame of the stream is 0, so the
  /// priming packets of an encoder start below zero.
  public var presentationTime: Int64
  /// Frames that decoding this packet yields, trims included.
  public var duration: Int
  /// Frames at the start of this packet's output that are priming and to be thrown away.
  public var priming: Int
  /// Frames at the end of this packet's output that are padding and to be thrown away.
  public var padding: Int

  public init(
    data: [UInt8], presentationTime: Int64, duration: Int, priming: Int = 0, padding: Int = 0
  ) {
    self.data = data
    self.presentationTime = presentationTime
    self.duration = duration
    self.priming = priming
    self.padding = padding
  }

  /// Frames of this packet that are sound: its duration without priming and padding.
  public var validFrames: Int { max(0, duration - priming - padding) }
}
