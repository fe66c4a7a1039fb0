/// `data_stream_element()`: bytes that belong to someone else (table 4.10).
struct DataStream: Equatable, Sendable {
  var tag = 0  // element_instance_tag
  var isAligned = false  // data_byte_align_flag
  /// Place of the bytes in the block's `bytes`.
  var bytes = 0..<0

  /// Most bytes that one element carries.
  static let largestCount = 510
}

extension DataStream {
  /// Reads the element after its id and appends its bytes to `bytes`.
  init(parsing bits: inout BitReader, into bytes: inout [UInt8]) throws(AACError) {
    tag = try bits.uint(4)
    isAligned = try bits.flag()
    var count = try bits.uint(8)
    if count == 255 { count += try bits.uint(8) }
    if isAligned { try bits.alignToByte() }
    guard count * 8 <= bits.remaining else { throw bits.shortage(of: count * 8) }
    let first = bytes.count
    for _ in 0..<count { bytes.append(UInt8(truncatingIfNeeded: try bits.uint(8))) }
    self.bytes = first..<bytes.count
  }

  /// Writes an element after its id. Alignment counts from the writer's start.
  static func write(
    tag: Int, aligned: Bool, _ data: ArraySlice<UInt8>, to bits: inout BitWriter
  ) {
    assert(data.count <= largestCount)
    bits.put(tag, 4)
    bits.put(aligned)
    bits.put(min(data.count, 255), 8)
    if data.count >= 255 { bits.put(data.count - 255, 8) }
    if aligned { bits.alignToByte() }
    for byte in data { bits.put(Int(byte), 8) }
  }
}
