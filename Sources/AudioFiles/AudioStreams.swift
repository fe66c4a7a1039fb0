public import PCM

/// What a file says about its sound: `title`, `artist`, … and text.
public struct AudioTag: Equatable, Sendable {
  public var key: String
  public var value: String

  public init(key: String, value: String) {
    self.key = key
    self.value = value
  }
}

/// A source of PCM, read from start to end.
public protocol AudioReader: AnyObject {
  var format: PCMFormat { get }
  /// Frames in all; `nil` where only the end will tell.
  var frameCount: Int64? { get }
  /// Remarks on the input that do not stop the work.
  var warnings: [String] { get }
  /// What the file says about the sound.
  var tags: [AudioTag] { get }
  /// Pictures that belong to it (JPEG, PNG), as they are stored, the front cover first.
  var pictures: [[UInt8]] { get }

  /// Reads up to `frames` frames into `buffer`, which gets the reader's format, and returns how many there
  /// were: 0 only at the end.
  func read(_ frames: Int, into buffer: inout PCMBuffer) throws(AudioFileError) -> Int
}

extension AudioReader {
  public var warnings: [String] { [] }
  public var tags: [AudioTag] { [] }
  public var pictures: [[UInt8]] { [] }
}

/// A sink of PCM.
public protocol AudioWriter: AnyObject {
  /// Frames written so far.
  var frameCount: Int64 { get }
  /// Samples that did not fit the integers of the file.
  var clippedCount: Int { get }

  /// Writes all frames of `buffer`, which must have the writer's format.
  func write(_ buffer: PCMBuffer) throws(AudioFileError)

  /// Completes the file. Nothing can be written after it.
  func close() throws(AudioFileError)
}
