public import PCM

/// What a stream is wished to be. What was granted is told by the stream.
public struct StreamRequest: Sendable, Hashable {
  /// What happens when the device goes away.
  public enum Unplug: Sendable, Hashable {
    /// The stream moves to the default device, and also follows changes of the default where no device was named.
    case moveToDefault
    /// The stream ends, and stays at its device until then.
    case stop
  }

  /// Who brings samples to the format that was asked for.
  public enum Conversion: Sendable, Hashable {
    /// The stream has the device's own format; the caller converts, in a quality of its choice.
    case caller
    /// The server converts to what was asked for, in the quality that it is set to.
    case server
  }

  /// Id of the device, `nil` for the default.
  public var device: DeviceInfo.ID?
  /// Rate in Hz; `nil` for the device's own.
  public var sampleRate: Int?
  /// `nil` for the device's own.
  public var layout: ChannelLayout?
  public var conversion: Conversion
  /// Sound between the device and the caller's side of the server, 5 ms to 2 s.
  public var latency: Duration
  /// How much sound the ring between the device's thread and the caller's holds at least, up to 60 s.
  public var bufferLength: Duration
  public var onUnplug: Unplug
  /// How the stream is called in the server's lists.
  public var name: String

  public init(
    device: DeviceInfo.ID? = nil, sampleRate: Int? = nil, layout: ChannelLayout? = nil,
    conversion: Conversion = .caller, latency: Duration = .milliseconds(100),
    bufferLength: Duration = .seconds(2), onUnplug: Unplug = .moveToDefault, name: String = "aac"
  ) {
    self.device = device
    self.sampleRate = sampleRate
    self.layout = layout
    self.conversion = conversion
    self.latency = latency
    self.bufferLength = bufferLength
    self.onUnplug = onUnplug
    self.name = name
  }

  /// - Throws: `invalidRequest` for what no backend can do.
  func check() throws(AudioDeviceError) {
    func refuse(_ words: String) -> AudioDeviceError { AudioDeviceError(.invalidRequest(words)) }
    if let sampleRate, !(1000...384_000).contains(sampleRate) {
      throw refuse("a rate of \(sampleRate) Hz: 1000 to 384000 are possible")
    }
    if let layout, !(1...32).contains(layout.channelCount) {
      throw refuse("\(layout.channelCount) channels: 1 to 32 are possible")
    }
    guard latency >= .milliseconds(5), latency <= .seconds(2) else {
      throw refuse("a latency of \(latency): 5 ms to 2 s are possible")
    }
    guard bufferLength >= .milliseconds(10), bufferLength <= .seconds(60) else {
      throw refuse("a buffer of \(bufferLength): 10 ms to 60 s are possible")
    }
  }

  /// Frames for a duration at a rate, at least one.
  static func frames(_ duration: Duration, at rate: Int) -> Int {
    max(1, Int((duration.seconds * Double(rate)).rounded()))
  }

  /// The format of a stream at a device.
  func format(at device: PCMFormat) -> PCMFormat {
    switch conversion {
    case .caller: device
    case .server:
      PCMFormat(sampleRate: sampleRate ?? device.sampleRate, layout: layout ?? device.layout)
    }
  }

  /// Frames of the ring: also for short buffers enough for four times the latency.
  func ringFrames(at rate: Int) -> Int {
    max(Self.frames(bufferLength, at: rate), 4 * Self.frames(latency, at: rate))
  }
}
