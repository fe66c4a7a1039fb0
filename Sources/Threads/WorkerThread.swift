import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A thread that runs one function and can be waited for.
@safe
package final class WorkerThread: @unchecked Sendable {
  private let handle: pthread_t
  private let isJoined = Atomic<Bool>(false)

  /// Starts the thread; `nil` where the system has none left.
  package init?(_ body: @escaping @Sendable () -> Void) {
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let argument = unsafe Unmanaged.passRetained(ThreadBody(body))
    // unsafe: the new thread takes over the argument.
    let status = unsafe pthread_create(&thread, nil, enterThread, argument.toOpaque())
    guard status == 0 else {
      unsafe argument.release()
      return nil
    }
    #if canImport(Darwin)
      guard let thread else { return nil }
    #endif
    handle = thread
  }

  /// Waits for the end of the thread. Later calls return at once.
  package func join() {
    guard !isJoined.exchange(true, ordering: .acquiringAndReleasing) else { return }
    _ = pthread_join(handle, nil)
  }

  deinit {
    if !isJoined.load(ordering: .acquiring) { _ = pthread_detach(handle) }
  }
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

private func runBody(_ argument: UnsafeMutableRawPointer) {
  // unsafe: the retained body that the thread was started with.
  unsafe Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
}

// What the system calls in the new thread; a function of the file, so that no isolation clings to it.
#if canImport(Darwin)
  private func enterThread(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    unsafe runBody(argument)
    return nil
  }
#else
  private func enterThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let argument = unsafe argument { unsafe runBody(argument) }
    return nil
  }
#endif
