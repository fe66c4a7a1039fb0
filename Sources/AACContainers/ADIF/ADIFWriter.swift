public import AAC

/// Writes ADIF: a header with the channels, then the access units.
public final class ADIFWriter: PacketWriter {
  private let sink: any ByteSink
  private let base: Int64
  private let choice: ProgramChoice
  private var header: ADIFHeader
  private var rate: BitRateMeter
  private var isFinished = false

  /// - Throws: `cannotCarry` where ADIF has no way to say the configuration.
  public init(_ sink: any ByteSink, configuration: AudioSpecificConfig) throws(ContainerError) {
    let type = configuration.objectType
    guard (1...4).contains(type.rawValue) else {
      throw ContainerError(.cannotCarry("ADIF has no number for \(type.name) audio"))
    }
    guard let rateIndex = configuration.samplingRate.index else {
      throw ContainerError(
        .cannotCarry("ADIF has no number for the sampling rate \(configuration.samplingRate.hertz) Hz"))
    }
    guard configuration.frameLength == 1024 else {
      throw ContainerError(
        .cannotCarry("ADIF cannot say that frames are \(configuration.frameLength) samples long"))
    }
    choice = try ProgramChoice(configuration, rateIndex: rateIndex, container: "ADIF")
    self.sink = sink
    base = sink.length
    header = ADIFHeader()
    rate = BitRateMeter(
      packetsPerSecond: max(1, configuration.samplingRate.hertz / configuration.frameLength))
  }

  /// The header says the tags of the elements, which the first access unit tells.
  private func start(_ accessUnit: [UInt8]) throws(ContainerError) {
    guard header.programs.isEmpty, let config = choice.config(first: accessUnit) else { return }
    header.programs = [config]
    try sink.append(header.bytes)
  }

  public func write(_ packet: Packet) throws(ContainerError) {
    guard !isFinished else { throw ContainerError(.misuse("the writer is finished")) }
    try PacketCheck.refuseFramed(packet.data)
    try start(packet.data)
    try sink.append(packet.data)
    rate.add(packet.data.count)
  }

  public func finish() throws(ContainerError) {
    guard !isFinished else { return }
    isFinished = true
    try start([])
    if sink.isSeekable {
      header.bitRate = Int(rate.maximum)
      try sink.rewrite(header.bytes, at: base)
    }
    try sink.flush()
  }
}
