@testable import AACContainers

/// Makes Flash video of every shape.
struct FLVMaker {
  private(set) var bytes: [UInt8] = []
  private(set) var places: [Int] = []

  init(headerLength: Int = 9) {
    bytes = Array("FLV".utf8) + [1, 5, 0, 0, 0, UInt8(headerLength)]
    bytes += [UInt8](repeating: 0, count: headerLength - 9 + 4)
  }

  mutating func tag(_ type: UInt8, _ body: [UInt8], time: Int = 0) {
    places.append(bytes.count)
    var tag = ByteBuilder()
    tag.uint8(Int(type))
    tag.put(UInt64(body.count), 3)
    tag.put(UInt64(time & 0xFF_FFFF), 3)
    tag.uint8(time >> 24 & 0xFF)
    tag.put(0, 3)
    tag.append(body)
    tag.put(UInt64(body.count + 11), 4)
    bytes += tag.bytes
  }

  mutating func configuration(_ bytes: [UInt8], time: Int = 0) { tag(8, [0xAF, 0] + bytes, time: time) }
  mutating func unit(_ bytes: [UInt8], time: Int = 0) { tag(8, [0xAF, 1] + bytes, time: time) }
}
