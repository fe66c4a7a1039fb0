/// Loads and stores of one to seven values, and sums over lanes.
///
/// Bands are a multiple of four lines long, so four values come first, in the lower lanes; one to three more
/// stand in the lanes from 4 on, whether there are four before them or not.

/// `count` values (1…7), zeros in the other lanes.
@inline(__always)
func loadPartial(_ pointer: UnsafePointer<Float>, _ count: Int) -> Lanes8 {
  var value = Lanes8(repeating: 0)
  if count & 4 != 0 { value.lowHalf = load4(pointer) }
  if count & 3 != 0 {
    let rest = pointer + (count & 4)
    value[4] = rest[0]
    if count & 3 > 1 { value[5] = rest[1] }
    if count & 3 > 2 { value[6] = rest[2] }
  }
  return value
}

/// `count` values (1…7), zeros in the other lanes.
@inline(__always)
func loadPartial(_ pointer: UnsafePointer<Int16>, _ count: Int) -> SIMD8<Int16> {
  var value = SIMD8<Int16>(repeating: 0)
  if count & 4 != 0 { value.lowHalf = UnsafeRawPointer(pointer).loadUnaligned(as: SIMD4<Int16>.self) }
  if count & 3 != 0 {
    let rest = pointer + (count & 4)
    value[4] = rest[0]
    if count & 3 > 1 { value[5] = rest[1] }
    if count & 3 > 2 { value[6] = rest[2] }
  }
  return value
}

/// What `loadPartial` would load.
@inline(__always)
func storePartial(_ value: Lanes8, _ pointer: UnsafeMutablePointer<Float>, _ count: Int) {
  if count & 4 != 0 { store(value.lowHalf, pointer) }
  if count & 3 != 0 {
    let rest = pointer + (count & 4)
    rest[0] = value[4]
    if count & 3 > 1 { rest[1] = value[5] }
    if count & 3 > 2 { rest[2] = value[6] }
  }
}

/// What `loadPartial` would load.
@inline(__always)
func storePartial(_ value: SIMD8<Int16>, _ pointer: UnsafeMutablePointer<Int16>, _ count: Int) {
  if count & 4 != 0 {
    UnsafeMutableRawPointer(pointer).storeBytes(of: value.lowHalf, as: SIMD4<Int16>.self)
  }
  if count & 3 != 0 {
    let rest = pointer + (count & 4)
    rest[0] = value[4]
    if count & 3 > 1 { rest[1] = value[5] }
    if count & 3 > 2 { rest[2] = value[6] }
  }
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
