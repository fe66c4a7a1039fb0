/// A block of floats on a cache line of its own, freed with its owner.
///
/// Kernels keep their tables and scratch here: a `let` pointer in a class is read without the checks an
/// array in a class pays on every index.
final class FloatStore {
  let pointer: UnsafeMutablePointer<Float>
  let count: Int

  /// `count` zeros.
  init(count: Int) {
    let raw = UnsafeMutableRawPointer.allocate(
      byteCount: max(count, 1) * MemoryLayout<Float>.stride, alignment: 64)
    pointer = raw.bindMemory(to: Float.self, capacity: max(count, 1))
    pointer.initialize(repeating: 0, count: max(count, 1))
    self.count = count
  }

  /// The values, rounded to single precision.
  convenience init(_ values: [Double]) {
    self.init(count: values.count)
    for index in values.indices { pointer[index] = Float(values[index]) }
  }

  deinit { UnsafeMutableRawPointer(pointer).deallocate() }
}
