/// bs_sbr_crc_bits: ten bits over the rest of the payload, generator x¹⁰ + x⁹ + x⁵ + x⁴ + x + 1.
enum SBRChecksum {
  static let bitCount = 10
  private static let generator: UInt32 = 0x233

  /// The checksum of all bits that `bits` has left.
  static func compute(_ bits: BitReader) throws(AACError) -> Int {
    var bits = bits
    var register: UInt32 = 0
    while bits.remaining > 0 {
      let bit = try bits.uint(1)
      let top = register >> 9 & 1
      register = register << 1 & 0x3FF
      if top != UInt32(bit) { register ^= generator }
    }
    return Int(register)
  }
}
