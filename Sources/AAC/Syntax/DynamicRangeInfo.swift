/// `dynamic_range_info()`: gains by which a player can narrow the loudness range (4.5.2.7).
struct DynamicRangeInfo: Equatable, Sendable {
  static let largestExclusionCount = 56

  var programTag: Int?  // pce_instance_tag
  /// Channels that the gains leave alone, bit c for channel c. At most 56 are kept.
  var excludedChannels: UInt64 = 0  // exclude_mask
  /// Groups of seven exclude_mask bits sent; 0 where excluded_chns_present is 0.
  var exclusionGroups = 0
  /// Bands of the gains: 1 to 17, where 0 in `hasBands` means one band over everything.
  var bandCount = 1
  var hasBands = false  // drc_bands_present
  var interpolationScheme = 0  // drc_interpolation_scheme
  /// Upper edges: band k ends with line `4 * (bandTops[k] + 1)` of 1024.
  var bandTops = SIMD32<UInt8>()  // drc_band_top
  /// Level of the programme in steps of -0.25 dB from full scale.
  var referenceLevel: Int?  // prog_ref_level
  /// Gains in steps of 0.25 dB, negative ones attenuate.
  var gains = SIMD32<Int8>()  // dyn_rng_sgn, dyn_rng_ctl
}

extension DynamicRangeInfo {
  init(parsing bits: inout BitReader) throws(AACError) {
    if try bits.flag() {  // pce_tag_present
      programTag = try bits.uint(4)
      try bits.skip(4)  // drc_tag_reserved_bits
    }
    if try bits.flag() {  // excluded_chns_present
      var more = true
      while more {
        let mask = try bits.uint(7)
        more = try bits.flag()
        for bit in 0..<7 where mask >> (6 - bit) & 1 != 0 {
          let channel = exclusionGroups * 7 + bit
          if channel < Self.largestExclusionCount { excludedChannels |= 1 << UInt64(channel) }
        }
        exclusionGroups += 1
      }
    }
    hasBands = try bits.flag()
    if hasBands {
      bandCount = try bits.uint(4) + 1
      interpolationScheme = try bits.uint(4)
      for band in 0..<bandCount { bandTops[band] = UInt8(truncatingIfNeeded: try bits.uint(8)) }
    }
    if try bits.flag() {  // prog_ref_level_present
      referenceLevel = try bits.uint(7)
      try bits.skip(1)  // prog_ref_level_reserved_bits
    }
    for band in 0..<bandCount {
      let attenuates = try bits.flag()
      let amount = Int8(truncatingIfNeeded: try bits.uint(7))
      gains[band] = attenuates ? -amount : amount
    }
  }

  func write(to bits: inout BitWriter) {
    bits.put(programTag != nil)
    if let programTag {
      bits.put(programTag, 4)
      bits.put(0, 4)
    }
    bits.put(exclusionGroups > 0)
    for group in 0..<exclusionGroups {
      for channel in group * 7..<group * 7 + 7 {
        bits.put(channel < Self.largestExclusionCount && excludedChannels >> UInt64(channel) & 1 != 0)
      }
      bits.put(group < exclusionGroups - 1)
    }
    bits.put(hasBands)
    if hasBands {
      bits.put(bandCount - 1, 4)
      bits.put(interpolationScheme, 4)
      for band in 0..<bandCount { bits.put(Int(bandTops[band]), 8) }
    }
    bits.put(referenceLevel != nil)
    if let referenceLevel {
      bits.put(referenceLevel, 7)
      bits.put(0, 1)
    }
    for band in 0..<bandCount {
      bits.put(gains[band] < 0)
      bits.put(Int(gains[band].magnitude), 7)
    }
  }
}
