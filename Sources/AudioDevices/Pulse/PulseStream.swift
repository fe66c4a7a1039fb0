#if canImport(CPulse)
  import CPulse
  import PCM
  import Synchronization

  /// What capture and playout streams of a server have in common. Each has a connection, and so a thread, of its own:
  /// no list that somebody asks for holds up the sound.
  @safe
  class PulseStream: @unchecked Sendable, StreamDriver {
    let connection: PulseConnection
    let stream: OpaquePointer
    let core: StreamCore
    let frameBytes: Int
    let direction: DeviceDirection
    /// In nanoseconds; negative while it is not known.
    private let latencyValue = Atomic<Int64>(-1)
    private let isStopped = Atomic<Bool>(false)
    /// The device's own format, as far as it was told; for the connection's thread.
    private var deviceFormat: PCMFormat

    init(
      server: String?, _ request: StreamRequest, _ device: DeviceInfo, core: StreamCore
    ) throws(AudioDeviceError) {
      direction = device.direction
      deviceFormat = device.format
      self.core = core
      frameBytes = core.format.channelCount * MemoryLayout<Float>.size
      let connection = try PulseConnection(server: server, name: request.name)
      self.connection = connection
      var spec = core.format.pulseSpec
      var map = core.format.layout.pulseMap
      // unsafe: the call copies what it is given; the lock is held.
      let made = unsafe connection.locked {
        unsafe pa_stream_new(connection.context, request.name, &spec, &map)
      }
      guard let made = unsafe made else {
        let failure = connection.locked { connection.failure }
        connection.close()
        throw failure
      }
      unsafe stream = made
    }

    deinit {
      connection.close()
      // unsafe: the connection's thread has ended; the context is freed after this.
      unsafe pa_stream_unref(stream)
    }

    /// Called on the connection's thread when there is something to read or room to write.
    func transfer() {}

    /// Whether silence where there should be sound is worth telling.
    var isSilenceExpected: Bool { false }

    /// Position in the stream that belongs to an event of now.
    var position: Int64 { 0 }

    /// Called when the server has told times, and by the streams themselves.
    func publishTime() {}

    func underran() {}
    func playsAgain() {}

    /// Connects the stream and returns what was granted.
    func open(_ request: StreamRequest, _ device: DeviceInfo) throws(AudioDeviceError) -> Grant {
      do {
        return try connection.locked { () throws(AudioDeviceError) in
          unsafe setCallbacks(Unmanaged.passUnretained(self).toOpaque())
          try connect(request)
          try connection.wait("opening the stream", seconds: PulseConnection.patience) {
            () throws(AudioDeviceError) in
            switch unsafe pa_stream_get_state(stream) {
            case PA_STREAM_READY: return true
            case PA_STREAM_FAILED, PA_STREAM_TERMINATED: throw connection.failure
            default: return false
            }
          }
          return try grant(device)
        }
      } catch {
        stop()
        throw error
      }
    }

    private func connect(_ request: StreamRequest) throws(AudioDeviceError) {
      let frames = StreamRequest.frames(request.latency, at: core.format.sampleRate)
      let length = UInt32(clamping: frames * frameBytes)
      let open = UInt32.max
      var flags =
        PA_STREAM_START_CORKED.rawValue | PA_STREAM_ADJUST_LATENCY.rawValue
        | PA_STREAM_AUTO_TIMING_UPDATE.rawValue | PA_STREAM_INTERPOLATE_TIMING.rawValue
      if request.onUnplug == .stop { flags |= PA_STREAM_DONT_MOVE.rawValue }
      // The server's choice is best for all but the latency.
      var attributes = pa_buffer_attr(
        maxlength: open, tlength: length, prebuf: open, minreq: open, fragsize: length)
      if direction == .output {
        let request = max(frames / 4, 1) * frameBytes
        attributes.minreq = UInt32(clamping: request)
      }
      let status =
        switch direction {
        // unsafe: the calls copy what they are given; the lock is held.
        case .input:
          unsafe pa_stream_connect_record(stream, request.device, &attributes, pa_stream_flags_t(flags))
        case .output:
          unsafe pa_stream_connect_playback(
            stream, request.device, &attributes, pa_stream_flags_t(flags), nil, nil)
        }
      guard status >= 0 else { throw connection.failure }
    }

    private func grant(_ device: DeviceInfo) throws(AudioDeviceError) -> Grant {
      // unsafe: the stream is ready, so these have values; the lock is held.
      guard let spec = unsafe pa_stream_get_sample_spec(stream)?.pointee,
        let attributes = unsafe pa_stream_get_buffer_attr(stream)?.pointee
      else { throw connection.failure }
      guard Int(spec.rate) == core.format.sampleRate, Int(spec.channels) == core.format.channelCount else {
        throw AudioDeviceError(.refused("another format was granted than asked for"), backend: "pulse")
      }
      var device = device
      if let name = unsafe pa_stream_get_device_name(stream), unsafe String(cString: name) != device.id {
        // The default changed in between, or the server has a place of its own for this stream.
        device.id = unsafe String(cString: name)
        device.name = device.id
        device.isDefault = false
      }
      let bytes = Double(direction == .input ? attributes.fragsize : attributes.tlength)
      let kind =
        direction == .input ? PA_SUBSCRIPTION_MASK_SOURCE : PA_SUBSCRIPTION_MASK_SINK
      let this = unsafe Unmanaged.passUnretained(self).toOpaque()
      // unsafe: the lock is held; the callback is taken away before this object goes.
      unsafe pa_context_set_subscribe_callback(connection.context, deviceChanged, this)
      if let operation = unsafe pa_context_subscribe(connection.context, kind, nil, nil) {
        unsafe pa_operation_unref(operation)
      }
      return Grant(
        device: device,
        latency: .seconds(bytes / Double(frameBytes) / Double(core.format.sampleRate)))
    }

    func start() throws(AudioDeviceError) { try cork(false) }

    func setPaused(_ isPaused: Bool) throws(AudioDeviceError) { try cork(isPaused) }

    private func cork(_ isCorked: Bool) throws(AudioDeviceError) {
      try connection.locked { () throws(AudioDeviceError) in
        if let error = core.error { throw error }
        // unsafe: the lock is held; the callback only signals the main loop, which outlives the stream.
        unsafe try connection.finish(
          pa_stream_cork(
            stream, isCorked ? 1 : 0, signalSuccess, UnsafeMutableRawPointer(connection.mainloop)),
          isCorked ? "pausing" : "starting")
        if isCorked, let frame = core.clock.wholeFrame(at: .now) { core.clock.stand(at: frame) }
      }
    }

    func stop() {
      guard !isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
      connection.locked {
        unsafe setCallbacks(nil)
        unsafe finish(.stopped, nil)
        // unsafe: the lock is held.
        unsafe pa_stream_disconnect(stream)
      }
      connection.close()
    }

    /// Ends the stream for its caller. The lock must be held.
    @unsafe
    func finish(_ end: StreamEnd, _ text: UnsafePointer<CChar>?) {
      if direction == .input {
        unsafe core.finishCapture(end, text: text)
      } else {
        unsafe core.finish(end, position: position, text: text)
      }
    }

    var latency: Duration? {
      let nanoseconds = latencyValue.load(ordering: .acquiring)
      return nanoseconds < 0 ? nil : .nanoseconds(nanoseconds)
    }

    /// Asks for the latency, which may be negative where a monitor runs ahead, in seconds; on the connection's thread.
    func measureLatency() -> Double? {
      var time: pa_usec_t = 0
      var isNegative: Int32 = 0
      // unsafe: the lock is held; the call fills both.
      guard unsafe pa_stream_get_latency(stream, &time, &isNegative) == 0 else { return nil }
      let seconds = Double(time) / (isNegative == 0 ? 1e6 : -1e6)
      latencyValue.store(Int64(max(0, min(seconds, 1e6)) * 1e9), ordering: .releasing)
      return seconds
    }

    // MARK: On the connection's thread, which has the lock

    func stateDidChange() {
      // unsafe: as above.
      unsafe pa_threaded_mainloop_signal(connection.mainloop, 0)
      let state = unsafe pa_stream_get_state(stream)
      guard state == PA_STREAM_FAILED || state == PA_STREAM_TERMINATED else { return }
      let words = unsafe pa_strerror(pa_context_errno(connection.context))
      unsafe finish(connection.isAlive ? .deviceGone : .serverDied, words)
    }

    func didMove() {
      // unsafe: the name is valid until the next move; the queue copies it.
      unsafe core.events.post(
        EventQueue.Record(kind: .moved, position: position), text: pa_stream_get_device_name(stream))
      core.caller.signal()
      askForDevice(unsafe pa_stream_get_device_index(stream))
    }

    func suspensionDidChange() {
      // unsafe: as above.
      let isSuspended = unsafe pa_stream_is_suspended(stream) == 1
      core.events.post(EventQueue.Record(kind: isSuspended ? .suspended : .awake, position: position))
      core.caller.signal()
    }

    func deviceDidChange(_ index: UInt32) {
      // unsafe: as above.
      if unsafe pa_stream_get_device_index(stream) == index { askForDevice(index) }
    }

    private func askForDevice(_ index: UInt32) {
      let this = unsafe Unmanaged.passUnretained(self).toOpaque()
      let context = unsafe connection.context
      // unsafe: the end of the connection cancels the question before this object goes.
      let operation =
        unsafe direction == .input
        ? pa_context_get_source_info_by_index(context, index, sourceTold, this)
        : pa_context_get_sink_info_by_index(context, index, sinkTold, this)
      if let operation = unsafe operation { unsafe pa_operation_unref(operation) }
    }

    func take(_ format: PCMFormat) {
      guard format != deviceFormat else { return }
      deviceFormat = format
      var record = EventQueue.Record(kind: .format, position: position, number: Int64(format.sampleRate))
      record.channelCount = UInt8(clamping: min(32, format.channelCount))
      for (index, speaker) in format.layout.speakers.prefix(32).enumerated() {
        record.layout[index] = speaker?.rawValue ?? 255
      }
      core.events.post(record)
      core.caller.signal()
    }
  }
#endif
