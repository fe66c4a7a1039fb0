/// The description of groups of samples that need others in front of them (`sgpd` of the type `roll`: ISO/IEC 14496-12,
/// 8.9.3 and 10.1).
enum RollGroups {
  private static let mostEntries: UInt32 = 16
  private static let furthest = 64

  /// How many samples in front have to be decoded for the sake of a later one, at most; 0 for groups of another type.
  static func distance(_ box: Box, in window: ByteWindow) throws(ContainerError) -> Int {
    var parser = try window.parser(of: box, limit: 256)
    let version = try parser.uint8()
    try parser.skip(3)
    guard try parser.fourCC() == "roll" else { return 0 }
    let length = version >= 1 ? try parser.uint32() : 2
    if version >= 2 { try parser.skip(4) }  // default_group_description_index
    var distance = 0
    for _ in 0..<min(try parser.uint32(), mostEntries) {
      let size = length == 0 ? try parser.uint32() : length
      guard size >= 2, size <= UInt32(parser.remaining) else { break }
      let roll = Int16(truncatingIfNeeded: try parser.uint16())
      try parser.skip(Int(size) - 2)
      if roll < 0 { distance = max(distance, -Int(roll)) }
    }
    return min(distance, furthest)
  }
}
