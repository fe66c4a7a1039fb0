/// A block of values on a cache line of its own, freed with its owner: `FloatStore` for other types.
final class TableStore<Value: BitwiseCopyable>: @unchecked Sendable {
  let pointer: UnsafeMutablePointer<Value>
  let count: Int

  init(repeating value: Value, count: Int) {
    let raw = UnsafeMutableRawPointer.allocate(
      byteCount: max(count, 1) * MemoryLayout<Value>.stride, alignment: 64)
    pointer = raw.bindMemory(to: Value.self, capacity: max(count, 1))
    pointer.initialize(repeating: value, count: max(count, 1))
    self.count = count
  }

  convenience init(_ values: [Value], padding: Value) {
    self.init(repeating: padding, count: values.count)
    for index in values.indices { pointer[index] = values[index] }
  }

  deinit { UnsafeMutableRawPointer(pointer).deallocate() }
}
