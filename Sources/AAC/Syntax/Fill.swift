/// `fill_element()`: padding, or extension payloads behind a channel element (table 4.11).
struct Fill: Equatable, Sendable {
  /// Most bytes that one element carries.
  static let largestCount = 269
  /// extension_type and the bytes of EXT_FILL_DATA.
  static let padding: (first: Int, others: Int) = (0b0001_0000, 0b1010_0101)

  /// Place of the element's bytes, as they are, in the block's `bytes`.
  var bytes = 0..<0
  /// Places of the payloads in the block's `extensions`.
  var extensions = 0..<0
}

extension Fill {
  /// Reads the element after its id, keeps its bytes and lists its payloads. A payload that does not make
  /// sense hides what follows in this element, and nothing else.
  init(
    parsing bits: inout BitReader, into bytes: inout [UInt8], extensions: inout [ExtensionPayload]
  ) throws(AACError) {
    var count = try bits.uint(4)
    if count == 15 { count += try bits.uint(8) - 1 }
    guard count * 8 <= bits.remaining else { throw bits.shortage(of: count * 8) }
    let end = bits.position + count * 8
    var payloads = bits
    let firstByte = bytes.count
    for _ in 0..<count { bytes.append(UInt8(truncatingIfNeeded: try bits.uint(8))) }
    self.bytes = firstByte..<bytes.count
    let first = extensions.count
    while payloads.position + ExtensionPayload.typeBits <= end {
      guard let payload = try? ExtensionPayload(parsing: &payloads, end: end) else { break }
      extensions.append(payload)
    }
    self.extensions = first..<extensions.count
  }

  /// Writes an element that carries `data`, after its id.
  static func write(_ data: ArraySlice<UInt8>, to bits: inout BitWriter) {
    putCount(data.count, to: &bits)
    for byte in data { bits.put(Int(byte), 8) }
  }

  private static func putCount(_ count: Int, to bits: inout BitWriter) {
    assert(count <= largestCount)
    bits.put(min(count, 15), 4)
    if count >= 15 { bits.put(count - 14, 8) }
  }

  /// Writes padding elements, ids included, that take as much of `byteCount` bytes as elements can: an
  /// element has seven bits and whole bytes, so at most seven bits (fifteen in rare cases) are left over.
  ///
  /// - Returns: the bits written.
  @discardableResult
  static func write(byteCount: Int, to bits: inout BitWriter) -> Int {
    write(bitCount: byteCount * 8, to: &bits)
  }

  /// As `write(byteCount:)`, for any number of bits.
  @discardableResult
  static func write(bitCount: Int, to bits: inout BitWriter) -> Int {
    var rest = bitCount
    while rest >= 7 {
      var room = min((rest - 7) / 8, largestCount + 1)
      // Fifteen bytes do not exist: the count grows by a byte there.
      if room == 15 { room = 14 }
      let count = room > 15 ? room - 1 : room
      SyntaxElementID.fill.write(to: &bits)
      putCount(count, to: &bits)
      for index in 0..<count { bits.put(index == 0 ? padding.first : padding.others, 8) }
      rest -= 7 + room * 8
    }
    return bitCount - rest
  }
}
