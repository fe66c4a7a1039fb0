import AAC
import Dispatch
import PCM
import Testing

@testable import AACContainers

/// Damaged and unusual ADTS. The numbers are those of the collected reports.
@Suite struct ADTSFaultTests {
  struct Stream {
    var configuration: AudioSpecificConfig
    var packets: [[UInt8]]
    var bytes: [UInt8]
    /// Place of each frame.
    var places: [Int]
  }

  static func stream(
    _ count: Int = 200, checksums: Bool = false, sizes: ClosedRange<Int> = 20...200, rate: Int = 44100,
    layout: ChannelLayout = .stereo, seed: UInt64 = 1
  ) throws -> Stream {
    let configuration = try TestStream.configuration(rate: rate, layout: layout)
    let packets = try TestStream.packets(count, configuration, sizes: sizes, seed: seed)
    let bytes = try adts(packets, configuration, checksums: checksums)
    var places: [Int] = []
    var place = 0
    for packet in packets {
      places.append(place)
      place += packet.data.count + (checksums ? 9 : 7)
    }
    return Stream(configuration: configuration, packets: packets.map(\.data), bytes: bytes, places: places)
  }

  static func read(_ bytes: [UInt8]) throws -> (reader: ADTSReader, packets: [[UInt8]]) {
    let reader = try ADTSReader(MemorySource(bytes))
    return (reader, try reader.all().map(\.data))
  }

  @Test("B001") func b001_allFourSyncForms() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(44, configuration)
    var seen: Set<UInt8> = []
    for checksums in [false, true] {
      for mpeg2 in [false, true] {
        let bytes = try adts(packets, configuration, checksums: checksums, mpeg2: mpeg2)
        seen.insert(bytes[1])
        #expect(try Probe.detect(MemorySource(bytes)) == .adts)
        let (reader, read) = try Self.read(bytes)
        #expect(read == packets.map(\.data))
        #expect(reader.info.configuration == configuration)
        #expect(reader.mismatchCount == 0)
      }
    }
    #expect(seen == [0xF0, 0xF1, 0xF8, 0xF9])
  }

  @Test("B002") func b002_checksumsRightWrongAndMixed() throws {
    let stream = try Self.stream(30, checksums: true)
    #expect(try Self.read(stream.bytes).reader.checkedCount == 30)

    var wrong = stream.bytes
    wrong[stream.places[10] + 8] ^= 1
    let (reader, packets) = try Self.read(wrong)
    #expect(packets == stream.packets)
    #expect(reader.mismatchCount == 1)
    #expect(reader.warnings.items.map(\.kind) == [.checksum])
    #expect(reader.warnings.items.first?.byteOffset == Int64(stream.places[10]))

    var options = ADTSReader.Options()
    options.dropsDamagedPackets = true
    let dropping = try ADTSReader(MemorySource(wrong), options: options).all()
    #expect(dropping.count == 30)
    #expect(dropping[10].data.isEmpty)
    #expect(dropping[11].data == stream.packets[11])

    // A checksum on every second frame only.
    let plain = try Self.stream(30)
    var mixed: [UInt8] = []
    for index in 0..<30 {
      let source = index % 2 == 0 ? plain : stream
      let end = index == 29 ? source.bytes.count : source.places[index + 1]
      mixed += source.bytes[source.places[index]..<end]
    }
    let (second, back) = try Self.read(mixed)
    #expect(back == stream.packets)
    #expect(second.checkedCount == 15)
    #expect(second.warnings.count == 0)
    #expect(second.configurationChanges == 0)
  }

  /// The checksum covers what the standard says: damage in it shows, damage elsewhere does not.
  @Test func checksumCoversItsRegions() throws {
    let stream = try Self.stream(3, checksums: true, sizes: 300...300)
    let start = stream.places[1] + 9
    for (bit, isCovered) in [(2, false), (4, true), (30, true), (1500, false)] {
      var bytes = stream.bytes
      bytes[start + bit / 8] ^= 0x80 >> UInt8(bit % 8)
      let (reader, _) = try Self.read(bytes)
      if isCovered { #expect(reader.mismatchCount == 1, "bit \(bit)") }
      if bit == 1500 { #expect(reader.mismatchCount == 0, "a fill element is not covered") }
    }
  }

  @Test("B003") func b003_framesOfMoreThan2047Bytes() throws {
    let stream = try Self.stream(12, sizes: 2040...8000, layout: .surround51)
    #expect(try Self.read(stream.bytes).packets == stream.packets)
  }

  @Test("B005") func b005_lengthsBelowTheHeader() throws {
    let stream = try Self.stream(20)
    for length in 0...10 {
      for hasChecksum in [false, true] {
        var header = ADTSHeader(samplingRateIndex: 4, channelConfiguration: 2, frameLength: length)
        header.hasChecksum = hasChecksum
        var bytes = stream.bytes
        bytes.insert(contentsOf: header.bytes + [0x21, 0x10], at: stream.places[10])
        let (_, packets) = try Self.read(bytes)
        // What is in front may take the nine bytes along; what is behind is whole.
        #expect(packets.prefix(9).elementsEqual(stream.packets.prefix(9)))
        #expect(packets.suffix(10).elementsEqual(stream.packets.suffix(10)), "\(length) \(hasChecksum)")
      }
    }
  }

  @Test("B014") func b014_tagsAround() throws {
    let stream = try Self.stream(50)
    var random = SplitMix(3)
    func id3(_ size: Int) -> [UInt8] {
      var body = (0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      // Sync words inside of a picture.
      for place in stride(from: 0, to: size - 8, by: 50) {
        body.replaceSubrange(place..<place + 7, with: [0xFF, 0xF1, 0x50, 0x80, 0x01, 0x7F, 0xFC])
      }
      let groups = [21, 14, 7, 0].map { UInt8(size >> $0 & 0x7F) }
      return Array("ID3".utf8) + [4, 0, 0] + groups + body
    }
    let id3v1 = Array("TAG".utf8) + [UInt8](repeating: 0x20, count: 125)
    var ape = Array("APETAGEX".utf8) + [0xD0, 7, 0, 0, 32 + 20, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xA0]
    ape += [UInt8](repeating: 0, count: 8) + [UInt8](repeating: 0x41, count: 20)
    ape += Array("APETAGEX".utf8) + [0xD0, 7, 0, 0, 32 + 20, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x80]
    ape += [UInt8](repeating: 0, count: 8)
    for front in [[], id3(10), id3(4096), id3(300_000), id3(100) + id3(200) + id3(0)] {
      for back in [[], id3v1, ape, ape + id3v1] {
        let bytes = front + stream.bytes + back
        #expect(try Probe.detect(MemorySource(bytes)) == .adts)
        let (reader, packets) = try Self.read(bytes)
        #expect(packets == stream.packets, "\(front.count) in front, \(back.count) behind")
        #expect(reader.warnings.count == 0)
      }
    }
    // A tag whose length is a lie.
    var lie = id3(10)
    lie[6] = 0x7F
    #expect(try Self.read(lie + stream.bytes).packets == stream.packets)
    // Segments of a live stream, each with its own tag.
    let segments = try Self.read(id3(50) + stream.bytes + id3(50) + stream.bytes)
    #expect(segments.packets == stream.packets + stream.packets)
    #expect(segments.reader.warnings.count == 0)
  }

  @Test("B018") func b018_piecesOfAnySize() throws {
    let stream = try Self.stream(60, checksums: true)
    for (seed, most) in [(1, 1), (2, 40), (3, 3000)] as [(UInt64, Int)] {
      let packets = try readInPieces(stream.bytes, seed: seed, most: most) { try ADTSReader($0) }
      #expect(packets.map(\.data) == stream.packets, "pieces up to \(most)")
    }
  }

  @Test("B018") func b018_pipe() throws {
    let stream = try Self.stream(300)
    let pipe = try PipeEnds()
    let writing = pipe.write(stream.bytes)
    let source = FileSource(descriptor: pipe.readEnd)
    #expect(!source.isSeekable)
    let reader = try openPacketReader(source)
    #expect(try reader.all().map(\.data) == stream.packets)
    #expect(try reader.survey() == nil)
    writing.wait()
  }

  @Test("B019") func b019_randomHeaders() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed)
    var found = 0
    for index in 0..<20_000 {
      var bytes = (0..<9).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      if index % 2 == 0 { bytes.replaceSubrange(0..<2, with: [0xFF, 0xF1]) }
      guard let header = try? ADTSHeader(parsing: bytes) else { continue }
      found += 1
      #expect(header.frameLength >= header.headerLength, "seed \(seed)")
      #expect(header.samplingRate > 0)
      _ = try? header.configuration()
    }
    #expect(found > 0)
  }

  @Test("B020") func b020_cutsAtRandomPlaces() throws {
    let stream = try Self.stream(200)
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed)
    for _ in 0..<120 {
      let cut = random.below(stream.places[198])
      let reader = try ADTSReader(MemorySource(Array(stream.bytes[cut...])))
      #expect(reader.info.configuration == stream.configuration, "seed \(seed), cut \(cut)")
      let packets = try reader.all().map(\.data)
      let first = stream.places.firstIndex { $0 >= cut } ?? 0
      #expect(packets.elementsEqual(stream.packets[first...]), "seed \(seed), cut \(cut)")
      #expect(reader.configurationChanges == 0)
    }
  }

  /// One flipped bit in a header costs no frame: the time line stays whole.
  @Test("B021") func b021_oneFlippedBitInAHeader() throws {
    let stream = try Self.stream(30)
    for frame in [0, 1, 15, 28, 29] {
      for bit in 0..<56 {
        var bytes = stream.bytes
        bytes[stream.places[frame] + bit / 8] ^= 0x80 >> UInt8(bit % 8)
        guard let (reader, packets) = try? Self.read(bytes) else {
          Issue.record("frame \(frame), bit \(bit): not opened")
          continue
        }
        // The first frame cannot be known before it is confirmed; a last one that claims more than there
        // is counts as cut off.
        let isOpen = frame == 0 || frame == 29
        #expect(packets.count == 30 || (isOpen && packets.count == 29), "frame \(frame), bit \(bit)")
        let matching = zip(
          packets.reversed(), stream.packets.dropLast(packets.count == 29 && frame == 29 ? 1 : 0).reversed()
        )
        .count { $0 == $1 }
        #expect(matching >= 28, "frame \(frame), bit \(bit): \(matching)")
        #expect(reader.warnings.count <= 2, "frame \(frame), bit \(bit)")
        #expect(reader.configurationChanges == 0, "frame \(frame), bit \(bit)")
        #expect(reader.info.configuration == stream.configuration, "frame \(frame), bit \(bit)")
      }
    }
  }

  @Test("B023") func b023_burstsKeepTheTimeLine() throws {
    let stream = try Self.stream(400, sizes: 300...300)
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed)
    var bytes = stream.bytes
    // Each burst wipes a header; they are ten frames apart.
    for frame in stride(from: 10, to: 390, by: 10) {
      let place = stream.places[frame] - 20 + random.below(10)
      for index in 0..<60 { bytes[place + index] = UInt8(truncatingIfNeeded: random.next()) & 0x7F }
    }
    let (reader, packets) = try Self.read(bytes)
    #expect(packets.count == 400, "seed \(seed)")
    let good = zip(packets, stream.packets).count { $0 == $1 }
    #expect(good >= 400 - 2 * 38, "seed \(seed): \(good)")
    #expect(reader.warnings.count > 0)
  }

  @Test("B028") func b028_junkInFront() throws {
    let stream = try Self.stream(40)
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed)
    for _ in 0..<20 {
      var junk = (0..<1 + random.below(4000)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      for _ in 0..<5 where junk.count > 4 {
        let place = random.below(junk.count - 4)
        junk.replaceSubrange(place..<place + 4, with: [0xFF, 0xFB, 0x90, 0x64])
      }
      // Beginnings that mean something else would be somebody else's file.
      junk[0] = 0x55
      let source = MemorySource(junk + stream.bytes)
      #expect(try Probe.detect(source) == .adts, "seed \(seed)")
      let reader = try ADTSReader(source)
      #expect(try reader.all().map(\.data) == stream.packets, "seed \(seed)")
      #expect(reader.warnings.items.map(\.kind) == [.junk])
    }
  }

  @Test("B029") func b029_configurationChanges() throws {
    let streams = [
      try Self.stream(30, rate: 22050, layout: .mono), try Self.stream(30),
      try Self.stream(30, rate: 48000, layout: .surround51),
    ]
    let reader = try ADTSReader(MemorySource(streams.flatMap(\.bytes)))
    var changes: [Int] = []
    var packets: [[UInt8]] = []
    var rates: [Int] = []
    var last = 0
    while let packet = try reader.nextPacket() {
      if reader.configurationChanges != last {
        last = reader.configurationChanges
        changes.append(packets.count)
      }
      packets.append(packet.data)
      rates.append(reader.info.timeRate)
    }
    #expect(packets == streams.flatMap(\.packets))
    #expect(changes == [30, 60])
    #expect([rates[29], rates[30], rates[60]] == [22050, 44100, 48000])
    #expect(reader.warnings.items.map(\.kind) == [.configurationChange, .configurationChange])
  }

  @Test("B044") func b044_theLastFrameNeedsNoSuccessor() throws {
    let stream = try Self.stream(1085, sizes: 7...7)
    #expect(stream.packets.last?.count ?? 0 < 14)
    #expect(try Self.read(stream.bytes).packets == stream.packets)
    let single = try Self.stream(1)
    #expect(try Probe.detect(MemorySource(single.bytes)) == .adts)
    #expect(try Self.read(single.bytes).packets == single.packets)
  }

  @Test func aCutLastFrameIsToldAndLeftOut() throws {
    let stream = try Self.stream(20)
    let (reader, packets) = try Self.read(Array(stream.bytes.dropLast(3)))
    #expect(packets == Array(stream.packets.dropLast()))
    #expect(reader.warnings.items.map(\.kind) == [.cutOff])
    #expect(reader.warnings.items.first?.byteOffset == Int64(stream.places[19]))
  }

  @Test func b145_severalAccessUnitsInAFrame() throws {
    let stream = try Self.stream(12, sizes: 20...200)
    for count in 2...4 {
      for checksums in [false, true] {
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: 12, by: count) {
          bytes += Self.frame(Array(stream.packets[start..<start + count]), checksums: checksums)
        }
        let (reader, packets) = try Self.read(bytes)
        #expect(packets == stream.packets, "\(count) \(checksums)")
        #expect(reader.mismatchCount == 0)
        #expect(reader.checkedCount == (checksums ? 12 + 12 / count : 0))
        #expect(try reader.survey()?.packetCount == 12)
        #expect(reader.warnings.count == 0)
      }
    }
  }

  /// A frame of several access units, built by the rules of 13818-7, 6.2.
  static func frame(_ units: [[UInt8]], checksums: Bool) -> [UInt8] {
    var header = ADTSHeader(samplingRateIndex: 4, channelConfiguration: 2, frameLength: 0)
    header.hasChecksum = checksums
    header.blockCount = units.count
    header.frameLength = header.headerLength + units.reduce(0) { $0 + $1.count + (checksums ? 2 : 0) }
    var bytes = header.bytes
    if checksums {
      var position = 0
      for unit in units.dropLast() {
        position += unit.count + 2
        bytes += [UInt8(position >> 8), UInt8(position & 0xFF)]
      }
      var crc = ADTSChecksum()
      crc.add(bytes: bytes[...])
      bytes += [UInt8(crc.value >> 8), UInt8(crc.value & 0xFF)]
    }
    for unit in units {
      bytes += unit
      guard checksums else { continue }
      var scanner = try? AccessUnitScanner(TestStream.configuration())
      try? scanner?.scan(unit, range: 0..<unit.count)
      var crc = ADTSChecksum()
      crc.add(scanner?.layout.protectedRegions ?? [], of: unit, from: 0)
      bytes += [UInt8(crc.value >> 8), UInt8(crc.value & 0xFF)]
    }
    return bytes
  }

  @Test func mpeg2RefusesNoiseSubstitution() throws {
    // A single channel with one band of noise: codebook 13 for band 0, energy, no spectrum.
    var bits = BitWriter()
    bits.put(0, 3)
    bits.put(0, 4)
    bits.put(100, 8)
    bits.put(0, 4)
    bits.put(1, 6)
    bits.put(0, 1)
    bits.put(13, 4)
    bits.put(1, 5)
    bits.put(256, 9)
    bits.put(0, 3)
    bits.put(7, 3)
    bits.alignToByte()
    let configuration = try TestStream.configuration(layout: .mono)
    let packet = Packet(data: bits.bytes, presentationTime: 0, duration: 1024)
    try ADTSWriter(MemorySink(), configuration: configuration).write(packet)
    let writer = try ADTSWriter(MemorySink(), configuration: configuration, options: .init(mpeg2: true))
    let error = containerError { try writer.write(packet) }
    #expect(error?.description.contains("noise substitution") == true, "\(String(describing: error))")
  }

  @Test func checksumOfKnownBytes() {
    var crc = ADTSChecksum()
    crc.add(bytes: Array("123456789".utf8)[...])
    // The check value of this polynomial and start, not reflected.
    #expect(crc.value == 0xAEE7)
    var bitwise = ADTSChecksum()
    bitwise.add([0x31, 0x32, 0x33], bitOffset: 3, count: 17)
    var slow = ADTSChecksum()
    for place in 3..<20 { slow.add(bit: [0x31, 0x32, 0x33][place / 8] >> (7 - place % 8) & 1 != 0) }
    #expect(bitwise.value == slow.value)
  }

  @Test func silenceStandsForLostPackets() throws {
    for layout in [ChannelLayout.mono, .stereo, .surround51, .surround71] {
      let configuration = try TestStream.configuration(layout: layout)
      let data = try #require(SilentPacket.data(for: configuration))
      var scanner = try AccessUnitScanner(configuration)
      try scanner.scan(data, range: 0..<data.count)
      #expect(scanner.layout.byteCount == data.count)
      #expect(scanner.layout.channelCount == layout.channelCount)
    }
  }
}
