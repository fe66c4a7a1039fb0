/// Finds transport packets: alone (188 bytes), behind time stamps (192, Blu-ray and cameras) or in front of
/// error correction (204, broadcasting).
struct TransportFramer {
  private static let strides = [188, 192, 204]
  /// How far the sync bytes are looked for again before the next try.
  private static let reach: Int64 = 1 << 16

  /// Sync byte of the next packet.
  private(set) var position: Int64
  let stride: Int64
  private var bytes: [UInt8] = []

  /// - Parameter offset: where the data starts.
  /// - Returns: `nil` where it is no transport stream.
  init?(from offset: Int64, in window: ByteWindow) throws(ContainerError) {
    // Most streams start with a whole packet, whose neighbours are asked first.
    for (lead, stride) in [(0, 188), (4, 192), (0, 204)] as [(Int64, Int)]
    where try Self.isRegular(at: offset + lead, stride: stride, count: 4, mayEnd: true, in: window) {
      position = offset + lead
      self.stride = Int64(stride)
      return
    }
    for lead in 1..<Int64(Self.strides[2]) {
      guard try window.number(1, at: offset + lead) == UInt64(TransportPacket.syncByte) else { continue }
      for stride in Self.strides
      where try Self.isRegular(at: offset + lead, stride: stride, count: 10, mayEnd: false, in: window) {
        position = offset + lead
        self.stride = Int64(stride)
        return
      }
    }
    return nil
  }

  /// Sync bytes at equal distances; with `mayEnd` two packets suffice that the data ends with.
  private static func isRegular(
    at offset: Int64, stride: Int, count: Int64, mayEnd: Bool, in window: ByteWindow
  ) throws(ContainerError) -> Bool {
    for index in 0..<count {
      let place = offset + index * Int64(stride)
      guard let byte = try window.number(1, at: place) else {
        let length = Int64(TransportPacket.byteCount)
        guard mayEnd, index > 1 else { return false }
        return try window.available(Int(length), at: place - Int64(stride)) == length
      }
      if byte != UInt64(TransportPacket.syncByte) { return false }
    }
    return true
  }

  /// The next packet, with its bytes; `nil` at the end.
  mutating func next(
    in window: ByteWindow, warnings: inout WarningList
  ) throws(ContainerError) -> (packet: TransportPacket, bytes: [UInt8], start: Int64)? {
    while true {
      bytes.removeAll(keepingCapacity: true)
      let got = try window.append(TransportPacket.byteCount, at: position, to: &bytes)
      guard got == TransportPacket.byteCount else {
        if got > 0 {
          warnings.add(.cutOff, "the last transport packet has \(got) of 188 bytes", at: position)
          position += Int64(got)
        }
        return nil
      }
      if let packet = TransportPacket(bytes) {
        let start = position
        position += stride
        return (packet, bytes, start)
      }
      try resynchronise(in: window, warnings: &warnings)
    }
  }

  private mutating func resynchronise(
    in window: ByteWindow, warnings: inout WarningList
  ) throws(ContainerError) {
    let start = position
    var place = start + 1
    while try window.number(1, at: place) != nil, place < start + Self.reach {
      if try Self.isRegular(at: place, stride: Int(stride), count: 3, mayEnd: true, in: window) { break }
      place += 1
    }
    warnings.add(
      .junk, "\(place - start) bytes that are no transport packets were passed over", at: start,
      skipped: place - start)
    position = place
  }
}
