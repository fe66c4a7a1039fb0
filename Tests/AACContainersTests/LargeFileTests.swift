import AAC
import Testing

@testable import AACContainers

/// A sink that keeps what is small and stands for gigabytes of sound.
final class VirtualSink: ByteSink {
  private(set) var length: Int64 = 0
  let isSeekable = true
  /// Blocks that are no sound, by their place.
  private(set) var kept: [Int64: [UInt8]] = [:]
  private let soundSize: Int
  private(set) var moved: Int64 = 0

  init(soundSize: Int) { self.soundSize = soundSize }

  func append(_ bytes: [UInt8]) throws(ContainerError) {
    if bytes.count != soundSize, bytes.contains(where: { $0 != 0 }) { kept[length] = bytes }
    length += Int64(bytes.count)
  }

  func rewrite(_ bytes: [UInt8], at offset: Int64) throws(ContainerError) {
    if bytes.count < 1 << 18 { kept[offset] = bytes } else { moved += Int64(bytes.count) }
    length = max(length, offset + Int64(bytes.count))
  }

  func read(at offset: Int64, into buffer: inout [UInt8], _ range: Range<Int>) throws(ContainerError) {}
  func flush() throws(ContainerError) {}
}

@Suite struct LargeFileTests {
  @Test func b136_offsetsBeyondFourGigabytes() throws {
    let size = 1_000_003
    let count = 4300
    let configuration = try TestStream.configuration()
    let sink = VirtualSink(soundSize: size)
    let writer = try M4AWriter(sink, configuration: configuration)
    let packet = Packet(data: [UInt8](repeating: 0x21, count: size), presentationTime: 0, duration: 1024)
    for _ in 0..<count { try writer.write(packet) }
    try writer.finish()
    #expect(sink.length > Int64(UInt32.max))
    let tables = sink.kept.filter { $0.key > 0 && $0.value.count > 16 }.sorted { $0.key < $1.key }
    let head = try #require(tables.first)
    // Put the kept parts together and read them: the file is there but for its sound.
    var bytes = try #require(sink.kept[0])
    bytes.removeLast(8)
    #expect(head.key == Int64(bytes.count))
    bytes += head.value
    let mdat = try #require(sink.kept[Int64(bytes.count)])
    #expect(mdat.count == 16)
    #expect(mdat[3] == 1, "the length is in 64 bits")
    let source = SparseSource(bytes + mdat, length: sink.length)
    let reader = try MP4Reader(source)
    #expect(reader.info.packetCount == Int64(count))
    var read = Packet(data: [], presentationTime: 0, duration: 0)
    var seen = 0
    while try reader.nextPacket(into: &read) {
      #expect(read.data.count == size)
      seen += 1
    }
    #expect(seen == count)
    #expect(source.furthest == sink.length)
  }

  /// The head of a file and zero bytes behind it.
  final class SparseSource: ByteSource {
    private let head: [UInt8]
    let length: Int64?
    let isSeekable = true
    private(set) var furthest: Int64 = 0

    init(_ head: [UInt8], length: Int64) {
      self.head = head
      self.length = length
    }

    func read(
      at offset: Int64, into buffer: inout [UInt8], _ range: Range<Int>, atLeast minimum: Int
    ) throws(ContainerError) -> Int {
      let count = Int(max(0, min(Int64(range.count), (length ?? 0) - offset)))
      if offset < Int64(head.count) {
        let inside = min(count, head.count - Int(offset))
        buffer.replaceSubrange(
          range.lowerBound..<range.lowerBound + inside, with: head[Int(offset)..<Int(offset) + inside])
        furthest = max(furthest, offset + Int64(inside))
        return inside
      }
      furthest = max(furthest, offset + Int64(count))
      return count
    }
  }

  @Test func compactSizes() {
    var sizes = CompactSizes()
    // Blocks whose sizes differ by 0 to 16 bits, and one that is not full.
    var values = [1, 65534, 65535, 65536, 1 << 20] + (0..<9000).map { $0 % 700 + 1 }
    values += (0..<17).flatMap { bits in (0..<4096).map { 5000 + ($0 * 7919) % (1 << min(bits, 15)) } }
    values += [Int](repeating: 3, count: 4096) + [9, 1, 70_000]
    for value in values { sizes.append(value) }
    #expect(values.indices.allSatisfy { sizes[$0] == values[$0] })
    #expect(sizes.total == Int64(values.reduce(0, +)))
    #expect(sizes.largest == 1 << 20)
  }
}
