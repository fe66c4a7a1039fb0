import AACKit
import AudioDevices
import AudioFiles

/// Options of the commands that use devices.
enum DeviceOptions {
  static let device = CommandOption(
    "--device", takes: "NAME", help: "a device by its id, or by a part of its name that no other has")
  static let backend = CommandOption(
    "--backend", takes: "NAME",
    help:
      "\(UsageError.list(AudioBackends.standard.names)): how devices are reached; usually the first that answers"
  )
  static let latency = CommandOption(
    "--latency", takes: "MS", help: "sound between the device and this program, 5 to 2000 ms (usually 100)")
  static let unplug = CommandOption(
    "--on-unplug", takes: "move|stop",
    help: "what happens when the device goes away: move to the default (usual)")

  /// The backend asked for, or the first that can be had.
  static func open(_ arguments: ParsedArguments) throws -> any AudioBackend {
    guard let name = arguments.string(backend) else { return try AudioBackends.standard.open().backend }
    let names = AudioBackends.standard.names
    guard names.contains(name) else {
      throw UsageError.value(backend.name, name, "choose \(UsageError.list(names))")
    }
    return try AudioBackends.standard.open(preferring: [name]).backend
  }

  /// The stream asked for.
  static func request(
    _ arguments: ParsedArguments, _ direction: DeviceDirection, of backend: any AudioBackend
  ) throws -> StreamRequest {
    var request = RecordingSource.usualRequest
    if let milliseconds = try arguments.integer(latency, in: 5...2000) {
      request.latency = .milliseconds(milliseconds)
    }
    request.onUnplug =
      try arguments.choice(unplug, [("move", .moveToDefault), ("stop", .stop)]) ?? .moveToDefault
    if let name = arguments.string(device) {
      request.device = try find(
        name, among: backend.devices().filter { $0.direction == direction }, direction)
    }
    return request
  }

  private static func find(
    _ name: String, among devices: [DeviceInfo], _ direction: DeviceDirection
  ) throws -> DeviceInfo.ID {
    if let device = devices.first(where: { $0.id == name }) { return device.id }
    let wanted = name.lowercased()
    let matches = devices.filter {
      $0.id.lowercased().contains(wanted) || $0.name.lowercased().contains(wanted)
    }
    if matches.count == 1 { return matches[0].id }
    let known = devices.map(\.id).joined(separator: ", ")
    throw UsageError(
      matches.isEmpty
        ? "there is no \(direction.rawValue) '\(name)'; there are: \(known.isEmpty ? "none" : known)"
        : "'\(name)' is part of several: \(matches.map(\.id).joined(separator: ", "))")
  }
}
