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

extension TNSData {
  static let largestOrderLong = 20  // TNS_MAX_ORDER
  static let largestOrderShort = 7

  /// Reads the element into `self`, whose storage is used again.
  ///
  /// Long filters of more than 12 coefficients do not belong in low-complexity streams; up to 20 are read.
  mutating func parse(_ bits: inout BitReader, info: ICSInfo) throws(AACError) {
    let isShort = info.isShort
    highResolution = 0
    filters.removeAll(keepingCapacity: true)
    for window in 0..<info.windowCount {
      let count = try bits.uint(isShort ? 1 : 2)
      guard count > 0 else { continue }
      let resolution = try bits.uint(1)
      highResolution |= UInt8(truncatingIfNeeded: resolution << window)
      for _ in 0..<count {
        var filter = Filter()
        filter.window = window
        filter.length = try bits.uint(isShort ? 4 : 6)
        let start = bits.position
        filter.order = try bits.uint(isShort ? 3 : 5)
        guard filter.order <= (isShort ? Self.largestOrderShort : Self.largestOrderLong) else {
          throw AACError(
            .outOfRange("TNS order", value: filter.order, allowed: 0...Self.largestOrderLong),
            bitOffset: start)
        }
        if filter.order > 0 {
          filter.downward = try bits.flag()
          filter.compressed = try bits.flag()
          let width = 3 + resolution - (filter.compressed ? 1 : 0)
          for index in 0..<filter.order {
            let value = try bits.uint(width)
            let signed = value >= 1 << (width - 1) ? value - 1 << width : value
            filter.coefficients[index] = Int8(truncatingIfNeeded: signed)
          }
        }
        filters.append(filter)
      }
    }
  }

  func write(to bits: inout BitWriter, info: ICSInfo) {
    let isShort = info.isShort
    var next = 0
    for window in 0..<info.windowCount {
      var end = next
      while end < filters.count, filters[end].window == window { end += 1 }
      bits.put(end - next, isShort ? 1 : 2)
      guard end > next else { continue }
      let resolution = Int(highResolution >> UInt8(window) & 1)
      bits.put(resolution, 1)
      for filter in filters[next..<end] {
        bits.put(filter.length, isShort ? 4 : 6)
        bits.put(filter.order, isShort ? 3 : 5)
        guard filter.order > 0 else { continue }
        bits.put(filter.downward)
        bits.put(filter.compressed)
        let width = 3 + resolution - (filter.compressed ? 1 : 0)
        for index in 0..<filter.order {
          bits.put(Int(filter.coefficients[index]) & ((1 << width) - 1), width)
        }
      }
      next = end
    }
  }
}
