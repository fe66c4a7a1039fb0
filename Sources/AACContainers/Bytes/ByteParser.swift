/// Reads big-endian numbers from bytes that are never trusted.
struct ByteParser {
  let bytes: [UInt8]
  private(set) var position: Int
  let end: Int
  /// File offset of `bytes[0]`, for errors.
  let base: Int64
  /// What is being read, for errors.
  let name: String

  init(_ bytes: [UInt8], name: String, base: Int64 = 0) {
    self.bytes = bytes
    self.name = name
    self.base = base
    position = 0
    end = bytes.count
  }

  private init(_ parent: ByteParser, count: Int, name: String) {
    bytes = parent.bytes
    base = parent.base
    position = parent.position
    end = parent.position + count
    self.name = name
  }

  var remaining: Int { end - position }
  var offset: Int64 { base + Int64(position) }

  func failure(_ reason: ContainerError.Reason) -> ContainerError { ContainerError(reason, at: offset) }

  mutating func unsigned(_ count: Int) throws(ContainerError) -> UInt64 {
    guard count <= remaining else { throw failure(.truncated(name)) }
    var value: UInt64 = 0
    for index in position..<position + count { value = value << 8 | UInt64(bytes[index]) }
    position += count
    return value
  }

  mutating func uint8() throws(ContainerError) -> Int { Int(try unsigned(1)) }
  mutating func uint16() throws(ContainerError) -> Int { Int(try unsigned(2)) }
  mutating func uint24() throws(ContainerError) -> Int { Int(try unsigned(3)) }
  mutating func uint32() throws(ContainerError) -> UInt32 { UInt32(truncatingIfNeeded: try unsigned(4)) }
  mutating func uint64() throws(ContainerError) -> UInt64 { try unsigned(8) }
  mutating func int32() throws(ContainerError) -> Int32 { Int32(bitPattern: try uint32()) }
  mutating func int64() throws(ContainerError) -> Int64 { Int64(bitPattern: try uint64()) }
  mutating func fourCC() throws(ContainerError) -> FourCC { FourCC(try uint32()) }

  mutating func skip(_ count: Int) throws(ContainerError) {
    guard count >= 0, count <= remaining else { throw failure(.truncated(name)) }
    position += count
  }

  mutating func take(_ count: Int) throws(ContainerError) -> [UInt8] {
    guard count >= 0, count <= remaining else { throw failure(.truncated(name)) }
    defer { position += count }
    return Array(bytes[position..<position + count])
  }

  /// A parser of the next `count` bytes, which this one skips.
  mutating func slice(_ count: Int, name: String) throws(ContainerError) -> ByteParser {
    guard count >= 0, count <= remaining else {
      throw failure(.malformed("\(name) is longer than \(self.name)"))
    }
    defer { position += count }
    return ByteParser(self, count: count, name: name)
  }
}
