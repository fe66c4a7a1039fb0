/// Takes the metadata out of a station's stream: after every `interval` bytes of sound stands a byte with the length
/// of a block of text, in units of 16 bytes, and the block.
///
/// How the bytes are cut into chunks makes no difference. It holds one block of 4080 bytes at most.
public struct ICYDemultiplexer: Sendable {
  /// A block of metadata and its place: the sound bytes in front of it.
  public struct Block: Sendable, Equatable {
    public var position: Int64
    public var bytes: [UInt8]
  }

  private enum Place {
    case sound(left: Int)
    case length
    case block(left: Int)
  }

  /// Bytes of sound between two blocks; `nil` where there are none.
  public let interval: Int?
  private var place: Place
  private var position: Int64 = 0
  private var block: [UInt8] = []

  /// - Parameters:
  ///   - interval: what the server said as `icy-metaint`; below 1 counts as none.
  ///   - position: sound bytes that came before.
  public init(interval: Int?, position: Int64 = 0) {
    self.interval = interval.flatMap { $0 > 0 ? $0 : nil }
    place = .sound(left: self.interval ?? 0)
    self.position = position
  }

  /// Appends the sound in `chunk` to `sound`, and calls `onBlock` for each block that ends in it, empty ones left out.
  public mutating func take(_ chunk: [UInt8], into sound: inout [UInt8], onBlock: (Block) -> Void) {
    guard let interval else {
      sound += chunk
      position += Int64(chunk.count)
      return
    }
    var next = 0
    while next < chunk.count {
      let rest = chunk.count - next
      switch place {
      case .sound(let left):
        let count = min(left, rest)
        sound += chunk[next..<next + count]
        next += count
        position += Int64(count)
        place = count == left ? .length : .sound(left: left - count)
      case .length:
        let length = Int(chunk[next]) * 16
        next += 1
        block.removeAll(keepingCapacity: true)
        place = length == 0 ? .sound(left: interval) : .block(left: length)
      case .block(let left):
        let count = min(left, rest)
        block += chunk[next..<next + count]
        next += count
        place = count == left ? .sound(left: interval) : .block(left: left - count)
        if count == left { onBlock(Block(position: position, bytes: block)) }
      }
    }
  }
}
