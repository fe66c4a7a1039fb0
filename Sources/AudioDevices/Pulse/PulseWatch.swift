#if canImport(CPulse)
  import CPulse
  import Synchronization

  /// Looks after the list of devices: whenever the server tells of a change, the list is fetched again and compared.
  final class PulseWatch: @unchecked Sendable {
    private let server: String?
    private let continuation: AsyncStream<DeviceEvent>.Continuation
    private let wakeup = Wakeup()
    private let isStopped = Atomic<Bool>(false)
    private let isChanged = Atomic<Bool>(false)
    // For the watching thread, and before it starts.
    private var connection: PulseConnection?
    private var known: [DeviceInfo] = []
    private var lost = 0

    init(server: String?, _ continuation: AsyncStream<DeviceEvent>.Continuation) {
      self.server = server
      self.continuation = continuation
    }

    /// Takes the list that changes are told from, then watches on a thread of its own.
    func start() {
      if let made = try? subscribe() {
        connection = made
        known = (try? PulseListing.devices(made)) ?? []
      }
      let isRunning = WorkerThread { [self] in run() }
      if isRunning == nil { continuation.finish() }
    }

    func stop() {
      isStopped.store(true, ordering: .releasing)
      wakeup.signal()
    }

    private func subscribe() throws(AudioDeviceError) -> PulseConnection {
      let connection = try PulseConnection(server: server, name: "aac")
      connection.locked {
        let mask =
          PA_SUBSCRIPTION_MASK_SINK.rawValue | PA_SUBSCRIPTION_MASK_SOURCE.rawValue
          | PA_SUBSCRIPTION_MASK_SERVER.rawValue
        // unsafe: the lock is held; the connection is closed, and calls no more, before this object goes.
        let this = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe pa_context_set_subscribe_callback(connection.context, listChanged, this)
        let operation = unsafe pa_context_subscribe(
          connection.context, pa_subscription_mask_t(mask), nil, nil)
        if let operation = unsafe operation { unsafe pa_operation_unref(operation) }
      }
      return connection
    }

    private func run() {
      if connection == nil { tell(.serverDied) }
      while !isStopped.load(ordering: .acquiring) {
        let isWoken = wakeup.wait(until: .now.advanced(bySeconds: 0.5)) {
          isStopped.load(ordering: .acquiring) || isChanged.load(ordering: .acquiring)
        }
        guard let connection else {
          reconnect()
          continue
        }
        guard connection.locked({ connection.isAlive }) else {
          lose()
          continue
        }
        guard isWoken, isChanged.exchange(false, ordering: .acquiringAndReleasing) else { continue }
        do {
          compare(try PulseListing.devices(connection))
        } catch {
          lose()
        }
      }
      connection?.close()
      connection = nil
      continuation.finish()
    }

    private func lose() {
      connection?.close()
      connection = nil
      tell(.serverDied)
    }

    private func reconnect() {
      guard let made = try? subscribe() else { return }
      guard let devices = try? PulseListing.devices(made) else {
        made.close()
        return
      }
      connection = made
      tell(.serverReturned)
      compare(devices)
    }

    private func compare(_ devices: [DeviceInfo]) {
      for event in DeviceEvent.changes(from: known, to: devices) { tell(event) }
      known = devices
    }

    private func tell(_ event: DeviceEvent) {
      if lost > 0 {
        guard case .enqueued = continuation.yield(.eventsLost(lost)) else {
          lost += 1
          return
        }
        lost = 0
      }
      if case .dropped = continuation.yield(event) { lost += 1 }
    }

    fileprivate func listDidChange() {
      isChanged.store(true, ordering: .releasing)
      wakeup.signal()
    }
  }

  // A function of the file, as all C callbacks.
  private func listChanged(
    _ context: OpaquePointer?, _ event: pa_subscription_event_type_t, _ index: UInt32,
    _ data: UnsafeMutableRawPointer?
  ) {
    // unsafe: the watch that set the callback, which closes the connection before it goes.
    guard let data = unsafe data else { return }
    unsafe Unmanaged<PulseWatch>.fromOpaque(data).takeUnretainedValue().listDidChange()
  }
#endif
