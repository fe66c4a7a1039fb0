import AACContainers

/// Puts the packets of parts one behind the other, as far as possible without what is between them.
///
/// The last packets of a part are held back until the next one has begun. Where both were cut from one stream and hold
/// the same packets around the cut, these are taken once and all of them are heard: no frame is lost or doubled. Else
/// the padding of the one and the priming of the other stay, told as such where the container can, and are made as short
/// as whole packets allow where it cannot.
struct PacketJoint {
  /// Packets that two parts of one stream may have in common, and that are held back.
  static let mostCommon = 16

  /// Whether the container says of packets in the middle how much of them is to be dropped.
  let tellsGaps: Bool
  /// Packets that are taken along to prepare the decoder, though nothing of them is heard.
  let lead: Int
  /// Frames that stay between parts.
  private(set) var gapFrames: Int64 = 0
  /// Joints at which packets in common were taken once.
  private(set) var seamlessCount = 0

  /// The end of the parts so far.
  private var tail: [Packet] = []

  init(tellsGaps: Bool, lead: Int) {
    self.tellsGaps = tellsGaps
    self.lead = lead
  }

  /// Takes the first packets of the next part, up to `mostCommon`, and gives back those that are to be written of
  /// what came before and of these.
  mutating func begin(_ head: [Packet]) -> [Packet] {
    guard !tail.isEmpty else { return hold(head) }
    let common = commonCount(head)
    if common > 0 {
      for (index, packet) in zip(tail.indices.suffix(common), head) { tail[index].padding = packet.padding }
      seamlessCount += 1
      return hold(Array(head.dropFirst(common)))
    }
    if tellsGaps { return hold(head) }
    tail.removeLast(tail.reversed().prefix { $0.padding >= $0.duration }.count)
    let silent = head.prefix { $0.priming >= $0.duration }.count
    var rest = Array(head.dropFirst(max(0, silent - lead)))
    if let last = tail.indices.last {
      gapFrames += Int64(tail[last].padding)
      tail[last].padding = 0
    }
    for index in rest.indices {
      gapFrames += Int64(rest[index].priming)
      rest[index].priming = 0
    }
    return hold(rest)
  }

  /// Takes a packet from the middle of a part; gives back what is to be written.
  mutating func add(_ packet: Packet) -> [Packet] { hold([packet]) }

  /// What is still to be written.
  mutating func finish() -> [Packet] {
    defer { tail = [] }
    return tail
  }

  private mutating func hold(_ packets: [Packet]) -> [Packet] {
    tail += packets
    let count = max(0, tail.count - Self.mostCommon)
    defer { tail.removeFirst(count) }
    return Array(tail.prefix(count))
  }

  /// How many packets end the one part and begin the other: those around one place of one stream.
  private func commonCount(_ head: [Packet]) -> Int {
    let duration = tail[0].duration
    let padding = Self.dropped(tail.reversed(), \.padding)
    let priming = Self.dropped(head, \.priming)
    guard duration > 0, (padding + priming) % duration == 0 else { return 0 }
    let count = (padding + priming) / duration
    guard count > 0, count <= tail.count, count <= head.count else { return 0 }
    return zip(tail.suffix(count), head).allSatisfy { $0.data == $1.data } ? count : 0
  }

  /// Frames that are dropped at an end of packets.
  private static func dropped(_ packets: some Sequence<Packet>, _ count: (Packet) -> Int) -> Int {
    var sum = 0
    for packet in packets {
      sum += count(packet)
      if count(packet) < packet.duration { break }
    }
    return sum
  }
}
