/// A picture file of 8-bit palette indices, without compression.
enum PNG {
  static func encode(_ rows: [[UInt8]], palette: [(red: UInt8, green: UInt8, blue: UInt8)]) -> [UInt8] {
    var head = number(UInt32(rows.first?.count ?? 0)) + number(UInt32(rows.count))
    head += [8, 3, 0, 0, 0]  // depth, palette, and the only methods there are
    var pixels: [UInt8] = []
    for row in rows { pixels += [0] + row }
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", head)
      + chunk("PLTE", palette.flatMap { [$0.red, $0.green, $0.blue] }) + chunk("IDAT", stored(pixels))
      + chunk("IEND", [])
  }

  private static func number(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
    let content = [UInt8](name.utf8) + body
    return number(UInt32(body.count)) + content + number(checksum(content))
  }

  /// CRC-32.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    let table = (0..<256 as Range<UInt32>).map { start in
      (0..<8).reduce(start) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }
    return ~bytes.reduce(UInt32.max) { $0 >> 8 ^ table[Int(($0 ^ UInt32($1)) & 0xFF)] }
  }

  /// A zlib stream of stored blocks.
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var output: [UInt8] = [0x78, 0x01]
    var start = 0
    repeat {
      let end = min(bytes.count, start + 0xFFFF)
      let count = UInt16(end - start)
      output.append(end == bytes.count ? 1 : 0)
      for value in [count, ~count] {
        output += [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
      }
      output += bytes[start..<end]
      start = end
    } while start < bytes.count
    var (low, high) = (UInt32(1), UInt32(0))  // Adler-32
    for byte in bytes {
      low = (low + UInt32(byte)) % 65521
      high = (high + low) % 65521
    }
    return output + number(high << 16 | low)
  }
}
