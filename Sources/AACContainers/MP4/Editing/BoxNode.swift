/// A box in memory with what is in it, to be changed and written again. What is not changed comes out as it was.
struct BoxNode: Equatable {
  var type: FourCC
  /// The size has 64 bits.
  var hasLongHeader = false
  /// In front of the children: version and flags of a `meta`.
  var prefix: [UInt8] = []
  /// `nil`: the box is not looked into.
  var children: [BoxNode]?
  /// All of the content, or what follows the children.
  var content: [UInt8] = []
  /// Content that stays in the file: a long table that nothing here looks into.
  private var kept: Range<Int64>?

  private static let containers: Set<FourCC> = ["moov", "trak", "mdia", "minf", "stbl", "udta", "meta"]
  private static let deepest = 6
  private static let tables: Set<FourCC> = ["stsz", "stz2", "stts", "stsc", "ctts", "stss", "sbgp", "sdtp"]
  /// What is no longer than this is loaded, whatever it is.
  private static let smallBox: Int64 = 1 << 16

  init(_ type: FourCC, content: [UInt8]) {
    self.type = type
    self.content = content
  }

  init(_ type: FourCC, children: [BoxNode]) {
    self.type = type
    self.children = children
  }

  /// The first box in `bytes`, a whole one.
  init?(_ bytes: [UInt8]) {
    guard let box = BoxSlice.list(bytes, bytes.indices)?.boxes.first else { return nil }
    self.init(bytes, box, depth: 0)
  }

  /// A box of a file, without its long tables; `nil` where it cannot be read.
  init?(_ box: Box, in window: ByteWindow) throws(ContainerError) {
    try self.init(box, in: window, depth: 0)
  }

  private init?(_ box: Box, in window: ByteWindow, depth: Int) throws(ContainerError) {
    let isLong = box.end - box.start > Self.smallBox
    if isLong, Self.tables.contains(box.type) {
      self.init(box.type, content: [])
      hasLongHeader = box.content - box.start == 16
      kept = box.content..<box.end
      return
    }
    if isLong, box.type != "meta", Self.containers.contains(box.type), depth < Self.deepest,
      let (list, end) = try Self.children(of: box, in: window, depth: depth)
    {
      self.init(box.type, children: list)
      hasLongHeader = box.content - box.start == 16
      content = try window.whole(from: end, to: box.end)
      return
    }
    let bytes = try window.whole(from: box.start, to: box.end)
    guard let slice = BoxSlice.list(bytes, bytes.indices)?.boxes.first else { return nil }
    self.init(bytes, slice, depth: depth)
  }

  /// The boxes in a box, and where the last one ends; `nil` where they do not fit into it.
  private static func children(
    of box: Box, in window: ByteWindow, depth: Int
  ) throws(ContainerError) -> (list: [BoxNode], end: Int64)? {
    var cursor = BoxCursor(box)
    var list: [BoxNode] = []
    var end = box.content
    do throws(ContainerError) {
      while let child = try cursor.next(in: window) {
        guard let node = try BoxNode(child, in: window, depth: depth + 1) else { return nil }
        list.append(node)
        end = child.end
      }
    } catch {
      guard case .malformed = error.reason else { throw error }
      return nil
    }
    return (list, end)
  }

  private init(_ bytes: [UInt8], _ box: BoxSlice, depth: Int) {
    type = box.type
    hasLongHeader = box.content - box.start == 16
    var start = box.content
    if box.type == "meta" {
      // QuickTime leaves version and flags out.
      let second = box.end - start >= 8 ? FourCC(UInt32(BoxSlice.number(bytes, start + 4, 4))) : "none"
      if !["hdlr", "ilst", "free", "keys"].contains(second), box.end - start >= 4 {
        prefix = [UInt8](bytes[start..<start + 4])
        start += 4
      }
    }
    guard Self.containers.contains(box.type), depth < Self.deepest,
      let list = BoxSlice.list(bytes, start..<box.end)
    else {
      prefix = []
      content = [UInt8](bytes[box.content..<box.end])
      return
    }
    children = list.boxes.map { BoxNode(bytes, $0, depth: depth + 1) }
    content = [UInt8](bytes[list.end..<box.end])
  }

  var byteCount: Int {
    (hasLongHeader ? 16 : 8) + prefix.count + content.count + (kept?.count ?? 0)
      + (children?.reduce(0) { $0 + $1.byteCount } ?? 0)
  }

  func write(to parts: inout EditParts) {
    var head = ByteBuilder()
    head.uint32(hasLongHeader ? 1 : Int64(byteCount))
    head.fourCC(type)
    if hasLongHeader { head.uint64(Int64(byteCount)) }
    head.append(prefix)
    parts.append(head.bytes)
    for child in children ?? [] { child.write(to: &parts) }
    if let kept { parts.append(old: kept) }
    parts.append(content)
  }

  /// The first child of a type.
  subscript(type: FourCC) -> BoxNode? { children?.first { $0.type == type } }

  func indices(of type: FourCC) -> [Int] {
    children?.indices.filter { children?[$0].type == type } ?? []
  }

  /// Changes all boxes of a type, those in children too.
  mutating func forEach(
    _ type: FourCC, _ change: (inout BoxNode) throws(ContainerError) -> Void
  ) throws(ContainerError) {
    if self.type == type { try change(&self) }
    guard var list = children else { return }
    children = nil
    for index in list.indices { try list[index].forEach(type, change) }
    children = list
  }

  /// Changes the children of a type.
  mutating func changeChildren(
    _ type: FourCC, _ change: (inout BoxNode) throws(ContainerError) -> Void
  ) throws(ContainerError) {
    guard var list = children else { return }
    children = nil
    for index in list.indices where list[index].type == type { try change(&list[index]) }
    children = list
  }

  /// Whether a box of a type is in it.
  func contains(_ type: FourCC) -> Bool {
    self.type == type || children?.contains { $0.contains(type) } == true
  }

  /// The number that a track's header gives it.
  var trackID: UInt32? {
    guard let header = self["tkhd"]?.content, let version = header.first else { return nil }
    let place = version == 1 ? 20 : 12
    return header.count >= place + 4 ? UInt32(BoxSlice.number(header, place, 4)) : nil
  }
}
