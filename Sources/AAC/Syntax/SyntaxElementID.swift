/// id_syn_ele: what comes next in a raw_data_block (table 4.71).
enum SyntaxElementID: Int, Sendable {
  case singleChannel = 0  // ID_SCE
  case channelPair = 1  // ID_CPE
  case couplingChannel = 2  // ID_CCE
  case lowFrequency = 3  // ID_LFE
  case dataStream = 4  // ID_DSE
  case programConfig = 5  // ID_PCE
  case fill = 6  // ID_FIL
  case end = 7  // ID_END

  static let bits = 3

  init(parsing bits: inout BitReader) throws(AACError) {
    self = Self(rawValue: try bits.uint(Self.bits)) ?? .end
  }

  func write(to bits: inout BitWriter) { bits.put(rawValue, Self.bits) }
}
