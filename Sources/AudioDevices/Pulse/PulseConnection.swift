#if canImport(CPulse)
  import CPulse
  import Synchronization

  /// A connection to a PulseAudio (or PipeWire) server with a thread of its own, on which all callbacks run.
  ///
  /// Everything that touches the server's objects holds the connection's lock. `close()` ends the thread; the
  /// objects stay valid until the connection is freed, so that late calls fail and nothing worse.
  @safe
  final class PulseConnection: @unchecked Sendable {
    static let patience = 5.0

    let mainloop: OpaquePointer
    let context: OpaquePointer
    private let isClosedValue = Atomic<Bool>(false)

    /// - Parameter server: an address, `nil` for what the environment and the configuration say.
    /// - Throws: `noServer`, `timedOut`.
    init(server: String?, name: String) throws(AudioDeviceError) {
      // unsafe: both are made here, used under the lock and freed in deinit.
      guard let mainloop = unsafe pa_threaded_mainloop_new() else {
        throw AudioDeviceError(.outOfResources("memory"), backend: "pulse")
      }
      guard let context = unsafe pa_context_new(pa_threaded_mainloop_get_api(mainloop), name) else {
        unsafe pa_threaded_mainloop_free(mainloop)
        throw AudioDeviceError(.outOfResources("memory"), backend: "pulse")
      }
      unsafe self.mainloop = mainloop
      unsafe self.context = context
      do {
        try connect(server)
      } catch {
        close()
        throw error
      }
    }

    private func connect(_ server: String?) throws(AudioDeviceError) {
      // unsafe: the main loop outlives the context, whose callback gets it.
      unsafe pa_context_set_state_callback(
        context, signalContext, UnsafeMutableRawPointer(mainloop))
      let address = server.map { Array($0.utf8CString) }
      // No server is started for this: who has none is told so.
      let status =
        unsafe address.map { text in
          unsafe text.withUnsafeBufferPointer {
            unsafe pa_context_connect(context, $0.baseAddress, PA_CONTEXT_NOAUTOSPAWN, nil)
          }
        } ?? pa_context_connect(context, nil, PA_CONTEXT_NOAUTOSPAWN, nil)
      guard status >= 0 else { throw AudioDeviceError(.noServer(message), backend: "pulse") }
      guard unsafe pa_threaded_mainloop_start(mainloop) >= 0 else {
        throw AudioDeviceError(.outOfResources("threads"), backend: "pulse")
      }
      try locked { () throws(AudioDeviceError) in
        try wait("connecting", seconds: Self.patience) { () throws(AudioDeviceError) in
          switch unsafe pa_context_get_state(context) {
          case PA_CONTEXT_READY: return true
          case PA_CONTEXT_FAILED, PA_CONTEXT_TERMINATED:
            throw AudioDeviceError(.noServer(message), backend: "pulse")
          default: return false
          }
        }
      }
    }

    deinit {
      close()
      // unsafe: the thread has ended.
      unsafe pa_context_unref(context)
      unsafe pa_threaded_mainloop_free(mainloop)
    }

    /// Ends the connection and its thread. Never to be called on that thread.
    func close() {
      guard !isClosedValue.exchange(true, ordering: .acquiringAndReleasing) else { return }
      locked {
        // unsafe: the lock is held.
        unsafe pa_context_set_state_callback(context, nil, nil)
        unsafe pa_context_set_subscribe_callback(context, nil, nil)
        unsafe pa_context_disconnect(context)
        unsafe pa_threaded_mainloop_signal(mainloop, 0)
      }
      // unsafe: waits for the thread; the lock is not held.
      unsafe pa_threaded_mainloop_stop(mainloop)
    }

    var isClosed: Bool { isClosedValue.load(ordering: .acquiring) }

    /// Whether the server answers. The lock must be held.
    var isAlive: Bool {
      // unsafe: the lock is held.
      unsafe !isClosed && pa_context_get_state(context) == PA_CONTEXT_READY
    }

    /// The server's words for what failed last. The lock must be held.
    var message: String {
      // unsafe: the lock is held; the text is static.
      guard let text = unsafe pa_strerror(pa_context_errno(context)) else { return "unknown error" }
      return unsafe String(cString: text)
    }

    /// The error of a call that failed: the server's refusal, or its end.
    var failure: AudioDeviceError {
      AudioDeviceError(isAlive ? .refused(message) : .serverDied(message), backend: "pulse")
    }

    func locked<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
      // unsafe: the main loop is valid until deinit. Not to be called on the loop's own thread, which has the lock.
      unsafe pa_threaded_mainloop_lock(mainloop)
      defer { unsafe pa_threaded_mainloop_unlock(mainloop) }
      return try body()
    }

    /// Waits, with the lock held, until `isDone`. The lock is free meanwhile.
    func wait(
      _ what: String, seconds: Double, until isDone: () throws(AudioDeviceError) -> Bool
    ) throws(AudioDeviceError) {
      let limit = pa_rtclock_now() &+ pa_usec_t(max(0, min(seconds, 1e6)) * 1e6)
      // unsafe: the timer only signals the main loop; it is freed below, with the lock held.
      let timer = unsafe pa_context_rttime_new(
        context, limit, signalTime, UnsafeMutableRawPointer(mainloop))
      defer { if let timer = unsafe timer { unsafe mainloopAPI?.pointee.time_free?(timer) } }
      while try !isDone() {
        guard !isClosed else { throw AudioDeviceError(.misuse("the stream was closed"), backend: "pulse") }
        guard pa_rtclock_now() < limit else { throw AudioDeviceError(.timedOut(what), backend: "pulse") }
        // unsafe: the lock is held.
        unsafe pa_threaded_mainloop_wait(mainloop)
      }
    }

    private var mainloopAPI: UnsafeMutablePointer<pa_mainloop_api>? {
      // unsafe: belongs to the main loop.
      unsafe pa_threaded_mainloop_get_api(mainloop)
    }

    /// Waits, with the lock held, for the answer to an operation, which is used up.
    @unsafe
    func finish(
      _ operation: OpaquePointer?, _ what: String, seconds: Double = patience
    ) throws(AudioDeviceError) {
      guard let operation = unsafe operation else { throw failure }
      // unsafe: the reference came with the call.
      defer { unsafe pa_operation_unref(operation) }
      do {
        try wait(what, seconds: seconds) { () throws(AudioDeviceError) in
          guard isAlive else { throw failure }
          return unsafe pa_operation_get_state(operation) != PA_OPERATION_RUNNING
        }
      } catch {
        unsafe pa_operation_cancel(operation)
        throw error
      }
      guard unsafe pa_operation_get_state(operation) == PA_OPERATION_DONE else { throw failure }
    }
  }

  // C callbacks are functions of the file: a closure that is formed in isolated code would trap on this thread.

  private func signalContext(_ context: OpaquePointer?, _ mainloop: UnsafeMutableRawPointer?) {
    // unsafe: the main loop that the callback was set with; the loop's thread holds the lock.
    if let mainloop = unsafe mainloop { unsafe pa_threaded_mainloop_signal(OpaquePointer(mainloop), 0) }
  }

  private func signalTime(
    _ api: UnsafeMutablePointer<pa_mainloop_api>?, _ event: OpaquePointer?,
    _ time: UnsafePointer<timeval>?, _ mainloop: UnsafeMutableRawPointer?
  ) {
    // unsafe: as above.
    if let mainloop = unsafe mainloop { unsafe pa_threaded_mainloop_signal(OpaquePointer(mainloop), 0) }
  }

  /// Wakes who waits for an answer of a stream.
  func signalSuccess(_ stream: OpaquePointer?, _ success: Int32, _ mainloop: UnsafeMutableRawPointer?) {
    // unsafe: as above.
    if let mainloop = unsafe mainloop { unsafe pa_threaded_mainloop_signal(OpaquePointer(mainloop), 0) }
  }
#endif
