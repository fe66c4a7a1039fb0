import AudioFiles

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The first interrupt asks the work to stop; a second one ends the program at once.
enum Interrupts {
  static let cancellation = Cancellation()

  static func install() {
    // Made now: a signal handler must not be the first to touch it.
    _ = cancellation.isCancelled
    for number in [SIGINT, SIGTERM, SIGHUP] {
      var action = sigaction()
      #if canImport(Glibc)
        // unsafe: the handler only stores to an atomic.
        unsafe action.__sigaction_handler.sa_handler = { _ in Interrupts.cancellation.cancel() }
      #else
        unsafe action.__sigaction_u.__sa_handler = { _ in Interrupts.cancellation.cancel() }
      #endif
      // No SA_RESTART: a waiting read has to return.
      action.sa_flags = Int32(bitPattern: UInt32(truncatingIfNeeded: SA_RESETHAND))
      // unsafe: sigaction copies the structure.
      unsafe sigaction(number, &action, nil)
    }
    // A closed pipe is an error to report, not a signal to die of.
    signal(SIGPIPE, SIG_IGN)
  }
}
