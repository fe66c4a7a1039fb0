#if canImport(CPulse)
  import PCM
  import Threads

  /// The devices of a PulseAudio server, or of PipeWire in its place.
  public final class PulseBackend: AudioBackend {
    public let name = "pulse"
    private let server: String?
    /// The connection for questions; streams have their own.
    private let control: Guarded<PulseConnection?>

    /// Connects to a server. No server is started for it.
    /// - Parameter server: an address such as `unix:/run/user/1000/pulse/native`; `nil` for what `PULSE_SERVER` and the
    ///   configuration say.
    /// - Throws: `noServer`, `timedOut`.
    public init(server: String? = nil) throws(AudioDeviceError) {
      self.server = server
      control = Guarded(try PulseConnection(server: server, name: "aac"))
    }

    deinit { control.withLock { $0?.close() } }

    public func devices() throws(AudioDeviceError) -> [DeviceInfo] {
      try PulseListing.devices(try connection())
    }

    /// The connection for questions, made anew where the server was away.
    private func connection() throws(AudioDeviceError) -> PulseConnection {
      try control.withLock { (held) throws(AudioDeviceError) in
        if let held, held.locked({ held.isAlive }) { return held }
        held?.close()
        held = nil
        let made = try PulseConnection(server: server, name: "aac")
        held = made
        return made
      }
    }

    public func openCapture(_ request: StreamRequest) throws(AudioDeviceError) -> CaptureStream {
      try request.check()
      let device = try device(request, .input)
      let core = core(request, device)
      let driver = try PulseCapture(server: server, request, device, core: core)
      return CaptureStream(
        request: request, grant: try driver.open(request, device), core: core, driver: driver)
    }

    public func openPlayout(_ request: StreamRequest) throws(AudioDeviceError) -> PlayoutStream {
      try request.check()
      let device = try device(request, .output)
      let core = core(request, device)
      let driver = try PulsePlayout(server: server, request, device, core: core)
      return PlayoutStream(
        request: request, grant: try driver.open(request, device), core: core, driver: driver)
    }

    private func core(_ request: StreamRequest, _ device: DeviceInfo) -> StreamCore {
      let format = request.format(at: device.format)
      return StreamCore(format: format, bufferFrames: request.ringFrames(at: format.sampleRate))
    }

    public func deviceEvents() -> AsyncStream<DeviceEvent> {
      AsyncStream(bufferingPolicy: .bufferingOldest(64)) { continuation in
        let watch = PulseWatch(server: server, continuation)
        continuation.onTermination = { _ in watch.stop() }
        watch.start()
      }
    }
  }
#endif
