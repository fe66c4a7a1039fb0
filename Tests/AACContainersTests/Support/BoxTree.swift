import AAC

@testable import AACContainers

/// The boxes of a file as a tree, to be written in another order or with other sizes.
struct BoxTree {
  enum SizeForm { case short, long, toTheEnd }

  var type: FourCC
  var content: [UInt8] = []
  var children: [BoxTree]?
  var form = SizeForm.short

  private static let containers: Set<FourCC> = ["moov", "trak", "mdia", "minf", "stbl", "edts", "mvex"]

  /// The boxes in bytes that are nothing but boxes.
  static func list(_ bytes: [UInt8]) throws -> [BoxTree] {
    guard let (boxes, end) = BoxSlice.list(bytes, 0..<bytes.count), end == bytes.count else {
      throw ContainerError(.malformed("no boxes"))
    }
    return try boxes.map { box in
      let content = Array(bytes[box.content..<box.end])
      return containers.contains(box.type)
        ? BoxTree(type: box.type, children: try list(content)) : BoxTree(type: box.type, content: content)
    }
  }

  var bytes: [UInt8] {
    let inner = children?.flatMap(\.bytes) ?? content
    var builder = ByteBuilder()
    switch form {
    case .short: builder.uint32(Int64(inner.count + 8))
    case .long: builder.uint32(1)
    case .toTheEnd: builder.uint32(0)
    }
    builder.fourCC(type)
    if form == .long { builder.uint64(Int64(inner.count + 16)) }
    builder.append(inner)
    return builder.bytes
  }

  /// The types in it, its own too.
  var types: Set<FourCC> { Set([type]).union((children ?? []).flatMap(\.types)) }

  /// All boxes of a type get another form.
  mutating func set(_ form: SizeForm, for wanted: FourCC) {
    if type == wanted { self.form = form }
    for index in (children ?? []).indices { children?[index].set(form, for: wanted) }
  }

  /// Changes every box of a type.
  mutating func change(_ wanted: FourCC, _ body: (inout BoxTree) -> Void) {
    if type == wanted { body(&self) }
    for index in (children ?? []).indices { children?[index].change(wanted, body) }
  }

  /// Puts the children of all boxes into another order.
  mutating func shuffle(_ random: inout SplitMix) {
    children?.shuffle(using: &random)
    for index in (children ?? []).indices { children?[index].shuffle(&random) }
  }
}
