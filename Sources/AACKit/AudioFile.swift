import AACContainers
public import AudioFiles
public import PCM

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Whole sounds in one call: AAC or PCM, told apart by what is in the file.
public enum AudioFile {
  /// All of a file's sound.
  ///
  /// - Parameters:
  ///   - sampleRate: convert to this rate.
  ///   - channelCount: mix to this many channels.
  ///   - downmix: the coefficients of that mix.
  public static func decode(
    _ path: String, sampleRate: Int? = nil, channelCount: Int? = nil, downmix: DownmixChoice = .stream
  ) throws(AACKitError) -> PCMBuffer {
    let reader = try adapt(
      try open(path), sampleRate: sampleRate, channelCount: channelCount, downmix: downmix)
    var whole = PCMBuffer(format: reader.format)
    var buffer = whole
    do {
      while try reader.read(8192, into: &buffer) > 0 { whole.append(buffer) }
    } catch { throw AACKitError(.audioFile(error), path: path) }
    return whole
  }

  /// Encodes a sound to a new file; the container follows the extension.
  ///
  /// - Throws: `exists` where there is a file already and `replacing` is false.
  @discardableResult
  public static func encode(
    _ sound: PCMBuffer, to path: String, _ options: EncodeOptions = EncodeOptions(), replacing: Bool = false
  ) throws(AACKitError) -> EncodeSummary {
    var options = options
    if let container = Transcoder.container(for: path) { options.output.container = container }
    let files = try OutputFiles(path, options.output.container, replacing: replacing)
    let summary = try Transcoder.encode(
      BufferReader(sound), to: files.sink, sidecar: files.sidecar, options)
    try files.commit()
    return summary
  }

  /// A reader for the file at `path`: AAC in any container, or PCM.
  public static func open(
    _ path: String, options: AACReader.Options = AACReader.Options(), cancellation: Cancellation? = nil
  ) throws(AACKitError) -> any AudioReader {
    let source = try openByteSource(path)
    if try isContainer(source, path) {
      return try AACReader(source, path: path, options: options, cancellation: cancellation)
    }
    try checkTrack(options, path)
    do {
      let reader = try AudioFileReader(path: path, cancellation: cancellation)
      reader.addTags(from: source)
      return reader
    } catch { throw AACKitError(.audioFile(error), path: path) }
  }

  /// Files of samples have one track.
  private static func checkTrack(_ options: AACReader.Options, _ path: String?) throws(AACKitError) {
    guard let track = options.track, track != 1 else { return }
    throw AACKitError(
      .container(ContainerError(.noTrack("there is no track \(track): a file of samples holds one only"))),
      path: path)
  }

  /// A reader for an open descriptor of a file or a pipe: AAC in any container that can be piped, or PCM.
  /// The descriptor stays open. `name` is for messages.
  public static func open(
    descriptor: Int32, name: String? = nil, options: AACReader.Options = AACReader.Options(),
    cancellation: Cancellation? = nil
  ) throws(AACKitError) -> any AudioReader {
    let file = FileSource(descriptor: descriptor)
    var pipe: ByteInput?
    if file.isSeekable {
      if try isContainer(file, name) {
        return try AACReader(file, path: name, options: options, cancellation: cancellation)
      }
    } else {
      let input = ByteInput(descriptor: descriptor, cancellation: cancellation)
      let head: [UInt8]
      do { head = try input.peek(12) } catch { throw AACKitError(.audioFile(error), path: name) }
      if looksLikeAAC(head) {
        return try AACReader(
          CancellableSource(input), path: name, options: options, cancellation: cancellation)
      }
      pipe = input
    }
    try checkTrack(options, name)
    do throws(AudioFileError) {
      if let pipe { return try AudioFileReader(pipe: pipe, path: name, cancellation: cancellation) }
      let reader = try AudioFileReader(
        descriptor: dup(descriptor), path: name, cancellation: cancellation)
      reader.addTags(from: file)
      return reader
    } catch { throw AACKitError(.audioFile(error), path: name) }
  }

  private static func isContainer(_ source: any ByteSource, _ name: String?) throws(AACKitError) -> Bool {
    do {
      if case .container = try Probe.identify(source) { return true }
      return false
    } catch { throw AACKitError(.container(error), path: name) }
  }

  /// Whether a pipe starts as an MP4 file, ADTS, ADIF, LOAS, or an ID3 tag in front of one of them.
  private static func looksLikeAAC(_ head: [UInt8]) -> Bool {
    guard head.count >= 8 else { return false }
    if head[4..<8].elementsEqual("ftyp".utf8) || head.starts(with: "ADIF".utf8) { return true }
    if head.starts(with: "ID3".utf8) { return true }
    return head[0] == 0xFF && head[1] & 0xF6 == 0xF0 || head[0] == 0x56 && head[1] & 0xE0 == 0xE0
  }

  /// `reader` at another rate and with other channels, where they are asked for.
  public static func adapt(
    _ reader: any AudioReader, sampleRate: Int? = nil, channelCount: Int? = nil,
    downmix: DownmixChoice = .stream
  ) throws(AACKitError) -> any AudioReader {
    var format = reader.format
    if let sampleRate { format.sampleRate = sampleRate }
    if let channelCount, channelCount != format.channelCount {
      guard let layout = ChannelLayout.standard(channelCount: channelCount) else {
        throw AACKitError(.unsupported("\(channelCount) channels have no usual layout: choose 1 to 8"))
      }
      guard ChannelMixer(from: format.layout, to: layout) != nil else {
        throw AACKitError(
          .unsupported("channels without places (\(format.layout.name)) cannot be mixed to others"))
      }
      format.layout = layout
    }
    return format == reader.format
      ? reader : ConvertingReader(reader, to: format, downmix: downmix.downmix(of: reader))
  }
}

/// Reads a sound that is in memory.
public final class BufferReader: AudioReader {
  private let sound: PCMBuffer
  private var position = 0

  public init(_ sound: PCMBuffer) { self.sound = sound }

  public var format: PCMFormat { sound.format }
  public var frameCount: Int64? { Int64(sound.frameCount) }

  public func read(_ frames: Int, into buffer: inout PCMBuffer) throws(AudioFileError) -> Int {
    let count = max(0, min(frames, sound.frameCount - position))
    buffer.resize(to: count, format: sound.format)
    for channel in sound.channels.indices {
      for frame in 0..<count { buffer.channels[channel][frame] = sound.channels[channel][position + frame] }
    }
    position += count
    return count
  }
}
