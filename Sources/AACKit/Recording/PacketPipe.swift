import AAC
import AudioDevices
import Threads

/// Packets on their way from the recorder's thread to the disk's: a queue that holds so many bytes and then makes the
/// recorder wait.
final class PacketPipe: Sendable {
  enum Item {
    /// What follows belongs to a new file.
    case begin(AudioSpecificConfig)
    case packet(Packet)
    /// The file is complete with so many frames.
    case end(frames: Int64)
  }

  private struct State {
    var items: [Item] = []
    var taken = 0
    var bytes = 0
    var isClosed = false
    var isBroken = false
  }

  private let capacity: Int
  private let state = Guarded(State())
  private let room = Wakeup()
  private let arrival = Wakeup()

  init(bytes: Int) { capacity = bytes }

  /// Puts an item in, waiting for room; false where the other side has given up.
  func push(_ item: Item) -> Bool {
    var isBroken = false
    func isReady() -> Bool {
      state.withLock { state in
        isBroken = state.isBroken
        guard !isBroken else { return true }
        guard state.bytes <= capacity else { return false }
        state.items.append(item)
        state.bytes += item.size
        return true
      }
    }
    while !room.wait(until: .now.advanced(bySeconds: 10), for: isReady) {}
    arrival.signal()
    return !isBroken
  }

  /// No more will be pushed.
  func close() {
    state.withLock { $0.isClosed = true }
    arrival.signal()
  }

  /// Nothing more will be taken.
  func giveUp() {
    state.withLock { state in
      state.isBroken = true
      state.items = []
      state.taken = 0
      state.bytes = 0
    }
    room.signal()
  }

  /// Bytes of packets that wait.
  var waitingBytes: Int { state.withLock { $0.bytes } }

  /// The next item, waited for; `nil` at the end.
  func next() -> Item? {
    var item: Item?
    func isReady() -> Bool {
      state.withLock { state in
        guard state.taken < state.items.count else { return state.isClosed }
        let next = state.items[state.taken]
        state.taken += 1
        state.bytes -= next.size
        if state.taken == state.items.count || state.taken > 256 {
          state.items.removeFirst(state.taken)
          state.taken = 0
        }
        item = next
        return true
      }
    }
    while !arrival.wait(until: .now.advanced(bySeconds: 10), for: isReady) {}
    room.signal()
    return item
  }
}

extension PacketPipe.Item {
  fileprivate var size: Int { if case .packet(let packet) = self { packet.data.count } else { 0 } }
}
