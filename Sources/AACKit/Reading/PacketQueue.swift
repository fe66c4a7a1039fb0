import AAC
import AACContainers

/// Packets one after the other, the first few of which can be looked at before their turn.
struct PacketQueue {
  private enum Item {
    /// With the reader's count of configuration changes up to it.
    case packet(Packet, changes: Int)
    case failure(ContainerError)
    case end
  }

  let reader: any PacketReader
  /// The count of configuration changes up to the packet at hand.
  private(set) var configurationChanges: Int
  private var items: [Item] = []
  private var next = 0

  init(_ reader: any PacketReader) {
    self.reader = reader
    configurationChanges = reader.configurationChanges
  }

  /// Reads up to `count` packets of the first configuration and keeps them for their turn.
  ///
  /// - Returns: the data of those that are there.
  mutating func peek(_ count: Int) -> [[UInt8]] {
    var units: [[UInt8]] = []
    for _ in 0..<count {
      var packet = Packet(data: [], presentationTime: 0, duration: 0)
      do {
        guard try reader.nextPacket(into: &packet) else {
          items.append(.end)
          break
        }
        items.append(.packet(packet, changes: reader.configurationChanges))
        if reader.configurationChanges != configurationChanges { break }
        if !packet.data.isEmpty { units.append(packet.data) }
      } catch {
        items.append(.failure(error))
        break
      }
    }
    return units
  }

  /// As the reader's `seek`. What was looked at before its turn is dropped.
  mutating func seek(to time: Int64) throws(ContainerError) -> Int64? {
    guard let count = try reader.seek(to: time) else { return nil }
    items = []
    next = 0
    return count
  }

  /// As the reader's `nextPacket`.
  mutating func nextPacket(into packet: inout Packet) throws(ContainerError) -> Bool {
    guard next < items.count else {
      guard try reader.nextPacket(into: &packet) else { return false }
      configurationChanges = reader.configurationChanges
      return true
    }
    let item = items[next]
    next += 1
    if next == items.count {
      items = []
      next = 0
    }
    switch item {
    case .packet(let kept, let changes):
      packet = kept
      configurationChanges = changes
      return true
    case .failure(let error): throw error
    case .end: return false
    }
  }
}

extension AudioSpecificConfig {
  /// How many access units are looked at before it is settled whether there is replication or parametric stereo:
  /// one where waiting for more would delay a live stream.
  func preparationCount(isSeekable: Bool) -> Int {
    let isOpen =
      sbrPresent == nil || sbrPresent == true && psPresent == nil && elements.layout.channelCount < 2
    return isSeekable && isOpen ? 4 : 1
  }
}
