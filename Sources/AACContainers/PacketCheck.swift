/// Mistakes in packets that would make a file which nothing can play.
enum PacketCheck {
  /// Refuses data that is no bare access unit: it still has its transport header.
  static func refuseFramed(_ data: [UInt8]) throws(ContainerError) {
    guard data.count >= ADTSHeader.byteCount else {
      if data.isEmpty { throw ContainerError(.misuse("the packet is empty")) }
      return
    }
    var word: UInt64 = 0
    for index in 0..<ADTSHeader.byteCount { word = word << 8 | UInt64(data[index]) }
    if let header = ADTSHeader(word), header.frameLength == data.count {
      throw ContainerError(.misuse("the packet still has its ADTS header; bare access units are wanted"))
    }
    if word >> 45 == LOASFramer.syncWord, Int(word >> 32 & 0x1FFF) + LOASFramer.headerLength == data.count {
      throw ContainerError(.misuse("the packet still has its LOAS header; bare access units are wanted"))
    }
  }
}
