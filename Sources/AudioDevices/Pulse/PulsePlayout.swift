#if canImport(CPulse)
  import CPulse
  import PCM
  import Synchronization

  /// A playback stream: what the server asks for comes out of the ring. Where the ring has too little, the next
  /// frames that are written go on to the server at once.
  @safe
  final class PulsePlayout: PulseStream, PlayoutDriver, @unchecked Sendable {
    /// The server has asked for more than the ring had.
    private let isStarved = Atomic<Bool>(false)
    private let isDraining = Atomic<Bool>(false)
    /// When the server ran out of sound; for the connection's thread.
    private var silentSince: MonotonicTime?

    override var position: Int64 { Int64(core.ring.removed) }

    /// With the lock held, on the connection's thread or the caller's: no further lock, no allocation of ours.
    override func transfer() {
      core.ring.settle()
      var hasWritten = false
      while true {
        // unsafe: the lock is held.
        let room = unsafe pa_stream_writable_size(stream)
        guard room != Int.max, room != -1, room >= frameBytes else { break }
        let frames = min(room / frameBytes, core.ring.available)
        guard frames > 0 else {
          isStarved.store(true, ordering: .sequentiallyConsistent)
          guard core.ring.available > 0 else { break }
          // Written between the two looks, by somebody who did not see the flag.
          continue
        }
        guard write(frames) else { break }
        hasWritten = true
      }
      if hasWritten { publishTime() }
      if isDraining.load(ordering: .acquiring) {
        // unsafe: wakes `drain`, which waits for the ring to be empty.
        unsafe pa_threaded_mainloop_signal(connection.mainloop, 0)
      }
      core.caller.signal()
    }

    private func write(_ frames: Int) -> Bool {
      var memory: UnsafeMutableRawPointer?
      var bytes = frames * frameBytes
      // unsafe: the call tells where `bytes` bytes of the server's can be written.
      guard unsafe pa_stream_begin_write(stream, &memory, &bytes) >= 0, let memory = unsafe memory else {
        return false
      }
      let room = min(frames, bytes / frameBytes)
      // unsafe: there is room for `room` frames of floats.
      let taken = unsafe core.ring.take(room, into: memory.assumingMemoryBound(to: Float.self))
      guard taken > 0 else {
        unsafe pa_stream_cancel_write(stream)
        return false
      }
      return unsafe pa_stream_write(stream, memory, taken * frameBytes, nil, 0, PA_SEEK_RELATIVE) >= 0
    }

    /// The clock runs while the device plays, as far as the server has told.
    override func publishTime() {
      guard let delay = measureLatency() else { return }
      let rate = Double(core.format.sampleRate)
      // unsafe: the lock is held.
      guard unsafe pa_stream_get_timing_info(stream)?.pointee.playing == 1 else {
        // Not yet, or not for now: where it has come to.
        if core.clock.time(ofFrame: 0) != nil, let frame = core.clock.wholeFrame(at: .now) {
          core.clock.stand(at: min(position, frame))
        }
        return
      }
      core.clock.publish(
        StreamClock.Anchor(
          frame: position, time: .now.advanced(bySeconds: delay), framesPerSecond: rate))
    }

    override func underran() {
      guard silentSince == nil, !(isDraining.load(ordering: .acquiring) && core.ring.available == 0) else {
        return
      }
      silentSince = .now
      core.events.post(EventQueue.Record(kind: .underrun, position: position))
      core.caller.signal()
    }

    override func playsAgain() {
      guard let since = silentSince else { return }
      silentSince = nil
      let silence = MonotonicTime.now.nanoseconds - since.nanoseconds
      core.events.post(EventQueue.Record(kind: .recovered, position: position, number: silence))
      core.caller.signal()
    }

    func framesArrived() {
      guard isStarved.exchange(false, ordering: .sequentiallyConsistent) else { return }
      connection.locked { if connection.isAlive { transfer() } }
    }

    func flush() throws(AudioDeviceError) {
      core.ring.discard()
      try connection.locked { () throws(AudioDeviceError) in
        if let error = core.error { throw error }
        // unsafe: the lock is held; the callback only signals the main loop.
        unsafe try connection.finish(
          pa_stream_flush(stream, signalSuccess, UnsafeMutableRawPointer(connection.mainloop)), "flushing")
        transfer()
      }
    }

    func drain(until deadline: MonotonicTime) throws(AudioDeviceError) {
      isDraining.store(true, ordering: .releasing)
      do {
        try connection.locked { () throws(AudioDeviceError) in
          transfer()
          try connection.wait("playing", seconds: deadline.seconds(since: .now)) {
            () throws(AudioDeviceError) in
            if let error = core.error { throw error }
            return core.ring.available == 0
          }
          // unsafe: the lock is held; the callback only signals the main loop.
          unsafe try connection.finish(
            pa_stream_drain(stream, signalSuccess, UnsafeMutableRawPointer(connection.mainloop)),
            "playing", seconds: deadline.seconds(since: .now))
          unsafe finish(.finished, nil)
        }
      } catch {
        let position = self.position
        let cause = core.error
        stop()
        if let cause { throw cause }
        if case .timedOut = error.reason {
          throw AudioDeviceError(.stalled, backend: "pulse", position: position)
        }
        throw error
      }
      stop()
    }
  }
#endif
