/// What a transfer's thread and the reader share: bytes on their way, in a ring of fixed size, and how things stand.
struct TransferBuffer {
  enum End: Equatable {
    case complete
    case failed(HTTPError)
  }

  /// A title and the sound bytes in front of it.
  struct Title: Equatable {
    var position: Int64
    var text: String
  }

  private static let titleRoom = 64

  private var bytes: [UInt8]
  private var head = 0
  private(set) var count = 0
  /// Bytes that were put in so far.
  private(set) var total: Int64 = 0
  private(set) var titles: [Title] = []
  /// The first answer.
  var response: HTTPResponse?
  /// Nothing more comes.
  private(set) var end: End?
  private(set) var isCancelled = false
  /// The transfer's thread has given everything back.
  var isThreadDone = false

  init(capacity: Int) { bytes = [UInt8](repeating: 0, count: capacity) }

  var room: Int { bytes.count - count }

  /// Puts in as much of `chunk[from...]` as there is room for and returns how much that was.
  mutating func put(_ chunk: [UInt8], from first: Int) -> Int {
    let amount = min(room, chunk.count - first)
    var done = 0
    while done < amount {
      let place = (head + count) % bytes.count
      let part = min(amount - done, bytes.count - place)
      bytes.replaceSubrange(place..<place + part, with: chunk[first + done..<first + done + part])
      done += part
      count += part
    }
    total += Int64(amount)
    return amount
  }

  /// Moves up to `most` bytes to the end of `output`.
  mutating func take(_ most: Int, into output: inout [UInt8]) {
    var left = min(most, count)
    while left > 0 {
      let part = min(left, bytes.count - head)
      output += bytes[head..<head + part]
      head = (head + part) % bytes.count
      count -= part
      left -= part
    }
  }

  /// Of titles that nobody fetches the oldest are forgotten.
  mutating func add(_ title: Title) {
    if titles.count == Self.titleRoom { titles.removeFirst() }
    titles.append(title)
  }

  /// Takes the first title if it stands in front of byte `position`.
  mutating func nextTitle(before position: Int64) -> Title? {
    guard let first = titles.first, first.position < position else { return nil }
    return titles.removeFirst()
  }

  /// The first end counts.
  mutating func finish(_ end: End) {
    if self.end == nil { self.end = end }
  }

  mutating func cancel() {
    isCancelled = true
    finish(.failed(HTTPError(.cancelled)))
  }
}
