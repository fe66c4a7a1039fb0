public import AAC
import PCM

/// Writes ADIF: a header with the channels, then the access units.
public final class ADIFWriter: PacketWriter {
  private let sink: any ByteSink
  private let base: Int64
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
    let layout = configuration.elements.layout
    let profile = type.rawValue - 1
    guard
      var program = configuration.programConfig
        ?? ProgramConfig(layout: layout, samplingRateIndex: rateIndex, profile: profile)
    else {
      throw ContainerError(.cannotCarry("ADIF has no way to say the channel layout \(layout.name)"))
    }
    program.samplingRateIndex = rateIndex
    program.profile = profile
    self.sink = sink
    base = sink.length
    header = ADIFHeader()
    header.programs = [program]
    rate = BitRateMeter(
      packetsPerSecond: max(1, configuration.samplingRate.hertz / configuration.frameLength))
    try sink.append(header.bytes)
  }

  public func write(_ packet: Packet) throws(ContainerError) {
    guard !isFinished else { throw ContainerError(.misuse("the writer is finished")) }
    try PacketCheck.refuseFramed(packet.data)
    try sink.append(packet.data)
    rate.add(packet.data.count)
  }

  public func finish() throws(ContainerError) {
    guard !isFinished else { return }
    isFinished = true
    if sink.isSeekable {
      header.bitRate = Int(rate.maximum)
      try sink.rewrite(header.bytes, at: base)
    }
    try sink.flush()
  }
}
