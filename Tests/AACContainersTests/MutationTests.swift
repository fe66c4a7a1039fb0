import AAC
import PCM
import Testing

@testable import AACContainers

/// Files with random damage: no trap, no endless loop, no large allocation.
@Suite struct MutationTests {
  /// Counts what is read and stops a reader that goes in circles.
  final class WatchedSource: ByteSource {
    private let inner: MemorySource
    private let limit: Int
    private(set) var readCount = 0
    private(set) var largestRead = 0
    var length: Int64? { inner.length }
    var isSeekable: Bool { true }

    init(_ bytes: [UInt8]) {
      inner = MemorySource(bytes)
      limit = 200 * bytes.count + (1 << 20)
    }

    func read(
      at offset: Int64, into buffer: inout [UInt8], _ range: Range<Int>, atLeast minimum: Int
    ) throws(ContainerError) -> Int {
      largestRead = max(largestRead, range.count)
      let got = try inner.read(at: offset, into: &buffer, range, atLeast: minimum)
      readCount += got + 1
      guard readCount < limit else { throw ContainerError(.misuse("read in circles"), at: offset) }
      return got
    }
  }

  /// Damages `bytes` in one of the ways that files get damaged.
  static func damage(_ bytes: [UInt8], _ random: inout SplitMix) -> [UInt8] {
    var bytes = bytes
    for _ in 0...random.below(4) {
      guard bytes.count > 8 else { return bytes }
      let place = random.below(bytes.count - 8)
      let length = 1 + random.below(min(64, bytes.count - place - 1))
      switch random.below(8) {
      case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
      case 1: bytes[place] ^= 1 << UInt8(random.below(8))
      case 2: bytes.removeLast(random.below(bytes.count / 2))
      case 3: bytes.removeSubrange(place..<place + length)
      case 4: bytes.insert(contentsOf: bytes[place..<place + length], at: random.below(bytes.count))
      case 5: for index in place..<place + min(8, length) { bytes[index] = 0 }
      case 6: for index in place..<place + min(8, length) { bytes[index] = 0xFF }
      default:
        // A number made very large, very small or off by one.
        let value = [UInt32.max, 0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF][random.below(6)]
        for index in 0..<4 {
          bytes[place + index] = UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * index))
        }
      }
    }
    return bytes
  }

  static func tryAll(_ bytes: [UInt8], note: String) {
    let openings: [(any ByteSource) throws -> any PacketReader] = [
      { try openPacketReader($0) }, { try MP4Reader($0) }, { try ADTSReader($0) }, { try ADIFReader($0) },
    ]
    for open in openings { drain(bytes, note: note, open) }
  }

  static func drain(
    _ bytes: [UInt8], note: String, _ open: (any ByteSource) throws -> any PacketReader
  ) {
    let source = WatchedSource(bytes)
    guard let reader = try? open(source) else {
      #expect(source.largestRead <= 1 << 21, "\(note)")
      return
    }
    var count = 0
    while count < 100_000 {
      do {
        guard try reader.nextPacket() != nil else { break }
        count += 1
      } catch {
        if case .misuse = (error as ContainerError).reason { Issue.record("\(note): \(error)") }
        count += 1
      }
    }
    #expect(count < 100_000, "\(note)")
    do {
      _ = try reader.survey()
    } catch {
      if case .misuse = error.reason { Issue.record("\(note): survey \(error)") }
    }
    #expect(source.largestRead <= 1 << 21, "\(note)")
  }

  @Test func damagedFiles() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed)
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(8, configuration, sizes: 10...40, priming: 1024, padding: 9)
    let tags = Tags([("title", "T"), ("track", "1/2"), ("x:y", "z")])
    var quick = MP4Maker(configuration, packets)
    quick.entryVersion = 1
    quick.inWave = true
    quick.edits = [(100, -1), (5000, 1024)]
    quick.order = .moovLast
    quick.samplesPerChunk = 3
    let adif = MemorySink()
    let writer = try ADIFWriter(adif, configuration: configuration)
    for packet in packets { try writer.write(packet) }
    let files = [
      try m4a(packets, configuration, options: .init(tags: tags)), quick.bytes,
      try fragmented(packets, configuration), try adts(packets, configuration, checksums: true),
      try adts(packets, TestStream.configuration(layout: .quad)), adif.bytes,
      ADTSFaultTests.frame(packets.prefix(4).map(\.data), checksums: true)
        + ADTSFaultTests.frame(packets.suffix(4).map(\.data), checksums: false),
    ]
    for round in 0..<600 {
      for (index, file) in files.enumerated() {
        Self.tryAll(Self.damage(file, &random), note: "seed \(seed), round \(round), file \(index)")
      }
    }
  }

  @Test func damagedSidecars() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed)
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(8, configuration, sizes: 10...40)
    let (data, sidecar) = try RawTests.raw(packets, configuration, tags: Tags([("a", "\u{1}b")]))
    for round in 0..<500 {
      let source = WatchedSource(Self.damage(sidecar, &random))
      guard let reader = try? RawReader(MemorySource(data), sidecar: source) else { continue }
      var count = 0
      while count < 1000, (try? reader.nextPacket()) != nil { count += 1 }
      #expect(count < 1000, "seed \(seed), round \(round)")
    }
  }
}
