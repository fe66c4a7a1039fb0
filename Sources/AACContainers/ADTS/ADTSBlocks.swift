import AAC

/// The access units of one ADTS frame: one nearly always, up to four by the standard.
struct ADTSBlocks {
  private var bytes: [UInt8] = []
  private var ranges: [Range<Int>] = []
  private var nextIndex = 0
  private var scanner: AccessUnitScanner?

  private(set) var checkedCount = 0
  private(set) var mismatchCount = 0
  /// Bit b: the checksum of access unit b does not fit.
  private var mismatches: UInt8 = 0
  /// Access units that frames have had lately.
  private var usualCount = 1
  /// Why the frame could not be taken apart as it should.
  private(set) var trouble: String?
  private(set) var leadingProgramConfig: ProgramConfig?

  var hasNext: Bool { nextIndex < ranges.count }

  mutating func prepare(for configuration: AudioSpecificConfig) {
    scanner = try? AccessUnitScanner(configuration)
  }

  /// Appends nothing: replaces `data` by the next access unit.
  mutating func next(into data: inout [UInt8]) {
    data.removeAll(keepingCapacity: true)
    data.append(contentsOf: bytes[ranges[nextIndex]])
    nextIndex += 1
  }

  /// Lets the access units whose checksums do not fit be empty ones.
  mutating func emptyDamaged() {
    for index in ranges.indices where index < 8 && mismatches >> UInt8(index) & 1 != 0 {
      ranges[index] = 0..<0
    }
  }

  mutating func load(
    _ frame: ADTSFramer.Frame, from window: ByteWindow, verify: Bool
  ) throws(ContainerError) {
    var loaded = bytes
    bytes = []
    loaded.removeAll(keepingCapacity: true)
    defer { bytes = loaded }
    try window.append(Int(frame.end - frame.start), at: frame.start, to: &loaded)
    ranges.removeAll(keepingCapacity: true)
    nextIndex = 0
    checkedCount = 0
    mismatchCount = 0
    mismatches = 0
    trouble = nil
    leadingProgramConfig = nil
    let start = min(frame.header.headerLength, loaded.count)
    if frame.header.blockCount == 1 {
      ranges.append(start..<loaded.count)
      if frame.header.hasChecksum, verify { verifySingle(loaded, start) }
    } else if frame.header.hasChecksum {
      splitByPositions(loaded, frame.header, start, verify: verify)
    } else {
      splitByScanning(loaded, frame.header.blockCount, start)
    }
    if trouble == nil { usualCount = frame.header.blockCount }
    if frame.header.channelConfiguration == 0, let first = ranges.first {
      leadingProgramConfig = ProgramConfig(leading: Array(loaded[first].prefix(512)))
    }
  }

  // MARK: Checksums

  private static func number(_ bytes: [UInt8], at index: Int) -> Int {
    index + 1 < bytes.count ? Int(bytes[index]) << 8 | Int(bytes[index + 1]) : -1
  }

  /// - Parameter block: the access unit that the checksum is of; `nil` for the header's own.
  private mutating func compare(
    _ checksum: ADTSChecksum, with bytes: [UInt8], at index: Int, block: Int?
  ) {
    checkedCount += 1
    guard Self.number(bytes, at: index) != Int(checksum.value) else { return }
    mismatchCount += 1
    if let block { mismatches |= 1 << UInt8(block & 7) }
  }

  /// Adds the protected parts of an access unit. False where they cannot be known: the syntax is of
  /// another object type. An access unit that does not parse counts as damaged.
  private mutating func protect(_ bytes: [UInt8], _ range: Range<Int>, _ checksum: inout ADTSChecksum) -> Bool
  {
    guard scanner != nil else { return false }
    do {
      try scanner?.scan(bytes, range: range)
    } catch {
      if case .unsupported = error.reason { return false }
    }
    if let regions = scanner?.layout.protectedRegions {
      checksum.add(regions, of: bytes, from: range.lowerBound)
    }
    return true
  }

  private mutating func verifySingle(_ bytes: [UInt8], _ start: Int) {
    var checksum = ADTSChecksum()
    checksum.add(bytes: bytes.prefix(ADTSHeader.byteCount))
    guard protect(bytes, start..<bytes.count, &checksum) else { return }
    compare(checksum, with: bytes, at: ADTSHeader.byteCount, block: 0)
  }

  // MARK: Several access units

  private mutating func splitByPositions(
    _ bytes: [UInt8], _ header: ADTSHeader, _ start: Int, verify: Bool
  ) {
    if verify {
      var checksum = ADTSChecksum()
      checksum.add(bytes: bytes.prefix(start - 2))
      compare(checksum, with: bytes, at: start - 2, block: nil)
    }
    var begin = start
    for block in 1...header.blockCount {
      let isLast = block == header.blockCount
      let position = Self.number(bytes, at: ADTSHeader.byteCount + 2 * (block - 1))
      let next = isLast ? bytes.count : start + position
      // Each block has a checksum of two bytes behind it.
      guard next - 2 >= begin, next <= bytes.count else {
        trouble = "the ADTS frame's table of positions makes no sense"
        // Without the table's truth the frame is taken as the usual one access unit.
        ranges = [min(ADTSHeader.byteCount + 2, bytes.count)..<bytes.count]
        // Where frames have always had several the time of the others goes on.
        guard usualCount > 1 else { return }
        ranges = [Range<Int>](repeating: 0..<0, count: header.blockCount)
        return
      }
      let range = begin..<next - 2
      ranges.append(range)
      if verify {
        var checksum = ADTSChecksum()
        if protect(bytes, range, &checksum) {
          compare(checksum, with: bytes, at: next - 2, block: block - 1)
        }
      }
      begin = next
    }
  }

  private mutating func splitByScanning(_ bytes: [UInt8], _ count: Int, _ start: Int) {
    var begin = start
    for _ in 0..<count {
      do {
        guard scanner != nil else { throw AACError(.unsupported("this object type's syntax")) }
        try scanner?.scan(bytes, range: begin..<bytes.count)
      } catch {
        trouble = "the access units of an ADTS frame could not be told apart: \(error)"
        // The rest stands for what is missing, so that the time goes on.
        ranges.append(begin..<bytes.count)
        while ranges.count < count { ranges.append(0..<0) }
        return
      }
      let end = begin + (scanner?.layout.byteCount ?? 0)
      ranges.append(begin..<end)
      begin = end
      if begin == bytes.count, ranges.count < count {
        trouble = "the ADTS header tells of \(count) access units where \(ranges.count) are"
        return
      }
    }
  }
}
