import AACKit
import AudioDevices
import PCM

extension Command {
  static let devices = Command(
    name: "devices", summary: "list the inputs and outputs", operands: "",
    details: """
      The devices of the first backend that can be had, and why others cannot. A * marks those that are taken
      where none is named; a monitor hears what an output plays.
      """,
    options: [DeviceOptions.backend, SharedOptions.json],
    run: runDevices)
}

private func runDevices(_ arguments: ParsedArguments, _ console: Console) throws -> Int32 {
  _ = try arguments.operands()
  let listing = try DeviceListing(asked: try DeviceOptions.name(arguments))
  if arguments.has(SharedOptions.json) {
    try console.print(listing.json.pretty)
  } else if listing.failure == nil {
    try console.print(listing.text)
  }
  if let failure = listing.failure { throw failure }
  return ExitStatus.done
}

/// The backends there are, and the devices of one of them.
struct DeviceListing {
  struct Backend: Equatable {
    var name: String
    /// Why it cannot be had; `nil` where it can.
    var reason: String?
    var isAutomatic: Bool
  }

  var backends: [Backend] = []
  /// The backend whose devices these are; `nil` where none can be had.
  var chosen: String?
  var devices: [DeviceInfo] = []
  /// Why there are none to be listed.
  var failure: AudioDeviceError?

  /// - Parameter asked: the backend whose devices are wanted; `nil`: the first automatic one that can be had.
  init(_ known: AudioBackends = .standard, asked: String?) throws(UsageError) {
    for entry in known.entries {
      var backend = Backend(name: entry.name, isAutomatic: entry.isAutomatic)
      let isWanted = asked.map { $0 == entry.name } ?? entry.isAutomatic
      do throws(AudioDeviceError) {
        let opened = try entry.open()
        if isWanted, chosen == nil {
          devices = try opened.devices()
          chosen = entry.name
          failure = nil
        }
      } catch {
        backend.reason = error.description
        if isWanted, chosen == nil, failure == nil { failure = error }
      }
      backends.append(backend)
    }
    if chosen == nil, failure == nil {
      failure = AudioDeviceError(
        .noBackend(asked: asked.map { [$0] } ?? [], existing: known.names, refused: []))
    }
  }
}

extension DeviceListing {
  var json: JSON {
    .object([
      (key: "backend", value: .optional(chosen)),
      (key: "devices", value: .array(devices.map(\.json))),
      (
        key: "backends",
        value: .array(
          backends.map { backend in
            .object([
              (key: "name", value: .string(backend.name)),
              (key: "available", value: .bool(backend.reason == nil)),
              (key: "automatic", value: .bool(backend.isAutomatic)),
              (key: "reason", value: .optional(backend.reason)),
            ])
          })
      ),
    ])
  }

  /// A table for people.
  var text: String {
    var rows: [[String]] = []
    var heads: [Int: String] = [:]
    for direction in DeviceDirection.allCases {
      heads[rows.count, default: ""] += "\(direction.rawValue)s of \(chosen ?? "")\n"
      let fitting = devices.filter { $0.direction == direction }
      rows += fitting.map(\.row)
      if fitting.isEmpty { rows.append(["", "none"]) }
    }
    let widths = (0..<5).map { column in
      rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    var lines: [String] = []
    for (index, row) in rows.enumerated() {
      if let head = heads[index] { lines.append(String(head.dropLast())) }
      var line = ""
      for (column, cell) in row.enumerated() {
        line += cell
        guard column + 1 < row.count else { break }
        line += String(repeating: " ", count: max(0, widths[column] - cell.count) + (column == 0 ? 1 : 2))
      }
      lines.append("  " + line)
    }
    for backend in backends {
      if let reason = backend.reason { lines.append("backend \(reason)") }
    }
    let further = backends.filter { $0.reason == nil && $0.name != chosen }.map(\.name)
    if !further.isEmpty { lines.append("other backends: \(further.joined(separator: " "))") }
    return lines.joined(separator: "\n")
  }
}

extension DeviceInfo {
  fileprivate var json: JSON {
    .object([
      (key: "id", value: .string(id)), (key: "name", value: .string(name)),
      (key: "direction", value: .string(direction.rawValue)),
      (key: "sampleRate", value: .integer(format.sampleRate)),
      (key: "channels", value: .integer(format.channelCount)),
      (key: "layout", value: .string(format.layout.name)), (key: "default", value: .bool(isDefault)),
      (key: "monitor", value: .bool(isMonitor)),
    ])
  }

  fileprivate var row: [String] {
    let row = [isDefault ? "*" : " ", id, name, "\(format.sampleRate) Hz", format.layout.name]
    return isMonitor ? row + ["monitor"] : row
  }
}
