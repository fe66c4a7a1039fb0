import Synchronization

/// Events on their way out of a device callback: fixed records in a ring, without locks and without allocation.
///
/// One thread at a time posts, one thread takes. What finds no room is dropped and counted.
@safe
final class EventQueue: @unchecked Sendable {
  /// What an event looks like inside the queue.
  struct Record {
    enum Kind: UInt8 {
      case overrun, hole, underrun, recovered, moved, suspended, awake, format, ended
    }
    var kind: Kind
    /// Position in the stream.
    var position: Int64
    var time = MonotonicTime(nanoseconds: 0)
    /// Frames, nanoseconds, a reason or a rate, by kind.
    var number: Int64 = 0
    /// The channels of a format: one byte each, `Speaker.rawValue`, 255 for none.
    var layout = SIMD32<UInt8>(repeating: 255)
    var channelCount: UInt8 = 0
  }

  static let room = 64
  /// Bytes of the text that belongs to a record, the ending zero included.
  static let textRoom = 256

  private let records: UnsafeMutablePointer<Record>
  private let texts: UnsafeMutablePointer<CChar>
  private let written = Atomic<Int>(0)
  private let taken = Atomic<Int>(0)
  private let dropped = Atomic<Int>(0)

  init() {
    // unsafe: both blocks are freed in deinit.
    unsafe records = .allocate(capacity: Self.room)
    unsafe records.initialize(repeating: Record(kind: .hole, position: 0), count: Self.room)
    unsafe texts = .allocate(capacity: Self.room * Self.textRoom)
    unsafe texts.initialize(repeating: 0, count: Self.room * Self.textRoom)
  }

  deinit {
    // unsafe: allocated in init; nothing else holds them.
    unsafe records.deallocate()
    unsafe texts.deallocate()
  }

  var isEmpty: Bool {
    written.load(ordering: .acquiring) == taken.load(ordering: .acquiring)
      && dropped.load(ordering: .acquiring) == 0
  }

  /// Puts an event in, with a text of which the start is kept.
  @unsafe
  func post(_ record: Record, text: UnsafePointer<CChar>? = nil) {
    let index = written.load(ordering: .relaxed)
    guard index - taken.load(ordering: .acquiring) < Self.room else {
      dropped.add(1, ordering: .acquiringAndReleasing)
      return
    }
    let slot = index % Self.room
    // unsafe: the slot is within the room and the reader does not look at it before the store below.
    unsafe records[slot] = record
    unsafe records[slot].time = .now
    let target = unsafe texts + slot * Self.textRoom
    var length = 0
    if let text = unsafe text {
      while length < Self.textRoom - 1, unsafe text[length] != 0 {
        unsafe target[length] = text[length]
        length += 1
      }
    }
    unsafe target[length] = 0
    written.store(index + 1, ordering: .releasing)
  }

  func post(_ record: Record) { unsafe post(record, text: nil) }

  /// The next event with its text; `lost` events in front of it are unknown.
  func take() -> (record: Record?, text: String, lost: Int)? {
    let lost = dropped.exchange(0, ordering: .acquiringAndReleasing)
    let index = taken.load(ordering: .relaxed)
    guard index < written.load(ordering: .acquiring) else { return lost > 0 ? (nil, "", lost) : nil }
    let slot = index % Self.room
    // unsafe: stored before `written` was raised, and not written again before `taken` is.
    let record = unsafe records[slot]
    let text = unsafe String(cString: texts + slot * Self.textRoom)
    taken.store(index + 1, ordering: .releasing)
    return (record, text, lost)
  }
}
