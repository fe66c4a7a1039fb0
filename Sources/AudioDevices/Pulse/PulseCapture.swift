#if canImport(CPulse)
  import CPulse
  import PCM

  /// A recording stream: everything the server sends goes into the ring.
  @safe
  final class PulseCapture: PulseStream, @unchecked Sendable {
    override var position: Int64 { Int64(core.ring.offered) }

    /// On the connection's thread: no lock, no allocation of ours.
    override func transfer() {
      if let age = measureLatency() {
        core.clock.publish(
          StreamClock.Anchor(
            frame: position, time: .now.advanced(bySeconds: -age),
            framesPerSecond: Double(core.format.sampleRate)))
      }
      while true {
        var data: UnsafeRawPointer?
        var bytes = 0
        // unsafe: the call tells where `bytes` bytes are, which stay there until they are dropped.
        guard unsafe pa_stream_peek(stream, &data, &bytes) >= 0, bytes > 0 else { break }
        let frames = bytes / frameBytes
        let start = position
        // unsafe: the server sends whole frames of floats.
        let offered = unsafe core.ring.offer(data?.assumingMemoryBound(to: Float.self), frames: frames)
        if let gap = offered.closed { core.post(gap) }
        if unsafe data == nil {
          core.events.post(EventQueue.Record(kind: .hole, position: start, number: Int64(frames)))
        }
        unsafe pa_stream_drop(stream)
      }
      core.caller.signal()
    }
  }
#endif
