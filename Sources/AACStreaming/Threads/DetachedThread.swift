#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Threads that nobody waits for.
enum DetachedThread {
  /// Runs `body` on a thread of its own; false where the system has none left.
  static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let argument = unsafe Unmanaged.passRetained(ThreadBody(body))
    // unsafe: the new thread takes over the argument.
    guard unsafe pthread_create(&thread, nil, enterThread, argument.toOpaque()) == 0 else {
      unsafe argument.release()
      return false
    }
    #if canImport(Darwin)
      if let thread { pthread_detach(thread) }
    #else
      pthread_detach(thread)
    #endif
    return true
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
