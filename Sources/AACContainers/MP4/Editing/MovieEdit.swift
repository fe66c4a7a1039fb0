/// Changes to the `moov` box of a file, in memory.
struct MovieEdit {
  var root: BoxNode
  /// Tracks that were taken out.
  private(set) var removedTracks: Set<UInt32> = []

  init(_ root: BoxNode) { self.root = root }

  // MARK: Tags

  /// Puts `tags` in place of all tags that are there. Other things beside them stay.
  ///
  /// - Parameter gapless: the boxes with priming and padding, which stay as they were.
  mutating func set(_ tags: Tags, gapless: [UInt8]) throws(ContainerError) {
    let list = BoxNode("ilst", content: MetadataItems.listContent(tags).bytes + gapless)
    var isPlaced = false
    func change(_ meta: inout BoxNode) throws(ContainerError) {
      guard let children = meta.children else {
        throw ContainerError(.malformed("the box meta is damaged"))
      }
      if let handler = meta["hdlr"]?.content, handler.count >= 12,
        MetadataItems.isKeyed(handler: FourCC(UInt32(BoxSlice.number(handler, 8, 4))))
      {
        return
      }
      let place = children.firstIndex { $0.type == "ilst" }
      // Room that was left in it goes, and comes again behind the tables.
      meta.children = children.filter { !["ilst", "free", "skip"].contains($0.type) }
      guard !isPlaced else { return }
      isPlaced = true
      let kept = children.prefix(place ?? children.count).count { !["free", "skip"].contains($0.type) }
      meta.children?.insert(list, at: kept)
    }
    for index in root.indices(of: "udta") {
      guard var data = root.children?[index] else { continue }
      guard data.children != nil else { throw ContainerError(.malformed("the box udta is damaged")) }
      try data.changeChildren("meta", change)
      root.children?[index] = data
    }
    try root.changeChildren("meta", change)
    guard !isPlaced else { return }
    var meta = ByteBuilder()
    MetadataItems.putMeta(list.content, to: &meta)
    if let node = BoxNode(meta.bytes) { addToUserData(node) }
  }

  private mutating func addToUserData(_ node: BoxNode) {
    if let index = root.indices(of: "udta").first {
      root.children?[index].children?.append(node)
    } else {
      root.children?.append(BoxNode("udta", children: [node]))
    }
  }

  // MARK: Chapters

  /// Takes out both forms of chapters. Tracks of pictures stay, and are referred to as before.
  mutating func removeChapters(texts: Set<UInt32>) throws(ContainerError) {
    try root.forEach("udta") { $0.children?.removeAll { $0.type == "chpl" } }
    root.children?.removeAll { $0.type == "trak" && $0.trackID.map(texts.contains) == true }
    removedTracks.formUnion(texts)
    try changeReferences { (_, ids) in ids.filter { !texts.contains($0) } }
  }

  /// The list, and the reference of the sound's track to that of the names where there is to be one.
  ///
  /// - Returns: the number of the new track.
  mutating func addChapters(_ chapters: [Chapter], to track: UInt32, hasTrack: Bool) throws(ContainerError)
    -> Int
  {
    var list = ByteBuilder()
    ChapterList.write(chapters, to: &list)
    if let node = BoxNode(list.bytes) { addToUserData(node) }
    guard hasTrack else { return 0 }
    let used = root.indices(of: "trak").compactMap { root.children?[$0].trackID }
    guard let largest = used.max(), largest < .max - 1 else {
      throw ContainerError(.unsupported("adding a track to this file"))
    }
    let id = largest + 1
    try root.forEach("mvhd") { (header) throws(ContainerError) in
      let place = header.content.count - 4
      guard place >= 0, BoxSlice.number(header.content, place, 4) <= UInt64(id) else { return }
      var bytes = ByteBuilder()
      bytes.uint32(Int64(id) + 1)
      header.content.replaceSubrange(place..., with: bytes.bytes)
    }
    try changeReferences { (owner, ids) in owner == track ? [id] + ids : ids }
    return Int(id)
  }

  /// Changes the tracks with chapters (`tref/chap`) that each track refers to.
  private mutating func changeReferences(
    _ change: (UInt32, [UInt32]) -> [UInt32]
  ) throws(ContainerError) {
    try root.forEach("trak") { (trak) throws(ContainerError) in
      guard let owner = trak.trackID, let children = trak.children else { return }
      let place = children.firstIndex { $0.type == "tref" }
      let content = place.map { children[$0].content } ?? []
      guard let list = BoxSlice.list(content, content.indices) else { return }
      var ids: [UInt32] = []
      var references = ByteBuilder()
      for box in list.boxes {
        if box.type == "chap" {
          let places = stride(from: box.content, to: box.end - 3, by: 4)
          ids += places.map { UInt32(BoxSlice.number(content, $0, 4)) }
        } else {
          references.append([UInt8](content[box.range]))
        }
      }
      let changed = change(owner, ids)
      guard changed != ids else { return }
      if !changed.isEmpty { references.box("chap") { for id in changed { $0.uint32(Int64(id)) } } }
      if let place { trak.children?.remove(at: place) }
      guard references.count > 0 else { return }
      let behind = (trak.children?.firstIndex { $0.type == "tkhd" } ?? -1) + 1
      trak.children?.insert(BoxNode("tref", content: references.bytes), at: behind)
    }
  }

  // MARK: Offsets

  /// The same with all chunk offsets changed by `map`. Tables that are too narrow for theirs get 64 bits.
  func withOffsets(_ map: (UInt64) throws(ContainerError) -> UInt64) throws(ContainerError) -> BoxNode {
    var root = root
    try root.forEach("stbl") { (table) throws(ContainerError) in
      guard var boxes = table.children else { return }
      for index in boxes.indices where boxes[index].type == "stco" || boxes[index].type == "co64" {
        let content = boxes[index].content
        let width = boxes[index].type == "co64" ? 8 : 4
        guard content.count >= 8 else { continue }
        let count = min(Int(BoxSlice.number(content, 4, 4)), (content.count - 8) / width)
        var offsets: [UInt64] = []
        offsets.reserveCapacity(count)
        for entry in 0..<count {
          offsets.append(try map(BoxSlice.number(content, 8 + entry * width, width)))
        }
        let isLarge = width == 8 || offsets.contains { $0 > UInt64(UInt32.max) }
        var bytes = ByteBuilder()
        bytes.append([UInt8](content[..<8]))
        for offset in offsets { bytes.put(offset, isLarge ? 8 : 4) }
        // What follows the entries has no meaning, but is left there.
        bytes.append([UInt8](content[(8 + count * width)...]))
        boxes[index].content = bytes.bytes
        if isLarge { boxes[index].type = "co64" }
      }
      table.children = boxes
    }
    return root
  }
}
