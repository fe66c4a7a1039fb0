import AAC

extension BitReader {
  /// LatmGetValue: one to four bytes, counted in front.
  mutating func latmValue() throws(AACError) -> Int {
    let count = try uint(2) + 1  // bytesForValue
    return try uint(8 * count)
  }

  /// The next `count` bits, moved to whole bytes and padded with zero bits.
  mutating func bytes(bits count: Int) throws(AACError) -> [UInt8] {
    guard count >= 0, count <= remaining else {
      throw failure(.truncated(missingBits: max(1, count - remaining)))
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity((count + 7) / 8)
    for _ in 0..<count / 8 { bytes.append(UInt8(truncatingIfNeeded: try uint(8))) }
    let rest = count % 8
    if rest > 0 { bytes.append(UInt8(truncatingIfNeeded: try uint(rest) << (8 - rest))) }
    return bytes
  }
}

extension BitWriter {
  mutating func put(latmValue value: Int) {
    let value = min(max(0, value), 0xFFFF_FFFF)
    let count = value < 1 << 8 ? 1 : value < 1 << 16 ? 2 : value < 1 << 24 ? 3 : 4
    put(count - 1, 2)
    put(value, 8 * count)
  }

  /// The first `count` bits of `bytes`, zero bits where there are fewer.
  mutating func put(bits count: Int, of bytes: [UInt8]) {
    for index in 0..<count / 8 { put(index < bytes.count ? Int(bytes[index]) : 0, 8) }
    let rest = count % 8
    guard rest > 0 else { return }
    put(count / 8 < bytes.count ? Int(bytes[count / 8]) >> (8 - rest) : 0, rest)
  }

  mutating func put(bytes: [UInt8]) {
    for byte in bytes { put(Int(byte), 8) }
  }
}

/// Appends `count` bytes that start at any bit of `bytes`; all of them must be there.
func appendShifted(_ bytes: [UInt8], from bitOffset: Int, count: Int, to target: inout [UInt8]) {
  guard count > 0 else { return }
  let first = bitOffset >> 3
  let shift = UInt8(truncatingIfNeeded: bitOffset & 7)
  if shift == 0 {
    target.append(contentsOf: bytes[first..<first + count])
    return
  }
  let start = target.count
  target.append(contentsOf: repeatElement(0, count: count))
  var left = bytes[first]
  for index in 0..<count {
    let right = bytes[first + index + 1]
    target[start + index] = left &<< shift | right &>> (8 - shift)
    left = right
  }
}
