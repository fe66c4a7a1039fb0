/// ics_info's window_sequence (ISO/IEC 14496-3, 4.6.11).
public enum WindowSequence: UInt8, Sendable, Hashable {
  case onlyLong = 0
  case longStart = 1
  case eightShort = 2
  case longStop = 3
}

/// window_shape (for LC: sine or Kaiser–Bessel derived).
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
