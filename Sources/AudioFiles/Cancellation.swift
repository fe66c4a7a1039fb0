import Synchronization

/// A switch that is thrown once, from any thread or a signal handler, to make long work stop.
public final class Cancellation: Sendable {
  private let flag = Atomic<Bool>(false)

  public init() {}

  public func cancel() { flag.store(true, ordering: .releasing) }

  public var isCancelled: Bool { flag.load(ordering: .acquiring) }
}
