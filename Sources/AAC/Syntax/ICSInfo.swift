/// ics_info's window_sequence (ISO/IEC 14496-3, 4.6.11).
public enum WindowSequence: UInt8, Sendable, Hashable {
  case onlyLong = 0
  case longStart = 1
  case eightShort = 2
  case longStop = 3
}

/// window_shape. In low-delay streams 1 stands for the low-overlap window instead.
public enum WindowShape: UInt8, Sendable, Hashable {
  case sine = 0
  case kaiserBessel = 1
}

/// `ics_info()`: how one channel's frame is cut into windows, groups and bands.
struct ICSInfo: Equatable, Sendable {
  var windowSequence: WindowSequence = .onlyLong
  var windowShape: WindowShape = .sine
  /// Bands coded in each group.
  var maxBand = 0  // max_sfb
  /// Bit 6 for window 1 … bit 0 for window 7; set: the window joins the group of the one before.
  var grouping: UInt8 = 0  // scale_factor_grouping
  var predictor: Predictor = .none

  /// What follows predictor_data_present.
  enum Predictor: Equatable, Sendable {
    case none
    case perLine(PredictionData)
    /// With ltp_data_present 0 there is no data.
    case longTerm(LTPData?)
  }

  var isShort: Bool { windowSequence == .eightShort }
  var windowCount: Int { isShort ? 8 : 1 }

  /// Windows in each group; entries past `groupCount` are zero.
  var groupLengths: SIMD8<Int> {
    var lengths = SIMD8<Int>(repeating: 0)
    guard isShort else {
      lengths[0] = 1
      return lengths
    }
    var group = 0
    lengths[0] = 1
    for window in 1..<8 {
      if grouping & (1 << UInt8(7 - window)) == 0 { group += 1 }
      lengths[group] += 1
    }
    return lengths
  }

  var groupCount: Int {
    isShort ? 8 - (grouping & 0x7F).nonzeroBitCount : 1
  }
}

extension ICSInfo {
  /// Reads ics_info (4.4.2.1, table 4.50).
  ///
  /// The reserved bit is skipped: streams that set it are decoded by everyone.
  init(
    parsing bits: inout BitReader, bands: ScaleFactorBands, syntax: StreamSyntax = StreamSyntax()
  ) throws(AACError) {
    try bits.skip(1)  // ics_reserved_bit
    switch try bits.uint(2) {
    case 0: windowSequence = .onlyLong
    case 1: windowSequence = .longStart
    case 2: windowSequence = .eightShort
    default: windowSequence = .longStop
    }
    guard windowSequence == .onlyLong || syntax.objectType != .lowDelay else {
      throw bits.failure(.inconsistent("block switching in a low-delay stream"))
    }
    windowShape = try bits.flag() ? .kaiserBessel : .sine
    let start = bits.position
    maxBand = try bits.uint(isShort ? 4 : 6)
    try checkMaxBand(bands, start)
    if isShort {
      grouping = UInt8(truncatingIfNeeded: try bits.uint(7))
    } else if try bits.flag() {
      try parsePredictor(&bits, bands, syntax)
    }
  }

  /// Reads what stands for ics_info in enhanced low-delay streams: max_sfb.
  init(parsingMaxBand bits: inout BitReader, bands: ScaleFactorBands) throws(AACError) {
    let start = bits.position
    maxBand = try bits.uint(6)
    try checkMaxBand(bands, start)
  }

  private func checkMaxBand(_ bands: ScaleFactorBands, _ start: Int) throws(AACError) {
    let count = bands.count(short: isShort)
    guard maxBand <= count else {
      throw AACError(.outOfRange("max_sfb", value: maxBand, allowed: 0...count), bitOffset: start)
    }
  }

  private mutating func parsePredictor(
    _ bits: inout BitReader, _ bands: ScaleFactorBands, _ syntax: StreamSyntax
  ) throws(AACError) {
    if syntax.objectType == .main {
      predictor = .perLine(
        try PredictionData(parsing: &bits, bandCount: min(maxBand, syntax.predictionBands)))
    } else if syntax.hasLongTermPrediction {
      predictor = .longTerm(nil)
      try parseLTPData(&bits, bands, syntax)
    } else {
      throw bits.failure(
        .reserved("predictor_data_present of \(syntax.objectType.name) audio", value: 1))
    }
  }

  /// Reads ltp_data_present and ltp_data where predictor_data_present was set.
  mutating func parseLTPData(
    _ bits: inout BitReader, _ bands: ScaleFactorBands, _ syntax: StreamSyntax
  ) throws(AACError) {
    guard case .longTerm = predictor else { return }
    predictor = .longTerm(nil)
    guard try bits.flag() else { return }
    predictor = .longTerm(
      try LTPData(
        parsing: &bits, maxBand: maxBand, frameLength: bands.frameLength, objectType: syntax.objectType))
  }

  func write(to bits: inout BitWriter, syntax: StreamSyntax = StreamSyntax()) {
    bits.put(0, 1)
    bits.put(Int(windowSequence.rawValue), 2)
    bits.put(Int(windowShape.rawValue), 1)
    bits.put(maxBand, isShort ? 4 : 6)
    if isShort {
      bits.put(Int(grouping), 7)
    } else {
      bits.put(predictor != .none)  // predictor_data_present
      if case .perLine(let data) = predictor {
        data.write(to: &bits, bandCount: min(maxBand, syntax.predictionBands))
      }
      writeLTPData(to: &bits, syntax: syntax)
    }
  }

  func writeLTPData(to bits: inout BitWriter, syntax: StreamSyntax) {
    guard case .longTerm(let data) = predictor else { return }
    bits.put(data != nil)  // ltp_data_present
    data?.write(to: &bits, maxBand: maxBand, objectType: syntax.objectType)
  }
}
