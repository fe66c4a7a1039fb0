/// `individual_channel_stream()`: one channel of one frame, as integers, exactly what the bits say.
///
/// Band arrays are indexed `group * info.maxBand + band`. `spectrum` is in coded order: group after group;
/// in a group band after band; in a band window after window. Band b of group g thus starts at
/// `windowLength * (windows before g) + offset[b] * (windows in g)`.
/// All arrays have fixed sizes, so that a stream is filled again and again without allocating.
struct ChannelStream: Sendable {
  /// Room for eight groups of 15 bands, or one of 51.
  static let bandCapacity = 128

  var globalGain = 0
  var info = ICSInfo()
  /// Codebook of each band: 0 nothing, 1…11 spectral, 13 noise, 14 and 15 intensity.
  var codebooks = [UInt8](repeating: 0, count: bandCapacity)  // sfb_cb
  /// The number, 16…31, that stands for codebook 11 of a band in error-resilient streams; 0 where none does.
  var virtualCodebooks = [UInt8](repeating: 0, count: bandCapacity)
  /// The frame of reversible codewords around the scale factors, where the stream uses them.
  var reversible: ReversibleScaleFactors?
  /// Spectral gain (0…255), intensity position or noise energy, by the band's codebook; 0 for book 0.
  var scaleFactors = [Int16](repeating: 0, count: bandCapacity)
  var pulses: PulseData?
  var tns: TNSData?
  /// Quantised lines in coded order; those past the frame's are zero.
  var spectrum = [Int16](repeating: 0, count: 1024)

  /// The filter storage while `tns` is nil.
  private var spareFilters: [TNSData.Filter] = []
}

/// Codebook numbers with a meaning of their own.
enum Codebook {
  static let zero: UInt8 = 0  // ZERO_HCB
  static let escape: UInt8 = 11  // ESC_HCB
  static let noise: UInt8 = 13  // NOISE_HCB
  static let intensityOutOfPhase: UInt8 = 14  // INTENSITY_HCB2
  static let intensityInPhase: UInt8 = 15  // INTENSITY_HCB
}

extension ChannelStream: Equatable {
  /// Bands in use.
  var bandCount: Int { info.groupCount * info.maxBand }

  /// Compares what would be written; what the arrays hold beyond the bands in use does not count.
  static func == (left: ChannelStream, right: ChannelStream) -> Bool {
    left.globalGain == right.globalGain && left.info == right.info && left.pulses == right.pulses
      && left.tns == right.tns && left.spectrum == right.spectrum && left.reversible == right.reversible
      && left.codebooks.prefix(left.bandCount) == right.codebooks.prefix(right.bandCount)
      && left.virtualCodebooks.prefix(left.bandCount) == right.virtualCodebooks.prefix(right.bandCount)
      && left.scaleFactors.prefix(left.bandCount) == right.scaleFactors.prefix(right.bandCount)
  }
}

extension ChannelStream {
  /// Reads a stream into `self` (table 4.49).
  ///
  /// - Parameter commonInfo: the ics_info that a pair shares; `nil` where the stream has one of its own.
  mutating func parse(
    _ bits: inout BitReader, commonInfo: ICSInfo?, bands: ScaleFactorBands,
    syntax: StreamSyntax = StreamSyntax()
  ) throws(AACError) {
    globalGain = try bits.uint(8)
    if let commonInfo {
      info = commonInfo
    } else {
      info = try ICSInfo(parsing: &bits, bands: bands, syntax: syntax)
    }
    try SectionData.parse(&bits, info: info, into: &codebooks)
    try ScaleFactors.parse(&bits, into: &self)
    try parsePulses(&bits, bands: bands)
    try parseTNS(&bits, isPresent: bits.flag())
    if try bits.flag() { throw bits.failure(.unsupported("gain control (SSR)")) }
    try SpectralData.parse(&bits, into: &self, bands: bands)
  }

  mutating func parsePulses(_ bits: inout BitReader, bands: ScaleFactorBands) throws(AACError) {
    pulses = nil
    guard try bits.flag() else { return }
    guard !info.isShort else {
      throw bits.failure(.inconsistent("pulse data in a frame of short windows"))
    }
    pulses = try PulseData(parsing: &bits, bands: bands)
  }

  /// Keeps the filters' storage from frame to frame.
  mutating func parseTNS(_ bits: inout BitReader, isPresent: Bool) throws(AACError) {
    var data = TNSData()
    if var old = tns {
      tns = nil
      swap(&data.filters, &old.filters)
    } else {
      swap(&data.filters, &spareFilters)
    }
    if isPresent {
      try data.parse(&bits, info: info)
      tns = data
    } else {
      swap(&spareFilters, &data.filters)
    }
  }

  /// Writes the whole stream.
  ///
  /// - Parameter commonWindow: the ics_info stands in front of the pair and is left out here.
  func write(
    to bits: inout BitWriter, commonWindow: Bool, bands: ScaleFactorBands,
    syntax: StreamSyntax = StreamSyntax()
  ) {
    bits.put(globalGain, Self.globalGainBits)
    if !commonWindow { info.write(to: &bits, syntax: syntax) }
    SectionData.write(codebooks, info: info, to: &bits)
    ScaleFactors.write(self, to: &bits)
    writeTools(to: &bits)
    SpectralData.write(self, to: &bits, bands: bands)
  }

  static let globalGainBits = 8

  /// Writes what stands between scale factors and lines.
  func writeTools(to bits: inout BitWriter) {
    bits.put(pulses != nil)
    pulses?.write(to: &bits)
    bits.put(tns != nil)
    tns?.write(to: &bits, info: info)
    bits.put(false)  // gain_control_data_present
  }
}
