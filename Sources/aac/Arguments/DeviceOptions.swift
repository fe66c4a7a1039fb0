import AACKit
import AudioDevices

/// Options on devices that several commands share.
enum DeviceOptions {
  static let backend = CommandOption(
    "--backend", takes: "NAME",
    help: "the way to the devices: \(UsageError.list(AudioBackends.standard.names))"
  )
  static let device = CommandOption(
    "--device", takes: "DEVICE",
    help: "id of the device, or a part of its id or name that no other has (see aac devices)")
  static let latency = CommandOption(
    "--latency", takes: "MS", help: "sound between the device and this program, 5 to 2000 ms (usually 100)")
  static let unplug = CommandOption(
    "--on-unplug", takes: "move|stop",
    help: "what happens when the device goes away: move to the default (usual)")

  /// The backend that `--backend` names, or the first that can be had.
  static func open(_ arguments: ParsedArguments) throws -> AudioBackends.Choice {
    try AudioBackends.standard.open(preferring: try name(arguments).map { [$0] })
  }

  /// The backend's name; `nil` where none is asked for.
  static func name(_ arguments: ParsedArguments) throws(UsageError) -> String? {
    try arguments.choice(backend, AudioBackends.standard.names.map { (name: $0, value: $0) })
  }

  /// The device that `--device` means; `nil` where none is asked for.
  ///
  /// - Throws: `noDevice` with what exists; `UsageError` where several fit.
  static func device(
    _ arguments: ParsedArguments, _ direction: DeviceDirection, among devices: [DeviceInfo]
  ) throws -> DeviceInfo? {
    guard let text = arguments.string(device) else { return nil }
    let all = devices.filter { $0.direction == direction }
    if let exact = all.first(where: { $0.id == text }) { return exact }
    let named = all.filter { $0.name == text }
    if named.count == 1 { return named[0] }
    let part = text.lowercased()
    let fitting = all.filter {
      $0.id.lowercased().contains(part) || $0.name.lowercased().contains(part)
    }
    if fitting.count == 1, !part.isEmpty { return fitting[0] }
    func list(_ devices: [DeviceInfo]) -> [String] { devices.map { "\($0.id) (\($0.name))" } }
    guard !fitting.isEmpty, !part.isEmpty else {
      throw AudioDeviceError(.noDevice(text, existing: list(all)))
    }
    throw UsageError.value(device.name, text, "several fit: \(list(fitting).joined(separator: ", "))")
  }

  /// Puts what the options ask for into a request.
  static func fill(
    _ request: inout StreamRequest, _ arguments: ParsedArguments, _ direction: DeviceDirection,
    of backend: any AudioBackend
  ) throws {
    if let milliseconds = try arguments.integer(latency, in: 5...2000) {
      request.latency = .milliseconds(milliseconds)
    }
    if let choice = try arguments.choice(
      unplug, [("move", StreamRequest.Unplug.moveToDefault), ("stop", .stop)])
    {
      request.onUnplug = choice
    }
    if arguments.has(device) {
      request.device = try device(arguments, direction, among: backend.devices())?.id
    }
  }
}
