/// bs_sbr_crc_bits: ten bits over the rest of the payload, generator x¹⁰ + x⁹ + x⁵ + x⁴ + x + 1.
enum SBRChecksum {
  static let bitCount = 10
  private static let generator: UInt32 = 0x233

  /// The checksum of the next `count` bits, or of all that `bits` has left.
  static func compute(_ bits: BitReader, count: Int? = nil) throws(AACError) -> Int {
    var bits = bits
    var register: UInt32 = 0
    for _ in 0..<(count ?? bits.remaining) {
      let bit = try bits.uint(1)
      let top = register >> 9 & 1
      register = register << 1 & 0x3FF
      if top != UInt32(bit) { register ^= generator }
    }
    return Int(register)
  }
}
