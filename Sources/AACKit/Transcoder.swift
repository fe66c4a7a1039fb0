public import AAC
import AACContainers
public import AudioFiles
public import PCM

/// Work on whole sounds: encode, decode, remux. From file to file here, from readers to sinks in the
/// extensions.
///
/// Everything can be watched (`progress`) and stopped from elsewhere (`cancellation`); output files appear
/// under their names only when they are whole.
public enum Transcoder {}

extension Transcoder {
  /// Encodes a PCM file (or an AAC file anew) to a file; without `options.output` set otherwise, the
  /// container follows the extension.
  ///
  /// - Throws: `exists` where the output is there and `replacing` is false; what reading, encoding or
  ///   writing throws; `cancelled`.
  @discardableResult
  public static func encode(
    _ path: String, to outputPath: String, _ options: EncodeOptions? = nil, replacing: Bool = false,
    cancellation: Cancellation? = nil, progress: (Progress) -> Void = { _ in }
  ) throws(AACKitError) -> EncodeSummary {
    var chosen = options ?? EncodeOptions()
    if options == nil, let container = container(for: outputPath) { chosen.output.container = container }
    let files = try OutputFiles(outputPath, chosen.output.container, replacing: replacing, inputs: [path])
    let reader = try AudioFile.open(path, cancellation: cancellation)
    let summary = try encode(
      reader, to: files.sink, sidecar: files.sidecar, chosen, cancellation: cancellation, progress: progress)
    try files.commit()
    return summary
  }

  /// What came of decoding a file.
  public struct DecodeSummary: Sendable, Equatable {
    public var format: PCMFormat
    public var frames: Int64
    /// Packets that were damaged and concealed.
    public var concealedCount: Int64 { statistics.concealedFrames }
    /// What became of the packets.
    public var statistics: DecodingStatistics
    /// The first hundred damages.
    public var damages: [DecodingDamage]
    /// Samples beyond full scale, where the output holds integers.
    public var clippedCount: Int
    public var warnings: [String]
  }

  /// Decodes an AAC file to a PCM file, whose type follows the extension.
  ///
  /// - Throws: as for encoding.
  @discardableResult
  public static func decode(
    _ path: String, to outputPath: String, _ encoding: SampleEncoding = .int16, sampleRate: Int? = nil,
    channelCount: Int? = nil, downmix: DownmixChoice = .stream,
    options: AACReader.Options = AACReader.Options(), replacing: Bool = false,
    cancellation: Cancellation? = nil, progress: (Progress) -> Void = { _ in }
  ) throws(AACKitError) -> DecodeSummary {
    guard let type = AudioFileType(path: outputPath) else {
      throw AACKitError(.unsupported("the name does not tell the type of the file"), path: outputPath)
    }
    let file = try AtomicFile(outputPath, replacing: replacing, inputs: [path])
    let reader = try AACReader(path: path, options: options, cancellation: cancellation)
    let sound = try AudioFile.adapt(
      reader, sampleRate: sampleRate, channelCount: channelCount, downmix: downmix)
    let writer: AudioFileWriter
    do {
      writer = try AudioFileWriter(
        path: file.writingPath, named: outputPath, type, sound.format, encoding,
        expectedFrames: sound.frameCount)
    } catch { throw AACKitError(.audioFile(error), path: outputPath) }
    try copy(sound, to: writer, cancellation: cancellation, progress: progress)
    try file.commit()
    return DecodeSummary(
      format: sound.format, frames: writer.frameCount, statistics: reader.statistics,
      damages: reader.damages, clippedCount: writer.clippedCount, warnings: reader.warnings)
  }

  /// The container that a path's extension means.
  static func container(for path: String) -> ContainerFormat? {
    guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return nil }
    return ContainerFormat(fileExtension: String(path[path.index(after: dot)...]))
  }
}
