/// As many complex numbers as a register has lanes.
struct ComplexLanes {
  typealias Vector = RegisterLanes

  var re: Vector
  var im: Vector

  @inline(__always)
  init(_ re: Vector, _ im: Vector) {
    self.re = re
    self.im = im
  }

  /// Part of eight complex numbers stored as eight real, then eight imaginary parts, on a multiple of the
  /// register's size.
  @inline(__always)
  init(_ pointer: UnsafePointer<Float>) {
    re = loadAligned(pointer)
    im = loadAligned(pointer + 8)
  }

  @inline(__always)
  func store(_ pointer: UnsafeMutablePointer<Float>) {
    DSP.store(re, pointer)
    DSP.store(im, pointer + 8)
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
  func scaledAdding(_ factor: Vector, _ b: ComplexLanes) -> ComplexLanes {
    ComplexLanes(Lanes.multiplyAdd(re, factor, b.re), Lanes.multiplyAdd(im, factor, b.im))
  }
}
