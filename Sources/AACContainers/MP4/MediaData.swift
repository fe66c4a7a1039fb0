/// Where the sound of an MP4 file lies that may have no tables: the largest `mdat` box, or what is there of it.
struct MediaData: Equatable {
  var start: Int64
  var end: Int64

  private static let boxLimit = 10_000

  /// `nil` where there is none. Sizes that were never filled in, and those that reach behind the file, mean its end.
  init?(in window: ByteWindow) throws(ContainerError) {
    guard let length = window.source.length else { return nil }
    var best: MediaData?
    var position: Int64 = 0
    for _ in 0..<Self.boxLimit {
      guard let head = try window.number(8, at: position) else { break }
      let type = FourCC(UInt32(truncatingIfNeeded: head))
      let told = try Self.size(Int64(head >> 32), at: position, in: window)
      let isWhole = told.size >= told.header && told.size <= length - position
      let end = isWhole ? position + told.size : length
      if type == "mdat" {
        var data = MediaData(start: min(position + told.header, end), end: end)
        // A header that was written first and never filled in.
        if isWhole, told.size == told.header, try !Self.isBox(at: end, in: window) { data.end = length }
        if data.end - data.start > (best.map { $0.end - $0.start } ?? 0) { best = data }
        if data.end == length { break }
      }
      guard isWhole, end > position else { break }
      position = end
    }
    guard let best else { return nil }
    self = best
  }

  private init(start: Int64, end: Int64) {
    self.start = start
    self.end = end
  }

  private static func size(
    _ short: Int64, at position: Int64, in window: ByteWindow
  ) throws(ContainerError) -> (size: Int64, header: Int64) {
    guard short == 1 else { return (short, 8) }
    guard let large = try window.number(8, at: position + 8) else { return (0, 8) }
    return (Int64(clamping: large), 16)
  }

  /// Whether something that looks like a box, or the end of the file, is there.
  private static func isBox(at position: Int64, in window: ByteWindow) throws(ContainerError) -> Bool {
    guard let head = try window.number(8, at: position) else { return true }
    let isName = (0..<4).allSatisfy { (0x20...0x7E).contains(UInt8(truncatingIfNeeded: head >> ($0 * 8))) }
    return isName && head >> 32 >= 8
  }
}
