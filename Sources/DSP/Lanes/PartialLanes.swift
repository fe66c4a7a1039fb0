/// Loads and stores of one to seven values, and sums over lanes.
///
/// Bands are a multiple of four lines long, so the case of four comes first.

/// `count` values (1…7), zeros after them.
@inline(__always)
func loadPartial(_ pointer: UnsafePointer<Float>, _ count: Int) -> Lanes8 {
  var value = Lanes8(repeating: 0)
  var done = 0
  if count >= 4 {
    value.lowHalf = UnsafeRawPointer(pointer).loadUnaligned(as: SIMD4<Float>.self)
    done = 4
  }
  while done < count {
    value[done] = pointer[done]
    done += 1
  }
  return value
}

/// `count` values (1…7), zeros after them.
@inline(__always)
func loadPartial(_ pointer: UnsafePointer<Int16>, _ count: Int) -> SIMD8<Int16> {
  var value = SIMD8<Int16>(repeating: 0)
  var done = 0
  if count >= 4 {
    value.lowHalf = UnsafeRawPointer(pointer).loadUnaligned(as: SIMD4<Int16>.self)
    done = 4
  }
  while done < count {
    value[done] = pointer[done]
    done += 1
  }
  return value
}

@inline(__always)
func load(_ pointer: UnsafePointer<Int16>) -> SIMD8<Int16> {
  UnsafeRawPointer(pointer).loadUnaligned(as: SIMD8<Int16>.self)
}

/// The first `count` lanes (1…7).
@inline(__always)
func storePartial(_ value: Lanes8, _ pointer: UnsafeMutablePointer<Float>, _ count: Int) {
  var done = 0
  if count >= 4 {
    store(value.lowHalf, pointer)
    done = 4
  }
  while done < count {
    pointer[done] = value[done]
    done += 1
  }
}

/// The first `count` lanes (1…7).
@inline(__always)
func storePartial(_ value: SIMD8<Int16>, _ pointer: UnsafeMutablePointer<Int16>, _ count: Int) {
  var done = 0
  if count >= 4 {
    UnsafeMutableRawPointer(pointer).storeBytes(of: value.lowHalf, as: SIMD4<Int16>.self)
    done = 4
  }
  while done < count {
    pointer[done] = value[done]
    done += 1
  }
}

@inline(__always)
func store(_ value: SIMD8<Int16>, _ pointer: UnsafeMutablePointer<Int16>) {
  UnsafeMutableRawPointer(pointer).storeBytes(of: value, as: SIMD8<Int16>.self)
}

/// The sum of all lanes, in pairs.
@inline(__always)
func sum(_ value: Lanes8) -> Float {
  let four = value.lowHalf + value.highHalf
  let two = four.lowHalf + four.highHalf
  return two[0] + two[1]
}

/// The magnitudes.
@inline(__always)
func magnitude(_ value: Lanes8) -> Lanes8 {
  let bits = unsafeBitCast(value, to: SIMD8<UInt32>.self) & SIMD8(repeating: 0x7FFF_FFFF)
  return unsafeBitCast(bits, to: Lanes8.self)
}
