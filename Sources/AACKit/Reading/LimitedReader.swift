public import AudioFiles
public import PCM

/// The next so many frames of another reader.
public final class LimitedReader: AudioReader {
  let source: any AudioReader
  private var left: Int64

  /// - Parameters:
  ///   - frames: how many are read at most.
  ///   - passed: how many of the source's frames have been read or skipped before.
  public init(_ source: any AudioReader, frames: Int64, passed: Int64 = 0) {
    self.source = source
    left = max(0, frames)
    let rest = source.frameCount.map { max(0, $0 - passed) }
    frameCount = rest.map { min($0, max(0, frames)) }
  }

  public var format: PCMFormat { source.format }
  public let frameCount: Int64?
  public var warnings: [String] { source.warnings }

  public func read(_ frames: Int, into buffer: inout PCMBuffer) throws(AudioFileError) -> Int {
    let count = Int(min(Int64(max(0, frames)), left))
    guard count > 0 else {
      buffer.resize(to: 0, format: format)
      return 0
    }
    let got = try source.read(count, into: &buffer)
    left -= Int64(got)
    return got
  }
}
