#if arch(x86_64) && AAC_FMA
  import _Builtin_intrinsics.intel

  extension IntelLanes {
    @inline(__always)
    static func reversed(_ a: Lanes8) -> Lanes8 {
      _mm256_permutevar8x32_ps(a, _mm256_set_epi32(0, 1, 2, 3, 4, 5, 6, 7))
    }

    @inline(__always)
    static func unpackLow(_ a: Lanes8, _ b: Lanes8) -> Lanes8 { _mm256_unpacklo_ps(a, b) }

    @inline(__always)
    static func unpackHigh(_ a: Lanes8, _ b: Lanes8) -> Lanes8 { _mm256_unpackhi_ps(a, b) }

    @inline(__always)
    static func unpackLowPairs(_ a: Lanes8, _ b: Lanes8) -> Lanes8 {
      _mm256_castpd_ps(_mm256_unpacklo_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)))
    }

    @inline(__always)
    static func unpackHighPairs(_ a: Lanes8, _ b: Lanes8) -> Lanes8 {
      _mm256_castpd_ps(_mm256_unpackhi_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)))
    }

    @inline(__always)
    static func squareRoot(_ a: Lanes8) -> Lanes8 { _mm256_sqrt_ps(a) }

    @inline(__always)
    static func multiplyAdd(_ a: Lanes8, _ b: Lanes8, _ c: Lanes8) -> Lanes8 { _mm256_fmadd_ps(a, b, c) }

    @inline(__always)
    static func multiplyAdd(_ a: Lanes4, _ b: Lanes4, _ c: Lanes4) -> Lanes4 { _mm_fmadd_ps(a, b, c) }

    @inline(__always)
    static func multiplySubtract(_ a: Lanes8, _ b: Lanes8, _ c: Lanes8) -> Lanes8 { _mm256_fmsub_ps(a, b, c) }

    @inline(__always)
    static func multiplySubtract(_ a: Lanes4, _ b: Lanes4, _ c: Lanes4) -> Lanes4 { _mm_fmsub_ps(a, b, c) }

    @inline(__always)
    static func negativeMultiplyAdd(_ a: Lanes8, _ b: Lanes8, _ c: Lanes8) -> Lanes8 {
      _mm256_fnmadd_ps(a, b, c)
    }

    @inline(__always)
    static func negativeMultiplyAdd(_ a: Lanes4, _ b: Lanes4, _ c: Lanes4) -> Lanes4 {
      _mm_fnmadd_ps(a, b, c)
    }

    @inline(__always)
    static func truncated(_ a: Lanes8) -> SIMD8<Int16> {
      // The minimum is its second operand where the first is NaN.
      let whole = _mm256_cvttps_epi32(_mm256_min_ps(a, Lanes8(repeating: 8191)))
      return unsafeBitCast(_mm_packs_epi32(whole.lowHalf, whole.highHalf), to: SIMD8<Int16>.self)
    }

    @inline(__always)
    static func floats(_ q: SIMD8<Int16>) -> Lanes8 {
      _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(unsafeBitCast(q, to: __m128i.self)))
    }

    @inline(__always)
    static func lookUp(_ q: SIMD8<Int16>, _ low: Lanes8, _ high: Lanes8) -> Lanes8 {
      // The permutation looks at three bits of each index; the fourth, moved to the sign, chooses the half.
      let index = _mm256_cvtepi16_epi32(unsafeBitCast(q, to: __m128i.self))
      return _mm256_blendv_ps(
        _mm256_permutevar8x32_ps(low, index), _mm256_permutevar8x32_ps(high, index),
        _mm256_castsi256_ps(_mm256_slli_epi32(index, 28)))
    }
  }
#endif
