#if canImport(CPulse)
  import CPulse
  import PCM

  extension PulseStream {
    /// Has the server's library call this object, or (`nil`) nobody any more.
    @unsafe
    func setCallbacks(_ this: UnsafeMutableRawPointer?) {
      // unsafe: the lock is held. `stop()` takes the callbacks away before this object can go.
      let isSet = unsafe this != nil
      unsafe pa_stream_set_state_callback(stream, isSet ? stateChanged : nil, this)
      unsafe pa_stream_set_read_callback(stream, isSet && direction == .input ? transferAsked : nil, this)
      unsafe pa_stream_set_write_callback(stream, isSet && direction == .output ? transferAsked : nil, this)
      unsafe pa_stream_set_underflow_callback(stream, isSet ? underflowed : nil, this)
      unsafe pa_stream_set_started_callback(stream, isSet ? playingStarted : nil, this)
      unsafe pa_stream_set_latency_update_callback(stream, isSet ? latencyTold : nil, this)
      unsafe pa_stream_set_moved_callback(stream, isSet ? streamMoved : nil, this)
      unsafe pa_stream_set_suspended_callback(stream, isSet ? suspensionChanged : nil, this)
    }
  }

  // C callbacks are functions of the file: a closure that is formed in isolated code would trap on this thread.

  @unsafe
  private func pulseStream(_ data: UnsafeMutableRawPointer?) -> PulseStream? {
    // unsafe: the object that set the callback, which takes it away before it goes.
    unsafe data.map { unsafe Unmanaged<PulseStream>.fromOpaque($0).takeUnretainedValue() }
  }

  private func transferAsked(_ stream: OpaquePointer?, _ bytes: Int, _ data: UnsafeMutableRawPointer?) {
    unsafe pulseStream(data)?.transfer()
  }

  private func stateChanged(_ stream: OpaquePointer?, _ data: UnsafeMutableRawPointer?) {
    unsafe pulseStream(data)?.stateDidChange()
  }

  private func latencyTold(_ stream: OpaquePointer?, _ data: UnsafeMutableRawPointer?) {
    unsafe pulseStream(data)?.publishTime()
  }

  private func underflowed(_ stream: OpaquePointer?, _ data: UnsafeMutableRawPointer?) {
    unsafe pulseStream(data)?.underran()
  }

  private func playingStarted(_ stream: OpaquePointer?, _ data: UnsafeMutableRawPointer?) {
    unsafe pulseStream(data)?.playsAgain()
  }

  private func streamMoved(_ stream: OpaquePointer?, _ data: UnsafeMutableRawPointer?) {
    unsafe pulseStream(data)?.didMove()
  }

  private func suspensionChanged(_ stream: OpaquePointer?, _ data: UnsafeMutableRawPointer?) {
    unsafe pulseStream(data)?.suspensionDidChange()
  }

  func deviceChanged(
    _ context: OpaquePointer?, _ event: pa_subscription_event_type_t, _ index: UInt32,
    _ data: UnsafeMutableRawPointer?
  ) {
    guard event.rawValue & PA_SUBSCRIPTION_EVENT_TYPE_MASK.rawValue == PA_SUBSCRIPTION_EVENT_CHANGE.rawValue
    else { return }
    unsafe pulseStream(data)?.deviceDidChange(index)
  }

  func sourceTold(
    _ context: OpaquePointer?, _ info: UnsafePointer<pa_source_info>?, _ end: Int32,
    _ data: UnsafeMutableRawPointer?
  ) {
    guard end == 0, let info = unsafe info?.pointee else { return }
    unsafe pulseStream(data)?.take(PCMFormat(info.sample_spec, info.channel_map))
  }

  func sinkTold(
    _ context: OpaquePointer?, _ info: UnsafePointer<pa_sink_info>?, _ end: Int32,
    _ data: UnsafeMutableRawPointer?
  ) {
    guard end == 0, let info = unsafe info?.pointee else { return }
    unsafe pulseStream(data)?.take(PCMFormat(info.sample_spec, info.channel_map))
  }
#endif
