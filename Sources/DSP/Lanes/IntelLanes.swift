#if arch(x86_64)
  import _Builtin_intrinsics.intel

  /// `PortableLanes` in the processor's own instructions: SSE2, or AVX2 and FMA when the build defines
  /// `AAC_FMA` (which needs `-Xcc -mavx2 -Xcc -mfma` beside it).
  enum IntelLanes {
    typealias V = Lanes8

    #if AAC_FMA
      @inline(__always)
      static func reversed(_ a: V) -> V {
        _mm256_permutevar8x32_ps(a, _mm256_set_epi32(0, 1, 2, 3, 4, 5, 6, 7))
      }

      @inline(__always)
      static func unpackLow(_ a: V, _ b: V) -> V { _mm256_unpacklo_ps(a, b) }

      @inline(__always)
      static func unpackHigh(_ a: V, _ b: V) -> V { _mm256_unpackhi_ps(a, b) }

      @inline(__always)
      static func unpackLowPairs(_ a: V, _ b: V) -> V {
        _mm256_castpd_ps(_mm256_unpacklo_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)))
      }

      @inline(__always)
      static func unpackHighPairs(_ a: V, _ b: V) -> V {
        _mm256_castpd_ps(_mm256_unpackhi_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)))
      }

      @inline(__always)
      static func squareRoot(_ a: V) -> V { _mm256_sqrt_ps(a) }

      @inline(__always)
      static func multiplyAdd(_ a: V, _ b: V, _ c: V) -> V { _mm256_fmadd_ps(a, b, c) }

      @inline(__always)
      static func multiplySubtract(_ a: V, _ b: V, _ c: V) -> V { _mm256_fmsub_ps(a, b, c) }

      @inline(__always)
      static func negativeMultiplyAdd(_ a: V, _ b: V, _ c: V) -> V { _mm256_fnmadd_ps(a, b, c) }

      @inline(__always)
      static func floats(_ q: SIMD8<Int16>) -> V {
        _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(unsafeBitCast(q, to: __m128i.self)))
      }

      @inline(__always)
      static func lookUp(_ q: SIMD8<Int16>, _ table: V) -> V {
        _mm256_permutevar8x32_ps(table, _mm256_cvtepi16_epi32(unsafeBitCast(q, to: __m128i.self)))
      }
    #else
      @inline(__always)
      static func reversed(_ a: V) -> V { PortableLanes.reversed(a) }

      @inline(__always)
      static func unpackLow(_ a: V, _ b: V) -> V {
        V(lowHalf: _mm_unpacklo_ps(a.lowHalf, b.lowHalf), highHalf: _mm_unpacklo_ps(a.highHalf, b.highHalf))
      }

      @inline(__always)
      static func unpackHigh(_ a: V, _ b: V) -> V {
        V(lowHalf: _mm_unpackhi_ps(a.lowHalf, b.lowHalf), highHalf: _mm_unpackhi_ps(a.highHalf, b.highHalf))
      }

      @inline(__always)
      static func unpackLowPairs(_ a: V, _ b: V) -> V {
        V(lowHalf: _mm_movelh_ps(a.lowHalf, b.lowHalf), highHalf: _mm_movelh_ps(a.highHalf, b.highHalf))
      }

      @inline(__always)
      static func unpackHighPairs(_ a: V, _ b: V) -> V {
        V(lowHalf: _mm_movehl_ps(b.lowHalf, a.lowHalf), highHalf: _mm_movehl_ps(b.highHalf, a.highHalf))
      }

      @inline(__always)
      static func squareRoot(_ a: V) -> V {
        V(lowHalf: _mm_sqrt_ps(a.lowHalf), highHalf: _mm_sqrt_ps(a.highHalf))
      }

      @inline(__always)
      static func multiplyAdd(_ a: V, _ b: V, _ c: V) -> V { a * b + c }

      @inline(__always)
      static func multiplySubtract(_ a: V, _ b: V, _ c: V) -> V { a * b - c }

      @inline(__always)
      static func negativeMultiplyAdd(_ a: V, _ b: V, _ c: V) -> V { c - a * b }

      @inline(__always)
      static func floats(_ q: SIMD8<Int16>) -> V {
        let bits = unsafeBitCast(q, to: __m128i.self)
        // Each value in the upper half of 32 bits, then shifted down with its sign.
        let low = _mm_srai_epi32(_mm_unpacklo_epi16(bits, bits), 16)
        let high = _mm_srai_epi32(_mm_unpackhi_epi16(bits, bits), 16)
        return V(lowHalf: _mm_cvtepi32_ps(low), highHalf: _mm_cvtepi32_ps(high))
      }

      @inline(__always)
      static func lookUp(_ q: SIMD8<Int16>, _ table: V) -> V { PortableLanes.lookUp(q, table) }
    #endif

    @inline(__always)
    static func truncated(_ a: V) -> SIMD8<Int16> {
      // The minimum is its second operand where the first is NaN.
      let top = SIMD4<Float>(repeating: 8191)
      let low = _mm_cvttps_epi32(_mm_min_ps(a.lowHalf, top))
      let high = _mm_cvttps_epi32(_mm_min_ps(a.highHalf, top))
      return unsafeBitCast(_mm_packs_epi32(low, high), to: SIMD8<Int16>.self)
    }

    @inline(__always)
    static func evens(_ a: V, _ b: V) -> V { PortableLanes.evens(a, b) }

    @inline(__always)
    static func odds(_ a: V, _ b: V) -> V { PortableLanes.odds(a, b) }
  }

  typealias Lanes = IntelLanes
#else
  typealias Lanes = PortableLanes
#endif
