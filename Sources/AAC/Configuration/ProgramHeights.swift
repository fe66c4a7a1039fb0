/// The height of each front, side and back element of a program config element: an extension in its comment
/// (ISO/IEC 14496-3, 4.5.1.2: height_extension_element).
struct ProgramHeights: Equatable, Sendable {
  enum Height: Int, Sendable {
    case normal = 0
    case top = 1
    case bottom = 2
  }

  private static let sync = 0xAC

  var front: [Height]
  var side: [Height]
  var back: [Height]

  init(front: [Height], side: [Height], back: [Height]) {
    self.front = front
    self.side = side
    self.back = back
  }

  /// `nil` where the comment is something else: no sync byte, a reserved height, a wrong checksum.
  init?(parsing comment: [UInt8], frontCount: Int, sideCount: Int, backCount: Int) {
    let byteCount = 1 + (2 * (frontCount + sideCount + backCount) + 7) / 8
    guard comment.count > byteCount, comment[0] == Self.sync else { return nil }
    guard Self.checksum(comment.prefix(byteCount)) == comment[byteCount] else { return nil }
    var heights: [Height] = []
    for index in 0..<frontCount + sideCount + backCount {
      let shift = UInt8(6 - index % 4 * 2)
      guard let height = Height(rawValue: Int(comment[1 + index / 4] >> shift & 3)) else { return nil }
      heights.append(height)
    }
    front = Array(heights[..<frontCount])
    side = Array(heights[frontCount..<frontCount + sideCount])
    back = Array(heights[(frontCount + sideCount)...])
  }

  /// The extension as comment bytes.
  var comment: [UInt8] {
    var bytes = [UInt8(Self.sync)]
    for (index, height) in (front + side + back).enumerated() {
      if index % 4 == 0 { bytes.append(0) }
      bytes[bytes.count - 1] |= UInt8(height.rawValue) << UInt8(6 - index % 4 * 2)
    }
    bytes.append(Self.checksum(bytes[...]))
    return bytes
  }

  /// x⁸ + x² + x + 1 from 0xFF on.  // height_info_crc_check
  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt8 {
    var register: UInt8 = 0xFF
    for byte in bytes {
      register ^= byte
      for _ in 0..<8 { register = register & 0x80 != 0 ? register << 1 ^ 0x07 : register << 1 }
    }
    return register
  }
}

extension ProgramConfig {
  /// Heights that differ from the listener's; `nil` where all are equal to it.
  var heights: ProgramHeights? {
    ProgramHeights(
      parsing: comment, frontCount: front.count, sideCount: side.count, backCount: back.count)
  }
}
