#if arch(x86_64)
  import _Builtin_intrinsics.intel

  /// `PortableLanes` in the processor's own instructions: SSE2, or AVX2 and FMA when the build defines
  /// `AAC_FMA` (which needs `-Xcc -mavx2 -Xcc -mfma` beside it). This file has what both builds share.
  enum IntelLanes {
    @inline(__always)
    static func reversed(_ a: Lanes4) -> Lanes4 { PortableLanes.reversed(a) }

    @inline(__always)
    static func evens(_ a: Lanes8, _ b: Lanes8) -> Lanes8 { PortableLanes.evens(a, b) }

    @inline(__always)
    static func odds(_ a: Lanes8, _ b: Lanes8) -> Lanes8 { PortableLanes.odds(a, b) }

    @inline(__always)
    static func unpackLow(_ a: Lanes4, _ b: Lanes4) -> Lanes4 { _mm_unpacklo_ps(a, b) }

    @inline(__always)
    static func unpackHigh(_ a: Lanes4, _ b: Lanes4) -> Lanes4 { _mm_unpackhi_ps(a, b) }

    @inline(__always)
    static func unpackLowPairs(_ a: Lanes4, _ b: Lanes4) -> Lanes4 { _mm_movelh_ps(a, b) }

    @inline(__always)
    static func unpackHighPairs(_ a: Lanes4, _ b: Lanes4) -> Lanes4 { _mm_movehl_ps(b, a) }

    @inline(__always)
    static func signs(_ a: Lanes8) -> SIMD8<Int16> {
      let low = unsafeBitCast(a.lowHalf, to: __m128i.self)
      let high = unsafeBitCast(a.highHalf, to: __m128i.self)
      return unsafeBitCast(
        _mm_packs_epi32(_mm_srai_epi32(low, 31), _mm_srai_epi32(high, 31)), to: SIMD8<Int16>.self)
    }

    @inline(__always)
    static func pairSums(_ a: SIMD8<Int16>, _ b: SIMD8<Int16>) -> SIMD2<UInt64> {
      let sums = _mm_madd_epi16(unsafeBitCast(a, to: __m128i.self), unsafeBitCast(b, to: __m128i.self))
      return unsafeBitCast(sums, to: SIMD2<UInt64>.self)
    }
  }
#endif

#if arch(x86_64) && !AAC_PORTABLE
  typealias Lanes = IntelLanes
#else
  /// Other architectures, and any that defines `AAC_PORTABLE` to try how they fare.
  typealias Lanes = PortableLanes
#endif
