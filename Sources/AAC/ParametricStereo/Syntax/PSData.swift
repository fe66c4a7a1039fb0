/// The parameters of one frame, with the differences already added up.
struct PSData: Equatable, Sendable {
  /// Four, and one to reach the end of the frame.
  static let largestEnvelopeCount = 5
  /// Room for the values of one envelope.
  static let stride = 34
  static let phaseStride = 17

  // The header, which stays until another one comes.
  var hasIntensity = false  // enable_iid
  var intensityMode = 0  // iid_mode
  var hasCoherence = false  // enable_icc
  var coherenceMode = 0  // icc_mode
  var hasExtension = false  // enable_ext

  var envelopeCount = 0
  /// `envelopeCount` + 1 borders in QMF samples; the first is 0.
  var borders = SIMD8<Int16>()
  /// Level differences, -15…15 or -7…7.
  var intensities = [Int8](repeating: 0, count: largestEnvelopeCount * stride)
  /// 0…7.
  var coherences = [Int8](repeating: 0, count: largestEnvelopeCount * stride)
  var hasPhases = false  // enable_ipdopd
  /// 0…7, of the channels to each other and of both to the mono sound.
  var phaseDifferences = [Int8](repeating: 0, count: largestEnvelopeCount * phaseStride)  // ipd
  var overallPhases = [Int8](repeating: 0, count: largestEnvelopeCount * phaseStride)  // opd

  private static let bandCounts = [10, 20, 34]
  private static let phaseBandCounts = [5, 11, 17]

  var intensityCount: Int { Self.bandCounts[intensityMode % 3] }
  var isFine: Bool { intensityMode >= 3 }
  var coherenceCount: Int { Self.bandCounts[coherenceMode % 3] }
  /// The mixing of table 8.? mode B.
  var mixesByRotation: Bool { coherenceMode >= 3 }
  var phaseCount: Int { Self.phaseBandCounts[intensityMode % 3] }
  /// `nil` where nothing says how many bands the filters have to have.
  var has34Bands: Bool? {
    guard hasIntensity || hasCoherence else { return nil }
    return hasIntensity && intensityCount == 34 || hasCoherence && coherenceCount == 34
  }

  func border(_ index: Int) -> Int { Int(borders[index & 7]) }
}
