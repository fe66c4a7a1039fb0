/// Eight complex numbers; in memory eight real parts, then eight imaginary parts.
struct ComplexLanes {
  var re: Lanes8
  var im: Lanes8

  @inline(__always)
  init(_ re: Lanes8, _ im: Lanes8) {
    self.re = re
    self.im = im
  }

  /// The numbers at `pointer`, sixteen floats on a multiple of 32 bytes.
  @inline(__always)
  init(_ pointer: UnsafePointer<Float>) {
    re = loadAligned(pointer)
    im = loadAligned(pointer + 8)
  }

  @inline(__always)
  func store(_ pointer: UnsafeMutablePointer<Float>) {
    storeAligned(re, pointer)
    storeAligned(im, pointer + 8)
  }

  @inline(__always)
  static func + (a: ComplexLanes, b: ComplexLanes) -> ComplexLanes {
    ComplexLanes(a.re + b.re, a.im + b.im)
  }

  @inline(__always)
  static func - (a: ComplexLanes, b: ComplexLanes) -> ComplexLanes {
    ComplexLanes(a.re - b.re, a.im - b.im)
  }

  @inline(__always)
  static func * (a: ComplexLanes, b: ComplexLanes) -> ComplexLanes {
    ComplexLanes(
      Lanes.multiplySubtract(a.re, b.re, a.im * b.im), Lanes.multiplyAdd(a.re, b.im, a.im * b.re))
  }

  /// self + i·b.
  @inline(__always)
  func plusI(_ b: ComplexLanes) -> ComplexLanes { ComplexLanes(re - b.im, im + b.re) }

  /// self − i·b.
  @inline(__always)
  func minusI(_ b: ComplexLanes) -> ComplexLanes { ComplexLanes(re + b.im, im - b.re) }

  /// self·factor + b, the factor real.
  @inline(__always)
  func scaledAdding(_ factor: Lanes8, _ b: ComplexLanes) -> ComplexLanes {
    ComplexLanes(Lanes.multiplyAdd(re, factor, b.re), Lanes.multiplyAdd(im, factor, b.im))
  }
}

@inline(__always)
func load(_ pointer: UnsafePointer<Float>) -> Lanes8 {
  UnsafeRawPointer(pointer).loadUnaligned(as: Lanes8.self)
}

/// Knowing the alignment lets SSE instructions take the operand straight from memory.
@inline(__always)
func loadAligned(_ pointer: UnsafePointer<Float>) -> Lanes8 {
  UnsafeRawPointer(pointer).load(as: Lanes8.self)
}

@inline(__always)
func storeAligned(_ value: Lanes8, _ pointer: UnsafeMutablePointer<Float>) {
  UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: Lanes8.self).pointee = value
}

@inline(__always)
func store(_ value: Lanes8, _ pointer: UnsafeMutablePointer<Float>) {
  UnsafeMutableRawPointer(pointer).storeBytes(of: value, as: Lanes8.self)
}

@inline(__always)
func store(_ value: SIMD4<Float>, _ pointer: UnsafeMutablePointer<Float>) {
  UnsafeMutableRawPointer(pointer).storeBytes(of: value, as: SIMD4<Float>.self)
}
