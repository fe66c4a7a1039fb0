public import AudioDevices

/// Where a recording comes from, and how it is opened again after it went away.
public struct RecordingSource: Sendable {
  /// Opens the stream, which has not been started.
  public var open: @Sendable () throws(AudioDeviceError) -> CaptureStream

  public init(open: @escaping @Sendable () throws(AudioDeviceError) -> CaptureStream) { self.open = open }

  /// The default input of the first backend that can be had.
  public static var defaultInput: RecordingSource {
    RecordingSource { () throws(AudioDeviceError) -> CaptureStream in
      try AudioBackends.standard.open().backend.openCapture(Self.usualRequest)
    }
  }

  /// An input of a backend.
  public static func input(
    of backend: any AudioBackend, _ request: StreamRequest = usualRequest
  ) -> RecordingSource {
    RecordingSource { () throws(AudioDeviceError) -> CaptureStream in try backend.openCapture(request) }
  }

  /// Latency of 100 ms, and room for ten seconds while the machine is busy elsewhere.
  public static var usualRequest: StreamRequest { StreamRequest(bufferLength: .seconds(10)) }
}
