import PCM

/// The devices of a backend without hardware.
struct ClockedDevices: Sendable {
  let backend: String
  let sources: [SoundSource]
  let sinks: [SoundSink]
  let pacing: Pacing

  var list: [DeviceInfo] {
    let inputs = sources.enumerated().map { index, source in
      DeviceInfo(
        id: source.id, name: source.id, direction: .input, format: source.format, isDefault: index == 0)
    }
    let outputs = sinks.enumerated().map { index, sink in
      DeviceInfo(id: sink.id, name: sink.id, direction: .output, format: sink.format, isDefault: index == 0)
    }
    return inputs + outputs
  }

  /// Nothing ever changes, so there is nothing to wait for.
  static var noEvents: AsyncStream<DeviceEvent> { AsyncStream { $0.finish() } }

  func openCapture(
    _ request: StreamRequest, _ device: DeviceInfo
  ) throws(AudioDeviceError) -> CaptureStream {
    guard let source = sources.first(where: { $0.id == device.id }) else {
      throw AudioDeviceError(.noDevice(device.id, existing: sources.map(\.id)), backend: backend)
    }
    let core = try core(request, device)
    let driver = ClockedCapture(source: source, core: core, pacing: pacing, latency: request.latency)
    return CaptureStream(request: request, grant: grant(device, driver), core: core, driver: driver)
  }

  func openPlayout(
    _ request: StreamRequest, _ device: DeviceInfo
  ) throws(AudioDeviceError) -> PlayoutStream {
    guard let sink = sinks.first(where: { $0.id == device.id }) else {
      throw AudioDeviceError(.noDevice(device.id, existing: sinks.map(\.id)), backend: backend)
    }
    let core = try core(request, device)
    let driver = ClockedPlayout(sink: sink, core: core, pacing: pacing, latency: request.latency)
    return PlayoutStream(request: request, grant: grant(device, driver), core: core, driver: driver)
  }

  /// There is no server that could convert: the stream always has the device's format.
  private func core(_ request: StreamRequest, _ device: DeviceInfo) throws(AudioDeviceError) -> StreamCore {
    try request.check()
    try pacing.check()
    guard (1...384_000).contains(device.format.sampleRate), (1...32).contains(device.format.channelCount)
    else { throw AudioDeviceError(.invalidRequest("a device of an impossible format"), backend: backend) }
    if request.conversion == .server, request.format(at: device.format) != device.format {
      throw AudioDeviceError(.refused("there is no server that converts"), backend: backend)
    }
    return StreamCore(
      format: device.format, bufferFrames: request.ringFrames(at: device.format.sampleRate))
  }

  private func grant(_ device: DeviceInfo, _ driver: ClockedDriver) -> Grant {
    Grant(
      device: device, latency: .seconds(Double(2 * driver.portion) / Double(device.format.sampleRate)))
  }
}
