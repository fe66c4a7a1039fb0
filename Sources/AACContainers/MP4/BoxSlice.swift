/// A box in bytes that are in memory.
struct BoxSlice {
  var type: FourCC
  var start: Int
  var content: Int
  var end: Int

  var range: Range<Int> { start..<end }

  /// The boxes in a part of `bytes`, and where the last one ends; `nil` where one reaches out of that part.
  static func list(_ bytes: [UInt8], _ range: Range<Int>) -> (boxes: [BoxSlice], end: Int)? {
    var boxes: [BoxSlice] = []
    var place = range.lowerBound
    while range.upperBound - place >= 8 {
      let type = FourCC(UInt32(truncatingIfNeeded: number(bytes, place + 4, 4)))
      var size = number(bytes, place, 4)
      var header = 8
      if size == 0 {
        // QuickTime ends some lists with a zero word.
        if type.value == 0 { break }
        size = UInt64(range.upperBound - place)
      } else if size == 1 {
        guard range.upperBound - place >= 16 else { return nil }
        size = number(bytes, place + 8, 8)
        header = 16
      }
      guard size >= UInt64(header), size <= UInt64(range.upperBound - place) else { return nil }
      boxes.append(BoxSlice(type: type, start: place, content: place + header, end: place + Int(size)))
      place += Int(size)
    }
    return (boxes, place)
  }

  /// The unsigned number of `count` (1…8) bytes at `place`, which all have to be there.
  static func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> UInt64 {
    var value: UInt64 = 0
    for index in place..<place + count { value = value << 8 | UInt64(bytes[index]) }
    return value
  }
}

extension ByteWindow {
  /// All bytes from `start` to `end`, read in blocks past the window.
  func whole(from start: Int64, to end: Int64) throws(ContainerError) -> [UInt8] {
    let block = 1 << 20
    var bytes: [UInt8] = []
    while start + Int64(bytes.count) < end {
      let place = start + Int64(bytes.count)
      let part = try source.read(at: place, count: Int(min(end - place, Int64(block))))
      guard !part.isEmpty else { throw ContainerError(.truncated("the file"), at: place) }
      bytes += part
    }
    return bytes
  }
}
