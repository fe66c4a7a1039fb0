#if canImport(CPulse)
  import CPulse
  import PCM

  /// The server's devices, collected by callbacks on the connection's thread.
  @safe
  final class PulseListing {
    private(set) var devices: [DeviceInfo] = []
    private var defaultOutput: String?
    private var defaultInput: String?
    private let mainloop: OpaquePointer

    private init(_ mainloop: OpaquePointer) { unsafe self.mainloop = mainloop }

    /// Asks the server. The connection's lock must not be held.
    static func devices(_ connection: PulseConnection) throws(AudioDeviceError) -> [DeviceInfo] {
      let listing = unsafe PulseListing(connection.mainloop)
      // unsafe: the operations are over, or cancelled, before the listing goes.
      defer { withExtendedLifetime(listing) {} }
      let data = unsafe Unmanaged.passUnretained(listing).toOpaque()
      try connection.locked { () throws(AudioDeviceError) in
        guard connection.isAlive else { throw connection.failure }
        let context = unsafe connection.context
        unsafe try connection.finish(
          pa_context_get_server_info(context, takeServer, data), "the server's defaults")
        unsafe try connection.finish(pa_context_get_source_info_list(context, takeSource, data), "the inputs")
        unsafe try connection.finish(pa_context_get_sink_info_list(context, takeSink, data), "the outputs")
      }
      return listing.devices
    }

    fileprivate func take(_ server: pa_server_info) {
      defaultOutput = unsafe string(server.default_sink_name)
      defaultInput = unsafe string(server.default_source_name)
      unsafe pa_threaded_mainloop_signal(mainloop, 0)
    }

    fileprivate func take(_ source: pa_source_info) {
      guard let id = unsafe string(source.name) else { return }
      unsafe devices.append(
        DeviceInfo(
          id: id, name: string(source.description) ?? id, direction: .input,
          format: PCMFormat(source.sample_spec, source.channel_map), isDefault: id == defaultInput,
          isMonitor: source.monitor_of_sink != UInt32.max))
    }

    fileprivate func take(_ sink: pa_sink_info) {
      guard let id = unsafe string(sink.name) else { return }
      unsafe devices.append(
        DeviceInfo(
          id: id, name: string(sink.description) ?? id, direction: .output,
          format: PCMFormat(sink.sample_spec, sink.channel_map), isDefault: id == defaultOutput))
    }

    fileprivate func end() { unsafe pa_threaded_mainloop_signal(mainloop, 0) }

    @unsafe
    private func string(_ text: UnsafePointer<CChar>?) -> String? {
      // unsafe: the server's texts end with a zero and are valid in the callback.
      unsafe text.map { unsafe String(cString: $0) }
    }
  }

  @unsafe
  private func listing(_ data: UnsafeMutableRawPointer?) -> PulseListing? {
    // unsafe: the listing that waits for this callback.
    unsafe data.map { unsafe Unmanaged<PulseListing>.fromOpaque($0).takeUnretainedValue() }
  }

  private func takeServer(
    _ context: OpaquePointer?, _ info: UnsafePointer<pa_server_info>?, _ data: UnsafeMutableRawPointer?
  ) {
    if let info = unsafe info {
      unsafe listing(data)?.take(info.pointee)
    } else {
      unsafe listing(data)?.end()
    }
  }

  private func takeSource(
    _ context: OpaquePointer?, _ info: UnsafePointer<pa_source_info>?, _ end: Int32,
    _ data: UnsafeMutableRawPointer?
  ) {
    if let info = unsafe info, end == 0 {
      unsafe listing(data)?.take(info.pointee)
    } else {
      unsafe listing(data)?.end()
    }
  }

  private func takeSink(
    _ context: OpaquePointer?, _ info: UnsafePointer<pa_sink_info>?, _ end: Int32,
    _ data: UnsafeMutableRawPointer?
  ) {
    if let info = unsafe info, end == 0 {
      unsafe listing(data)?.take(info.pointee)
    } else {
      unsafe listing(data)?.end()
    }
  }
#endif
