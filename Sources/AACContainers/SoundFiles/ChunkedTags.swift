/// The ID3 tag in a chunk of a WAV file (also RF64) or an AIFF file.
enum ChunkedTags {
  private static let mostChunks = 1024

  static func read(in window: ByteWindow, isBigEndian: Bool, into tags: inout Tags) throws(ContainerError) {
    var place: Int64 = 12
    /// Of RF64, whose chunk of samples does not tell it itself.
    var dataSize: Int64?
    for _ in 0..<mostChunks {
      guard let name = try window.number(4, at: place),
        var size = try number(4, at: place + 4, isBigEndian, in: window)
      else { return }
      switch FourCC(UInt32(name)) {
      case "ds64": dataSize = try number(8, at: place + 16, isBigEndian, in: window)
      case "data": if size == UInt32.max, let dataSize { size = dataSize }
      case "id3 ", "ID3 ":
        return try ID3Tags.read(at: place + 8, length: size, in: window, into: &tags)
      default: break
      }
      let (end, overflow) = (place + 8).addingReportingOverflow(size)
      guard !overflow, end < .max - 1 else { return }
      place = end + end % 2
    }
  }

  private static func number(
    _ count: Int, at place: Int64, _ isBigEndian: Bool, in window: ByteWindow
  ) throws(ContainerError) -> Int64? {
    guard let value = try window.number(count, at: place) else { return nil }
    return Int64(exactly: isBigEndian ? value : value.byteSwapped >> UInt64(64 - 8 * count))
  }
}
