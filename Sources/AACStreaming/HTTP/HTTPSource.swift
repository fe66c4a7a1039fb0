public import AACContainers
import Threads

/// The body of an HTTP or HTTPS address as a source of bytes, read forward only.
///
/// A thread of its own fills a buffer of fixed size, and lets the server wait where that is full. Metadata of a station
/// is taken out of the sound. A stream that breaks is connected to again, with growing pauses; a file of known length
/// goes on where it broke off, where the server can do that. What happens is told to `onEvent`: titles by the thread
/// that reads, when it has come to them, everything else by the source's own.
///
/// One thread reads; ``canceller`` is for all others.
public final class HTTPSource: ByteSource {
  private static let block = 1 << 16

  private let session: HTTPSession
  private let onEvent: @Sendable (HTTPEvent) -> Void
  private let feed = FeedSource()
  private var fedBytes: Int64 = 0
  private var releasedBytes: Int64 = 0
  private var bytes: [UInt8] = []

  /// Begins to fetch `address`.
  ///
  /// - Throws: `badAddress` for what is no address of HTTP or HTTPS; `outOfResources`.
  public init(
    _ address: String, settings: HTTPSettings = HTTPSettings(),
    onEvent: @escaping @Sendable (HTTPEvent) -> Void = { _ in }
  ) throws(HTTPError) {
    guard Self.isAddress(address) else {
      throw HTTPError(.badAddress("'\(address)' is no address of HTTP or HTTPS"))
    }
    let session = HTTPSession(address, settings, onEvent: onEvent)
    self.session = session
    self.onEvent = onEvent
    let thread = WorkerThread {
      session.run()
      session.shared.withLock { $0.isThreadDone = true }
    }
    guard thread != nil else { throw HTTPError(.outOfResources("threads")) }
  }

  /// Ends the transfer. A question for a host's address may go on for a while behind it.
  deinit {
    cancel()
    _ = session.shared.wait(0.5) { $0.isThreadDone ? true : nil }
  }

  /// Whether a text looks like an address that can be fetched: `http://` or `https://` and something behind it.
  public static func isAddress(_ text: String) -> Bool {
    let start = text.prefix(8).lowercased()
    let rest = start.hasPrefix("http://") ? text.dropFirst(7) : start == "https://" ? text.dropFirst(8) : ""
    guard let first = rest.first, first != "/" else { return false }
    return text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
  }

  /// The address without name and password, for messages.
  public static func withoutPassword(_ address: String) -> String {
    guard let slashes = address.firstRange(of: "//") else { return address }
    let host = address[slashes.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    guard let sign = host.lastIndex(of: "@") else { return address }
    return String(address[..<slashes.upperBound]) + String(address[address.index(after: sign)...])
  }

  /// Waits for the server's answer.
  ///
  /// - Throws: why there is none, or what the server refuses.
  public func open() throws(HTTPError) -> HTTPResponse {
    let answer = session.shared.wait { buffer -> Result<HTTPResponse, HTTPError>? in
      if let response = buffer.response { return .success(response) }
      switch buffer.end {
      case .failed(let error): return .failure(error)
      case .complete: return .failure(HTTPError(.cutOff))
      case nil: return nil
      }
    }
    guard let answer else { throw HTTPError(.cancelled) }
    return try answer.get()
  }

  /// Ends the transfer and any wait for it.
  public func cancel() { session.shared.withLock { $0.cancel() } }

  /// What does the same from any thread, without holding the source.
  public var canceller: @Sendable () -> Void {
    { [shared = session.shared] in shared.withLock { $0.cancel() } }
  }

  /// Why no more comes; `nil` while there is hope, and at a proper end.
  public var failure: HTTPError? {
    session.shared.withLock { buffer in
      if case .failed(let error) = buffer.end { error } else { nil }
    }
  }

  /// Bytes that have come and were not used up yet.
  public var bufferedBytes: Int64 { session.shared.withLock { $0.total } - releasedBytes }

  /// Bytes of sound that were used up.
  public var usedBytes: Int64 { releasedBytes }

  /// The buffer has no room: the server waits for the reader.
  public var isFull: Bool { session.shared.withLock { $0.room == 0 } }

  /// No more will come.
  public var isOver: Bool { session.shared.withLock { $0.end != nil } }

  public var length: Int64? { feed.length }
  public var isSeekable: Bool { false }

  public func read(
    at offset: Int64, into buffer: inout [UInt8], _ range: Range<Int>, atLeast minimum: Int
  ) throws(ContainerError) -> Int {
    try feed.read(at: offset, into: &buffer, range, atLeast: minimum) { () throws(ContainerError) in
      guard fedBytes - releasedBytes < Int64(FileSource.standardLookAhead) else {
        throw ContainerError(
          .needsSeeking("the container would have to be read \(FileSource.standardLookAhead) bytes ahead"),
          at: offset)
      }
      try refill()
    }
  }

  public func release(before offset: Int64) {
    feed.release(before: offset)
    guard offset > releasedBytes else { return }
    releasedBytes = min(offset, fedBytes)
    while let title = session.shared.withLock({ $0.nextTitle(before: offset) }) {
      onEvent(.title(title.text))
    }
  }

  private enum Step {
    case bytes
    case end(TransferBuffer.End)
  }

  private func refill() throws(ContainerError) {
    bytes.removeAll(keepingCapacity: true)
    let step = session.shared.wait { buffer -> Step? in
      if buffer.count > 0, !buffer.isCancelled {
        buffer.take(Self.block, into: &bytes)
        return .bytes
      }
      return buffer.end.map(Step.end)
    }
    switch step {
    case .bytes:
      fedBytes += Int64(bytes.count)
      feed.feed(bytes)
    case .end(.complete): feed.finish()
    case .end(.failed(let error)):
      throw ContainerError(.system(error.description, code: 5), at: fedBytes)
    case nil: throw ContainerError(.system("interrupted", code: 4), at: fedBytes)
    }
  }
}
