/// A stretch between two frames that is no frame.
enum DamagedGap {
  /// A hole of more than this many mean frames is a break in the stream, not a loss to be filled.
  private static let longestLoss = 8

  /// About how many frames were there, by the mean size of those before; `nil` for junk, which is none or too many.
  ///
  /// - Parameter name: what the frames are, for the warning.
  static func lostFrames(
    _ gap: Int, at start: Int64, frameBytes: Int64, frameCount: Int64, name: String,
    warnings: inout WarningList
  ) -> Int? {
    let mean = max(1, Int(frameBytes / max(1, frameCount)))
    // Whatever is not far below a frame was one, however small.
    let count = max((gap + mean / 2) / mean, 4 * gap >= mean ? 1 : 0)
    guard count >= 1, count <= longestLoss else {
      warnings.add(.junk, "\(gap) bytes that are no \(name) were passed over", at: start, skipped: Int64(gap))
      return nil
    }
    warnings.add(
      .lost, "\(gap) damaged bytes, about \(count) frames, were passed over", at: start, skipped: Int64(gap))
    return count
  }
}
