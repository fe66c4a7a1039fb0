import AAC

/// The profile of streams that call themselves SSR.
///
/// Nothing is known to write SSR, while there are low-complexity streams whose headers have its number. Where
/// SSR is meant, a gain control tool shapes its four bands, and its data is in the channels' syntax, which is
/// that of LC otherwise. So a stream counts as LC where its first frames are whole LC access units without
/// gain control data; any other is left as it says.
enum ADTSProfile {
  /// Frames that are looked at.
  private static let frameCount = 8

  /// Whether `first`, whose header says SSR, and the frames behind it hold LC.
  ///
  /// - Parameter framer: stands behind `first`.
  static func isLowComplexity(
    _ first: ADTSFramer.Frame, _ framer: ADTSFramer, in window: ByteWindow
  ) throws(ContainerError) -> Bool {
    var configuration = try first.header.configuration()
    configuration.objectType = .lowComplexity
    guard var scanner = try? AccessUnitScanner(configuration) else { return false }
    var framer = framer
    var ignored = WarningList()
    var bytes: [UInt8] = []
    var frame = first
    for _ in 0..<frameCount {
      guard frame.header.steadyPart == first.header.steadyPart, frame.header.blockCount == 1 else {
        return false
      }
      bytes.removeAll(keepingCapacity: true)
      let start = frame.start + Int64(frame.header.headerLength)
      try window.append(max(0, Int(frame.end - start)), at: start, to: &bytes)
      guard (try? scanner.scan(bytes, range: 0..<bytes.count)) != nil, scanner.layout.byteCount == bytes.count
      else { return false }
      guard case .frame(let next) = try framer.next(in: window, warnings: &ignored) else { break }
      frame = next
    }
    return true
  }
}
