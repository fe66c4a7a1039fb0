/// A change among the devices of a backend.
public enum DeviceEvent: Sendable, Equatable {
  /// A device came.
  case added(DeviceInfo)
  /// A device went.
  case removed(DeviceInfo)
  /// Another name, format or place among the defaults.
  case changed(DeviceInfo)
  /// The default of a direction is another one now, or there is none.
  case defaultChanged(DeviceDirection, DeviceInfo?)
  /// The server ended; `serverReturned` follows when there is one again.
  case serverDied
  case serverReturned
  /// So many events before this one found no room and are not known: ask for the devices again.
  case eventsLost(Int)

  /// What changed between two lists of devices.
  static func changes(from old: [DeviceInfo], to new: [DeviceInfo]) -> [DeviceEvent] {
    var events: [DeviceEvent] = []
    func twin(_ device: DeviceInfo, in list: [DeviceInfo]) -> DeviceInfo? {
      list.first { $0.id == device.id && $0.direction == device.direction }
    }
    for device in old where twin(device, in: new) == nil { events.append(.removed(device)) }
    for device in new {
      guard let before = twin(device, in: old) else {
        events.append(.added(device))
        continue
      }
      if before != device { events.append(.changed(device)) }
    }
    for direction in DeviceDirection.allCases {
      let was = old.first { $0.isDefault && $0.direction == direction }
      let now = new.first { $0.isDefault && $0.direction == direction }
      if was?.id != now?.id { events.append(.defaultChanged(direction, now)) }
    }
    return events
  }
}
