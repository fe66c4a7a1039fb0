/// Whether an MP4 file is made of boxes from its start to its end.
package enum BoxCheck {
  private static let usual: Set<FourCC> = [
    "ftyp", "moov", "moof", "mdat", "free", "skip", "wide", "styp", "sidx", "ssix", "mfra", "emsg", "prft",
    "uuid",
    "meta", "pdin", "udta",
  ]

  /// Where something else than the usual boxes begins; `nil` where all is well. A last box that is cut off is one.
  package static func firstStrangeByte(in source: any ByteSource) throws(ContainerError) -> Int64? {
    let window = ByteWindow(source)
    var cursor = BoxCursor(from: try TagBlock.endOfLeadingTags(in: window), to: nil, in: nil)
    while true {
      let position = cursor.position
      do throws(ContainerError) {
        guard let box = try cursor.next(in: window) else {
          return source.length == position ? nil : position
        }
        if !usual.contains(box.type) { return position }
      } catch {
        if case .malformed = error.reason { return position }
        throw error
      }
    }
  }

  /// Whether there is a place for sound (`mdat`) in front of anything damaged.
  package static func holdsSound(_ source: any ByteSource) -> Bool {
    (try? MediaData(in: ByteWindow(source))) != nil
  }
}
