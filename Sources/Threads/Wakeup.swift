import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Dispatch
#endif

/// Wakes a waiting thread. Signals are not counted: one that comes while nobody waits is kept, more are one.
/// Where two threads wait, the other one looks at its condition at least ten times a second.
///
/// `signal()` takes no lock and allocates nothing, so that a device callback may call it.
@safe
package final class Wakeup: @unchecked Sendable {
  private let isSignalled = Atomic<Bool>(false)

  #if canImport(Glibc)
    private let semaphore: UnsafeMutablePointer<sem_t>

    package init() {
      // unsafe: the semaphore needs a fixed address; freed in deinit.
      unsafe semaphore = .allocate(capacity: 1)
      unsafe sem_init(semaphore, 0, 0)
    }

    deinit {
      // unsafe: nobody can wait any more.
      unsafe sem_destroy(semaphore)
      unsafe semaphore.deallocate()
    }

    private func post() {
      // unsafe: the semaphore lives as long as this object.
      unsafe sem_post(semaphore)
    }

    private func clear() {
      // unsafe: as above.
      _ = unsafe sem_trywait(semaphore)
    }

    private func wait(until deadline: MonotonicTime) {
      // The wait is by the clock on the wall: it is short, so that a jump of that clock does little.
      var time = timespec()
      // unsafe: fills the time it is given.
      _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
      let nanoseconds = Int(max(0, deadline.seconds(since: .now)) * 1e9) + time.tv_nsec
      time.tv_sec += nanoseconds / 1_000_000_000
      time.tv_nsec = nanoseconds % 1_000_000_000
      // unsafe: reads the time. A signal handler may end the wait early, which callers expect.
      _ = unsafe sem_timedwait(semaphore, &time)
    }
  #else
    // Written for other systems; only Linux has been run.
    private let semaphore = DispatchSemaphore(value: 0)

    package init() {}

    private func post() { semaphore.signal() }

    private func clear() { _ = semaphore.wait(timeout: .now()) }

    private func wait(until deadline: MonotonicTime) {
      let seconds = deadline.seconds(since: .now)
      _ = semaphore.wait(timeout: .now() + max(0, seconds))
    }
  #endif

  package func signal() {
    if !isSignalled.exchange(true, ordering: .sequentiallyConsistent) { post() }
  }

  /// Waits until `condition` holds or the deadline has passed; whether it holds.
  package func wait(until deadline: MonotonicTime, for condition: () -> Bool) -> Bool {
    while true {
      if isSignalled.exchange(false, ordering: .sequentiallyConsistent) { clear() }
      if condition() { return true }
      let now = MonotonicTime.now
      if now >= deadline { return false }
      wait(until: min(deadline, now.advanced(bySeconds: 0.1)))
    }
  }
}
