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
    var set = sigset_t()
    // unsafe: these calls fill or copy the structures they are given.
    unsafe sigemptyset(&set)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      // Under nohup the end of the terminal stays ignored.
      var action = sigaction()
      unsafe sigaction(number, nil, &action)
      if number == SIGHUP, isIgnored(action) { continue }
      setHandler(&action)
      // No SA_RESTART: a waiting read has to return.
      action.sa_flags = Int32(bitPattern: UInt32(truncatingIfNeeded: SA_RESETHAND))
      unsafe sigaction(number, &action, nil)
      unsafe sigaddset(&set, number)
    }
    // A parent may have blocked them in the thread that started this program.
    unsafe sigprocmask(SIG_UNBLOCK, &set, nil)
    // A closed pipe is an error to report, not a signal to die of.
    signal(SIGPIPE, SIG_IGN)
    // So is a file that is as long as the user may have them.
    signal(SIGXFSZ, SIG_IGN)
  }

  private static func isIgnored(_ action: sigaction) -> Bool {
    // unsafe: the two members of the union are pointers of one size; only their bits are compared.
    #if canImport(Glibc)
      let handler = unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
    #else
      let handler = unsafe unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self)
    #endif
    return unsafe handler == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  private static func setHandler(_ action: inout sigaction) {
    // unsafe: the handler only stores to an atomic.
    #if canImport(Glibc)
      unsafe action.__sigaction_handler.sa_handler = { _ in Interrupts.cancellation.cancel() }
    #else
      unsafe action.__sigaction_u.__sa_handler = { _ in Interrupts.cancellation.cancel() }
    #endif
  }
}
