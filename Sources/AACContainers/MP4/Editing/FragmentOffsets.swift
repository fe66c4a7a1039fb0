/// Places outside of `moov` where a fragmented file says at which byte something is.
struct FragmentOffsets {
  /// A number of the file that is to become another one.
  struct Patch: Equatable {
    var offset: Int64
    var bytes: [UInt8]
  }

  private static let largestBox: Int64 = 16 << 20

  private(set) var patches: [Patch] = []

  /// - Parameter map: the new place of what was at an old one.
  init(
    _ boxes: [Box], in window: ByteWindow, map: (UInt64) throws(ContainerError) -> UInt64
  ) throws(ContainerError) {
    for box in boxes where box.type == "moof" || box.type == "mfra" {
      guard box.end - box.start <= Self.largestBox else {
        throw ContainerError(.unsupported("a box \(box.type) this large"), at: box.start, advice: .remuxFirst)
      }
      let bytes = try window.whole(from: box.content, to: box.end)
      guard let children = BoxSlice.list(bytes, bytes.indices)?.boxes else {
        throw ContainerError(.malformed("the box \(box.type) is damaged"), at: box.start)
      }
      for child in children {
        if child.type == "traf" {
          try addBase(in: child, bytes, at: box.content, map)
        } else if child.type == "tfra" {
          try addEntries(of: child, bytes, at: box.content, map)
        }
      }
    }
  }

  private mutating func add(
    _ place: Int, width: Int, _ bytes: [UInt8], at start: Int64,
    _ map: (UInt64) throws(ContainerError) -> UInt64
  ) throws(ContainerError) {
    let old = BoxSlice.number(bytes, place, width)
    let new = try map(old)
    guard new != old else { return }
    guard width == 8 || new <= UInt64(UInt32.max) else {
      throw ContainerError(
        .unsupported("moving fragments beyond 4 GB"), at: start + Int64(place), advice: .remuxFirst)
    }
    var patch = ByteBuilder()
    patch.put(new, width)
    patches.append(Patch(offset: start + Int64(place), bytes: patch.bytes))
  }

  /// `tfhd` may say where the data of its track starts.
  private mutating func addBase(
    in traf: BoxSlice, _ bytes: [UInt8], at start: Int64, _ map: (UInt64) throws(ContainerError) -> UInt64
  ) throws(ContainerError) {
    for child in BoxSlice.list(bytes, traf.content..<traf.end)?.boxes ?? []
    where child.type == "tfhd" && child.end - child.content >= 16 {
      guard BoxSlice.number(bytes, child.content, 4) & 1 != 0 else { continue }
      try add(child.content + 8, width: 8, bytes, at: start, map)
    }
  }

  /// `tfra` lists where fragments are.
  private mutating func addEntries(
    of box: BoxSlice, _ bytes: [UInt8], at start: Int64, _ map: (UInt64) throws(ContainerError) -> UInt64
  ) throws(ContainerError) {
    guard box.end - box.content >= 16 else { return }
    let width = bytes[box.content] == 1 ? 8 : 4
    let lengths = Int(BoxSlice.number(bytes, box.content + 8, 4))
    let numbers = (lengths >> 4 & 3) + (lengths >> 2 & 3) + (lengths & 3) + 3
    let size = 2 * width + numbers
    let count = min(Int(BoxSlice.number(bytes, box.content + 12, 4)), (box.end - box.content - 16) / size)
    for index in 0..<count {
      try add(box.content + 16 + index * size + width, width: width, bytes, at: start, map)
    }
  }
}
