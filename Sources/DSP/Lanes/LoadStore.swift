/// Moving lanes between registers and memory.

@inline(__always)
func load(_ pointer: UnsafePointer<Float>) -> Lanes8 {
  UnsafeRawPointer(pointer).loadUnaligned(as: Lanes8.self)
}

@inline(__always)
func load4(_ pointer: UnsafePointer<Float>) -> Lanes4 {
  UnsafeRawPointer(pointer).loadUnaligned(as: Lanes4.self)
}

@inline(__always)
func store(_ value: Lanes8, _ pointer: UnsafeMutablePointer<Float>) {
  UnsafeMutableRawPointer(pointer).storeBytes(of: value, as: Lanes8.self)
}

@inline(__always)
func store(_ value: Lanes4, _ pointer: UnsafeMutablePointer<Float>) {
  UnsafeMutableRawPointer(pointer).storeBytes(of: value, as: Lanes4.self)
}

@inline(__always)
func load(_ pointer: UnsafePointer<Int16>) -> SIMD8<Int16> {
  UnsafeRawPointer(pointer).loadUnaligned(as: SIMD8<Int16>.self)
}

@inline(__always)
func store(_ value: SIMD8<Int16>, _ pointer: UnsafeMutablePointer<Int16>) {
  UnsafeMutableRawPointer(pointer).storeBytes(of: value, as: SIMD8<Int16>.self)
}

@inline(__always)
func load(_ pointer: UnsafePointer<Int32>) -> SIMD8<Int32> {
  UnsafeRawPointer(pointer).loadUnaligned(as: SIMD8<Int32>.self)
}

@inline(__always)
func store(_ value: SIMD8<Int32>, _ pointer: UnsafeMutablePointer<Int32>) {
  UnsafeMutableRawPointer(pointer).storeBytes(of: value, as: SIMD8<Int32>.self)
}

/// Knowing the alignment lets SSE instructions take the operand straight from memory.
@inline(__always)
func loadAligned(_ pointer: UnsafePointer<Float>) -> RegisterLanes {
  UnsafeRawPointer(pointer).load(as: RegisterLanes.self)
}

@inline(__always)
func loadRegister(_ pointer: UnsafePointer<Float>) -> RegisterLanes {
  UnsafeRawPointer(pointer).loadUnaligned(as: RegisterLanes.self)
}
