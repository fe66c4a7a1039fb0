/// The constants of one of the two band divisions of parametric stereo.
public struct StereoShape: Sendable {
  /// Filters that split one of the lowest QMF bands into hybrid bands.
  public struct Split: Sendable {
    public var band: Int
    /// First hybrid band.
    public var first: Int
    /// `StereoBank.tapCount` complex taps for each hybrid band.
    public var taps: [[(re: Double, im: Double)]]

    public init(band: Int, first: Int, taps: [[(re: Double, im: Double)]]) {
      self.band = band
      self.first = first
      self.taps = taps
    }
  }

  public var splits: [Split]
  /// The parameter band of each hybrid band.
  public var parameterBands: [Int]
  public var parameterCount: Int
  /// Centre frequency of each hybrid band, in QMF bands.
  public var centers: [Double]
  /// Bands, from the lowest on, that are decorrelated by all-pass filters.
  public var allPassCount: Int
  /// The all-pass filters' gain decays from this band on.
  public var decayStart: Int
  /// Bands from this one on are delayed by one sample, those between by fourteen.
  public var shortDelayStart: Int

  public init(
    splits: [Split], parameterBands: [Int], parameterCount: Int, centers: [Double], allPassCount: Int,
    decayStart: Int, shortDelayStart: Int
  ) {
    self.splits = splits
    self.parameterBands = parameterBands
    self.parameterCount = parameterCount
    self.centers = centers
    self.allPassCount = allPassCount
    self.decayStart = decayStart
    self.shortDelayStart = shortDelayStart
  }

  public var bandCount: Int { parameterBands.count }
}
