import CSndFile
import PCM

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An open libsndfile handle and what it says of itself.
@safe
final class SoundFile {
  private let handle: OpaquePointer
  let info: SF_INFO

  /// Takes over `descriptor` and closes it in the end, also when it throws.
  init(reading descriptor: Int32) throws(AudioFileError) {
    var info = SF_INFO()
    // unsafe: the library fills the structure it is given and owns the handle until sf_close.
    guard let handle = unsafe sf_open_fd(descriptor, Int32(SFM_READ), &info, 1) else {
      throw AudioFileError(.notAudio(Self.lastMessage))
    }
    unsafe self.handle = handle
    self.info = info
  }

  /// Takes over `descriptor` and closes it in the end, also when it throws.
  init(writing descriptor: Int32, _ format: Int32, rate: Int, channels: Int) throws(AudioFileError) {
    var info = SF_INFO()
    info.format = format
    info.samplerate = Int32(clamping: rate)
    info.channels = Int32(clamping: channels)
    // unsafe: only reads the structure.
    guard unsafe sf_format_check(&info) == 1 else {
      _ = close(descriptor)
      throw AudioFileError(.unsupported("a file of this type with \(channels) channels at \(rate) Hz"))
    }
    // unsafe: as for reading.
    guard let handle = unsafe sf_open_fd(descriptor, Int32(SFM_WRITE), &info, 1) else {
      throw AudioFileError(.writeFailed(Self.lastMessage))
    }
    unsafe self.handle = handle
    self.info = info
  }

  deinit {
    // unsafe: the handle is valid until here.
    _ = unsafe sf_close(handle)
  }

  /// The message of a failed open.
  private static var lastMessage: String {
    // unsafe: a static text of the library.
    guard let text = unsafe sf_strerror(nil) else { return "unknown error" }
    return unsafe tidy(String(cString: text))
  }

  /// The handle's own message, `nil` where there is no error.
  var message: String? {
    // unsafe: the handle is valid; the text is static.
    guard unsafe sf_error(handle) != 0, let text = unsafe sf_strerror(handle) else { return nil }
    return unsafe Self.tidy(String(cString: text))
  }

  private static func tidy(_ text: String) -> String {
    var words = text
    if words.hasPrefix("Error : ") { words.removeFirst(8) }
    while let last = words.last, last == "." || last == "\n" { words.removeLast() }
    return words
  }
}

extension SoundFile {
  /// Reads up to `frames` interleaved frames to the start of `samples`, which must hold them.
  func read(_ frames: Int, into samples: inout [Float]) -> Int {
    precondition(samples.count >= frames * Int(info.channels), "room for the frames")
    // unsafe: the library writes at most `frames * channels` values, which the array has.
    return unsafe samples.withUnsafeMutableBufferPointer { memory in
      unsafe Int(sf_readf_float(handle, memory.baseAddress, sf_count_t(frames)))
    }
  }

  /// As above, for files whose samples have 16 bits.
  func read(_ frames: Int, into samples: inout [Int16]) -> Int {
    precondition(samples.count >= frames * Int(info.channels), "room for the frames")
    // unsafe: as above.
    return unsafe samples.withUnsafeMutableBufferPointer { memory in
      unsafe Int(sf_readf_short(handle, memory.baseAddress, sf_count_t(frames)))
    }
  }

  /// Goes to a frame; false where the file cannot.
  func seek(to frame: Int64) -> Bool {
    // unsafe: the handle is valid.
    unsafe sf_seek(handle, sf_count_t(frame), Int32(SEEK_SET)) == sf_count_t(frame)
  }

  /// Whether samples have 16 bits, which reading them as such leaves as they are.
  var hasShortSamples: Bool { info.format & Int32(SF_FORMAT_SUBMASK) == Int32(SF_FORMAT_PCM_16) }

  /// Writes interleaved frames; the number that were written.
  func write(_ samples: [Int16], frames: Int) -> Int {
    precondition(samples.count >= frames * Int(info.channels), "samples of the frames")
    // unsafe: the library reads `frames * channels` values, which the array has.
    return unsafe samples.withUnsafeBufferPointer { memory in
      unsafe Int(sf_writef_short(handle, memory.baseAddress, sf_count_t(frames)))
    }
  }

  func write(_ samples: [Int32], frames: Int) -> Int {
    precondition(samples.count >= frames * Int(info.channels), "samples of the frames")
    // unsafe: as above.
    return unsafe samples.withUnsafeBufferPointer { memory in
      unsafe Int(sf_writef_int(handle, memory.baseAddress, sf_count_t(frames)))
    }
  }

  func write(_ samples: [Float], frames: Int) -> Int {
    precondition(samples.count >= frames * Int(info.channels), "samples of the frames")
    // unsafe: as above.
    return unsafe samples.withUnsafeBufferPointer { memory in
      unsafe Int(sf_writef_float(handle, memory.baseAddress, sf_count_t(frames)))
    }
  }

  /// Sends a command that takes a number or a switch only.
  func set(_ command: Int32, _ value: Bool) {
    // unsafe: these commands take no data.
    _ = unsafe sf_command(handle, command, nil, value ? 1 : 0)
  }

  /// Brings everything to the file and the header up to date.
  func flush() {
    // unsafe: the handle is valid; neither call takes data.
    unsafe sf_command(handle, Int32(SFC_UPDATE_HEADER_NOW), nil, 0)
    unsafe sf_write_sync(handle)
  }

  /// The channel map, one SF_CHANNEL_MAP_… a channel; `nil` where the file has none.
  var channelMap: [Int32]? {
    var map = [Int32](repeating: 0, count: Int(info.channels))
    let size = Int32(map.count * MemoryLayout<Int32>.size)
    // unsafe: the library fills `size` bytes, which the array has.
    let known = unsafe map.withUnsafeMutableBytes { memory in
      unsafe sf_command(handle, Int32(SFC_GET_CHANNEL_MAP_INFO), memory.baseAddress, size)
    }
    return known == 0 ? nil : map
  }

  /// Sets the channel map of a file to be written; false where the type has none.
  func setChannelMap(_ map: [Int32]) -> Bool {
    var map = map
    let size = Int32(map.count * MemoryLayout<Int32>.size)
    // unsafe: the library reads `size` bytes, which the array has.
    return unsafe map.withUnsafeMutableBytes { memory in
      unsafe sf_command(handle, Int32(SFC_SET_CHANNEL_MAP_INFO), memory.baseAddress, size) != 0
    }
  }
}

extension SoundFile {
  private static let texts: [(key: String, number: Int)] = [
    ("title", SF_STR_TITLE), ("artist", SF_STR_ARTIST), ("album", SF_STR_ALBUM),
    ("track", SF_STR_TRACKNUMBER), ("date", SF_STR_DATE), ("genre", SF_STR_GENRE),
    ("comment", SF_STR_COMMENT), ("copyright", SF_STR_COPYRIGHT),
  ]

  /// Texts about the sound. Bytes that are no UTF-8 are taken for Latin-1.
  var tags: [AudioTag] {
    Self.texts.compactMap { key, number in
      // unsafe: the handle is valid; the text is copied at once.
      guard let text = unsafe sf_get_string(handle, Int32(number)) else { return nil }
      let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: text, count: strlen(text)))
      let value = String(validating: bytes, as: UTF8.self) ?? Self.latin(bytes)
      return value.isEmpty ? nil : AudioTag(key: key, value: value)
    }
  }

  private static func latin(_ bytes: [UInt8]) -> String {
    var scalars = String.UnicodeScalarView()
    for byte in bytes { scalars.append(Unicode.Scalar(byte)) }
    return String(scalars)
  }
}
