import AudioDevices

/// Finds the device that `--device` means.
enum DeviceChoice {
  /// The device with this id, or the only one with this text in its name or id, capitals or not.
  ///
  /// - Throws: `noDevice` with what exists; `UsageError` where several fit; what the backend says.
  static func device(
    named text: String, _ direction: DeviceDirection, on backend: any AudioBackend
  ) throws -> DeviceInfo {
    let all = try backend.devices().filter { $0.direction == direction }
    if let device = all.first(where: { $0.id == text }) { return device }
    let wanted = text.lowercased()
    let fitting = all.filter { $0.name.lowercased().contains(wanted) || $0.id.lowercased().contains(wanted) }
    if fitting.count == 1, let device = fitting.first { return device }
    let exact = fitting.filter { $0.name.lowercased() == wanted }
    if exact.count == 1, let device = exact.first { return device }
    func list(_ devices: [DeviceInfo]) -> [String] { devices.map { "\($0.id) (\($0.name))" } }
    guard !fitting.isEmpty else {
      throw AudioDeviceError(.noDevice(text, existing: list(all)), backend: backend.name)
    }
    throw UsageError.value(
      "--device", text, "several fit: \(list(fitting).joined(separator: ", "))")
  }
}
