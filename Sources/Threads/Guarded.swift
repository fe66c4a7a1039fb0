#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A value that several threads use, one at a time, and wait for changes of.
///
/// The system's mutex rather than `Synchronization.Mutex`: where two threads meet at that one, the thread sanitizer
/// does not see which was first.
@safe
package final class Guarded<Value>: @unchecked Sendable {
  private var value: Value
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let changed: UnsafeMutablePointer<pthread_cond_t>

  package init(_ value: sending Value) {
    self.value = value
    // unsafe: both need a fixed address; freed in deinit.
    unsafe mutex = .allocate(capacity: 1)
    unsafe changed = .allocate(capacity: 1)
    unsafe pthread_mutex_init(mutex, nil)
    unsafe pthread_cond_init(changed, nil)
  }

  deinit {
    // unsafe: nobody can wait any more.
    unsafe pthread_cond_destroy(changed)
    unsafe pthread_mutex_destroy(mutex)
    unsafe changed.deallocate()
    unsafe mutex.deallocate()
  }

  /// Looks at the value or changes it.
  package func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // unsafe: the mutex lives as long as this object.
    unsafe pthread_mutex_lock(mutex)
    defer {
      unsafe pthread_cond_broadcast(changed)
      unsafe pthread_mutex_unlock(mutex)
    }
    return try body(&value)
  }

  /// Calls `body` at once and after every change until it returns something, or `seconds` have passed.
  package func wait<Result>(_ seconds: Double = .infinity, for body: (inout Value) -> Result?) -> Result? {
    let start = MonotonicTime.now
    // unsafe: as above.
    unsafe pthread_mutex_lock(mutex)
    defer {
      unsafe pthread_cond_broadcast(changed)
      unsafe pthread_mutex_unlock(mutex)
    }
    while true {
      if let result = body(&value) { return result }
      let left = seconds - MonotonicTime.now.seconds(since: start)
      guard left > 0 else { return nil }
      var time = timespec()
      // The clock on the wall may jump: no wait is long.
      // unsafe: both calls use the time only while they run.
      _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
      let nanoseconds = time.tv_nsec + Int(min(left, 0.25) * 1e9)
      time.tv_sec += nanoseconds / 1_000_000_000
      time.tv_nsec = nanoseconds % 1_000_000_000
      _ = unsafe pthread_cond_timedwait(changed, mutex, &time)
    }
  }
}
