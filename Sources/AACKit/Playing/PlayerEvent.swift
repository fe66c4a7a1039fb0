public import AACStreaming
public import AudioDevices
public import PCM

/// Something that happened to a ``Player``. Indices count its items from 0.
public enum PlayerEvent: ChannelEvent, Equatable {
  /// The first frame of an item is heard.
  case itemStarted(Int, PlayerItemInfo)
  /// The last frame of an item has been heard.
  case itemEnded(Int)
  /// An item cannot be opened, or not be read to its end; playing goes on with the next one.
  case itemFailed(Int, AACKitError)
  /// Seconds of the item that is heard, a few times a second.
  case position(Double)
  /// A station tells another title, which is heard now.
  case title(String)
  case paused
  case resumed
  /// A live stream waits until so many of the seconds that are asked for have come.
  case buffering(seconds: Double, of: Double)
  /// The connection to a live stream broke; the attempt to mend it, counted from 1.
  case reconnecting(attempt: Int, HTTPError)
  /// The server of an address has answered: at first, and whenever a connection stands again.
  case connected(HTTPResponse)
  /// A damage that decoding got over.
  case damaged(DecodingDamage)
  /// The device had nothing to play: silence from here on, until `recovered`.
  case underrun
  case recovered(silence: Duration)
  /// Playing goes on at another device.
  case moved(to: DeviceInfo.ID)
  /// The device works in another format now; the server converts.
  case deviceFormatChanged(PCMFormat)
  /// The device is asleep: no sound passes until `awake`.
  case suspended
  case awake
  /// The last sample of the last item has left the device. Nothing follows.
  case finished
  /// `stop()` was called. Nothing follows.
  case stopped
  /// No item could be played, or the device failed. Nothing follows.
  case failed(AACKitError)
  case eventsLost(Int)

  public var isOutdatedByNext: Bool {
    switch self {
    case .position, .buffering: true
    default: false
    }
  }
}
