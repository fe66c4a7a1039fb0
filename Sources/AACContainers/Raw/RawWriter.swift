public import AAC

/// Writes bare access units, and beside them the sidecar that makes them readable (see `RawSidecar`).
public final class RawWriter: PacketWriter {
  private let sink: any ByteSink
  private let sidecar: any ByteSink
  private let tags: Tags
  private var count = 0
  private var priming = 0
  private var padding = 0
  private var packetDuration = 0
  private var isFinished = false

  public init(
    _ sink: any ByteSink, sidecar: any ByteSink, configuration: AudioSpecificConfig,
    configurationBytes: [UInt8]? = nil, timeRate: Int? = nil, tags: Tags = Tags()
  ) throws(ContainerError) {
    self.sink = sink
    self.sidecar = sidecar
    self.tags = tags
    let hexadecimal = RawSidecar.hexadecimal(configurationBytes ?? configuration.bytes)
    try put(
      """
      {
        "format": "\(RawSidecar.format)",
        "configuration": "\(hexadecimal)",
        "objectType": "\(configuration.objectType.name)",
        "timeRate": \(timeRate ?? configuration.outputRate),
        "sizes": [
      """)
  }

  private func put(_ text: String) throws(ContainerError) { try sidecar.append([UInt8](text.utf8)) }

  public func write(_ packet: Packet) throws(ContainerError) {
    guard !isFinished else { throw ContainerError(.misuse("the writer is finished")) }
    try PacketCheck.refuseFramed(packet.data)
    if count == 0 { packetDuration = packet.duration }
    try sink.append(packet.data)
    try put((count == 0 ? "\n    " : count % 16 == 0 ? ",\n    " : ", ") + String(packet.data.count))
    count += 1
    priming += packet.priming
    padding += packet.padding
  }

  public func finish() throws(ContainerError) {
    guard !isFinished else { return }
    isFinished = true
    var text = "\n  ],\n"
    if packetDuration > 0 { text += "  \"packetDuration\": \(packetDuration),\n" }
    text += "  \"priming\": \(priming),\n  \"padding\": \(padding)"
    if !tags.keys.isEmpty {
      let items = tags.keys.map { key in
        let values = tags.values(of: key).map(JSONScanner.quoted)
        let value = values.count == 1 ? values[0] : "[" + values.joined(separator: ", ") + "]"
        return "    \(JSONScanner.quoted(key)): \(value)"
      }
      text += ",\n  \"tags\": {\n" + items.joined(separator: ",\n") + "\n  }"
    }
    try put(text + "\n}\n")
    try sidecar.flush()
    try sink.flush()
  }
}
