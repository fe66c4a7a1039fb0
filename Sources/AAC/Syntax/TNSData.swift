/// `tns_data()`: the filters of temporal noise shaping.
struct TNSData: Equatable, Sendable {
  struct Filter: Equatable, Sendable {
    /// Window that the filter belongs to (0 for long windows).
    var window = 0
    /// Bands covered, counted down from the top or from the filter before.
    var length = 0
    var order = 0
    /// The filter runs from high lines to low ones.
    var downward = false  // direction
    var compressed = false  // coef_compress
    /// Sign-extended indices of the reflection coefficients.
    var coefficients = SIMD32<Int8>()
  }

  /// Bit w: window w's coefficients have 4 bits instead of 3.
  var highResolution: UInt8 = 0  // coef_res
  /// In window order, in a window in bit-stream order.
  var filters: [Filter] = []
}
