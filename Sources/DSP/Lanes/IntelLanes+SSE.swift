#if arch(x86_64) && !AAC_FMA
  import _Builtin_intrinsics.intel

  extension IntelLanes {
    @inline(__always)
    static func reversed(_ a: Lanes8) -> Lanes8 { PortableLanes.reversed(a) }

    @inline(__always)
    static func unpackLow(_ a: Lanes8, _ b: Lanes8) -> Lanes8 {
      Lanes8(lowHalf: unpackLow(a.lowHalf, b.lowHalf), highHalf: unpackLow(a.highHalf, b.highHalf))
    }

    @inline(__always)
    static func unpackHigh(_ a: Lanes8, _ b: Lanes8) -> Lanes8 {
      Lanes8(lowHalf: unpackHigh(a.lowHalf, b.lowHalf), highHalf: unpackHigh(a.highHalf, b.highHalf))
    }

    @inline(__always)
    static func unpackLowPairs(_ a: Lanes8, _ b: Lanes8) -> Lanes8 {
      Lanes8(lowHalf: unpackLowPairs(a.lowHalf, b.lowHalf), highHalf: unpackLowPairs(a.highHalf, b.highHalf))
    }

    @inline(__always)
    static func unpackHighPairs(_ a: Lanes8, _ b: Lanes8) -> Lanes8 {
      Lanes8(
        lowHalf: unpackHighPairs(a.lowHalf, b.lowHalf), highHalf: unpackHighPairs(a.highHalf, b.highHalf))
    }

    @inline(__always)
    static func squareRoot(_ a: Lanes8) -> Lanes8 {
      Lanes8(lowHalf: _mm_sqrt_ps(a.lowHalf), highHalf: _mm_sqrt_ps(a.highHalf))
    }

    @inline(__always)
    static func multiplyAdd(_ a: Lanes8, _ b: Lanes8, _ c: Lanes8) -> Lanes8 { a * b + c }

    @inline(__always)
    static func multiplyAdd(_ a: Lanes4, _ b: Lanes4, _ c: Lanes4) -> Lanes4 { a * b + c }

    @inline(__always)
    static func multiplySubtract(_ a: Lanes8, _ b: Lanes8, _ c: Lanes8) -> Lanes8 { a * b - c }

    @inline(__always)
    static func multiplySubtract(_ a: Lanes4, _ b: Lanes4, _ c: Lanes4) -> Lanes4 { a * b - c }

    @inline(__always)
    static func negativeMultiplyAdd(_ a: Lanes8, _ b: Lanes8, _ c: Lanes8) -> Lanes8 { c - a * b }

    @inline(__always)
    static func negativeMultiplyAdd(_ a: Lanes4, _ b: Lanes4, _ c: Lanes4) -> Lanes4 { c - a * b }

    @inline(__always)
    static func truncated(_ a: Lanes8) -> SIMD8<Int16> {
      // The minimum is its second operand where the first is NaN.
      let top = Lanes4(repeating: 8191)
      let low = _mm_cvttps_epi32(_mm_min_ps(a.lowHalf, top))
      let high = _mm_cvttps_epi32(_mm_min_ps(a.highHalf, top))
      return unsafeBitCast(_mm_packs_epi32(low, high), to: SIMD8<Int16>.self)
    }

    @inline(__always)
    static func floats(_ q: SIMD8<Int16>) -> Lanes8 {
      let bits = unsafeBitCast(q, to: __m128i.self)
      // Each value in the upper half of 32 bits, then shifted down with its sign.
      let low = _mm_srai_epi32(_mm_unpacklo_epi16(bits, bits), 16)
      let high = _mm_srai_epi32(_mm_unpackhi_epi16(bits, bits), 16)
      return Lanes8(lowHalf: _mm_cvtepi32_ps(low), highHalf: _mm_cvtepi32_ps(high))
    }

    @inline(__always)
    static func lookUp(_ q: SIMD8<Int16>, _ low: Lanes8, _ high: Lanes8) -> Lanes8 {
      PortableLanes.lookUp(q, low, high)
    }
  }
#endif
