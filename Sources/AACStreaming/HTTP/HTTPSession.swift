import Threads

/// The work of a source's thread: requests, one after the other while there is hope.
final class HTTPSession: Sendable {
  private let address: String
  private let settings: HTTPSettings
  let shared: Guarded<TransferBuffer>
  private let onEvent: @Sendable (HTTPEvent) -> Void

  init(
    _ address: String, _ settings: HTTPSettings, onEvent: @escaping @Sendable (HTTPEvent) -> Void
  ) {
    self.address = address
    self.settings = settings
    self.onEvent = onEvent
    shared = Guarded(TransferBuffer(capacity: max(1 << 16, min(settings.bufferSize, 1 << 28))))
  }

  /// A transfer that brought as much was a good one: what follows is another break.
  private static let goodAmount: Int64 = 16_384
  private static let longestPause = 10.0

  func run() {
    var first: HTTPResponse?
    var title: String?
    var attempt = 0
    var breakTime: ContinuousClock.Instant?
    while true {
      let resumePosition = first.flatMap { $0.isEndless ? nil : shared.withLock { $0.total } }
      let transfer = HTTPTransfer(
        address, settings, resumeAt: resumePosition, lastTitle: title, shared, onEvent)
      let error = transfer.perform()
      title = transfer.title
      if first == nil, (200..<300).contains(transfer.response.status) {
        first = transfer.response
        // An answer without a body.
        if transfer.byteCount == 0, error == nil { transfer.announce() }
      }
      guard let first else { return finish(error) }
      guard let error = error ?? (first.isStation && first.isEndless ? HTTPError(.cutOff) : nil) else {
        return finish(nil)
      }
      let canGoOn = first.isEndless || first.contentLength != nil && first.acceptsRanges
      guard canGoOn, error.reason != .cancelled, error.reason != .cannotResume else { return finish(error) }
      if transfer.byteCount >= Self.goodAmount {
        attempt = 0
        breakTime = nil
      }
      let begin = breakTime ?? .now
      breakTime = begin
      guard (ContinuousClock.now - begin).seconds < settings.reconnectTime else { return finish(error) }
      attempt += 1
      onEvent(.reconnecting(attempt: attempt, error))
      let pause = min(0.25 * Double(1 << min(attempt - 1, 6)), Self.longestPause)
      if shared.wait(pause, for: { $0.isCancelled ? true : nil }) == true { return }
    }
  }

  private func finish(_ error: HTTPError?) {
    shared.withLock { $0.finish(error.map { .failed($0) } ?? .complete) }
  }
}
