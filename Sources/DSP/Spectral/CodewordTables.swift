/// The spectral codebooks, spread out by signed values: one look-up gives a tuple's codeword with its signs.
public final class CodewordTables: Sendable {
  /// Lines that a call may write, and bytes that each can take: an escape sequence has 21 bits.
  private static let bytesPerLine = 4

  /// A codebook as the tables need it.
  public struct Book: Sendable {
    /// Values in a tuple: 4 or 2.
    public let dimension: Int
    /// Largest absolute value; 16 means that escape sequences follow.
    public let largest: Int
    /// Codeword with its signs and their bits together, by the values as digits −largest…largest.
    public let codewords: [(code: UInt32, length: Int)]

    public init(dimension: Int, largest: Int, codewords: [(code: UInt32, length: Int)]) {
      self.dimension = dimension
      self.largest = largest
      self.codewords = codewords
    }
  }

  private let stores: [TableStore<UInt32>]
  /// Each book's entry of all zeros, by its number; entry 0 is of no use.
  private let middles: TableStore<Int>

  /// - Parameter books: 1 to 11.
  public init(_ books: [Book]) {
    precondition(books.count == 11, "eleven books")
    stores = books.map { book in
      var size = 1
      for _ in 0..<book.dimension { size *= 2 * book.largest + 1 }
      precondition(book.codewords.count == size, "a codeword for every tuple")
      return TableStore(
        book.codewords.map { $0.code << 5 | UInt32(truncatingIfNeeded: $0.length) }, padding: 0)
    }
    middles = TableStore(
      [0] + stores.map { Int(bitPattern: $0.pointer + $0.count / 2) }, padding: 0)
  }

  /// Appends the lines of one group's bands to `bytes`, most significant bit first. Values that do not fit
  /// their codebook are the caller's mistake.
  ///
  /// - Parameters:
  ///   - start: the group's first line.
  ///   - offsets: of the bands in one window.
  ///   - windows: in the group.
  ///   - codebooks: of the bands; books beyond 11 and 0 send nothing.
  ///   - cache, cached: bits that do not fill a byte yet.
  public func write(
    _ spectrum: [Int16], from start: Int, offsets: [Int], windows: Int, codebooks: ArraySlice<UInt8>,
    to bytes: inout [UInt8], cache: inout UInt64, cached: inout Int
  ) {
    guard let lastOffset = offsets.last, codebooks.count < offsets.count else { return }
    let count = windows * lastOffset
    SpectralKernels.check(start..<start + count, spectrum.count)
    withUnsafeTemporaryAllocation(byteCount: Self.bytesPerLine * count + 16, alignment: 8) { room in
      spectrum.withUnsafeBufferPointer { spectrum in
        guard let target = room.baseAddress, let spectrum = spectrum.baseAddress else { return }
        var writer = CodewordWriter(
          cache: cache, cached: cached, next: target.assumingMemoryBound(to: UInt8.self))
        for (band, codebook) in codebooks.enumerated() {
          guard (1...11).contains(codebook) else { continue }
          let first = windows * offsets[band]
          let end = windows * offsets[band + 1]
          put(spectrum + start + first, end - first, codebook, &writer)
        }
        bytes.append(contentsOf: room[0..<target.distance(to: UnsafeMutableRawPointer(writer.next))])
        cache = writer.cache
        cached = writer.cached
      }
    }
  }

  @inline(__always)
  private func put(
    _ q: UnsafePointer<Int16>, _ count: Int, _ codebook: UInt8, _ writer: inout CodewordWriter
  ) {
    guard let entries = UnsafePointer<UInt32>(bitPattern: middles.pointer[Int(codebook)]) else { return }
    switch codebook {
    case 1, 2: putQuads(q, count, entries, 3, &writer)
    case 3, 4: putQuads(q, count, entries, 5, &writer)
    case 5, 6: putPairs(q, count, entries, 9, &writer)
    case 7, 8: putPairs(q, count, entries, 15, &writer)
    case 9, 10: putPairs(q, count, entries, 25, &writer)
    default: putEscapes(q, count, entries, &writer)
    }
  }

  @inline(__always)
  private func putQuads(
    _ q: UnsafePointer<Int16>, _ count: Int, _ entries: UnsafePointer<UInt32>, _ base: Int,
    _ writer: inout CodewordWriter
  ) {
    var index = 0
    while index < count {
      assert((0..<4).allSatisfy { 2 * Int(q[index + $0].magnitude) < base })
      let first = Int(q[index]) &* base &+ Int(q[index + 1])
      let second = Int(q[index + 2]) &* base &+ Int(q[index + 3])
      writer.put(entries[first &* (base &* base) &+ second])
      if index & 4 != 0 { writer.flush() }
      index &+= 4
    }
    writer.flush()
  }

  @inline(__always)
  private func putPairs(
    _ q: UnsafePointer<Int16>, _ count: Int, _ entries: UnsafePointer<UInt32>, _ base: Int,
    _ writer: inout CodewordWriter
  ) {
    var index = 0
    while index < count {
      assert((0..<4).allSatisfy { 2 * Int(q[index + $0].magnitude) < base })
      writer.put(entries[Int(q[index]) &* base &+ Int(q[index + 1])])
      writer.put(entries[Int(q[index + 2]) &* base &+ Int(q[index + 3])])
      writer.flush()
      index &+= 4
    }
  }

  @inline(__always)
  private func putEscapes(
    _ q: UnsafePointer<Int16>, _ count: Int, _ entries: UnsafePointer<UInt32>,
    _ writer: inout CodewordWriter
  ) {
    var index = 0
    while index < count {
      let (x, y) = (q[index], q[index + 1])
      writer.put(entries[Int(min(max(x, -16), 16)) &* 33 &+ Int(min(max(y, -16), 16))])
      if x.magnitude >= 16 { writer.putEscape(x) }
      writer.flush()
      if y.magnitude >= 16 {
        writer.putEscape(y)
        writer.flush()
      }
      index &+= 2
    }
  }
}

/// Bits on their way to memory. After a flush there is room for two entries, or for one and an escape sequence.
private struct CodewordWriter {
  var cache: UInt64
  var cached: Int
  var next: UnsafeMutablePointer<UInt8>

  @inline(__always)
  mutating func put(_ entry: UInt32) {
    let length = Int(entry & 31)
    cache = cache &<< UInt64(length) | UInt64(entry &>> 5)
    cached &+= length
  }

  /// N ones, a zero and the N + 4 bits under the leading one.
  @inline(__always)
  mutating func putEscape(_ value: Int16) {
    let magnitude = UInt64(min(value.magnitude, 8191))
    let width = UInt64(truncatingIfNeeded: 63 &- magnitude.leadingZeroBitCount)
    let ones = width &- 4
    let prefix = (1 &<< ones &- 1) &<< 1
    let rest = magnitude &- 1 &<< width
    cache = cache &<< (ones &+ 1 &+ width) | prefix &<< width | rest
    cached &+= Int(truncatingIfNeeded: ones &+ 1 &+ width)
  }

  /// Moves whole bytes to memory; eight are written, of which the rest do not count. Bits in front of the
  /// `cached` ones stay in `cache`, where they do no harm.
  @inline(__always)
  mutating func flush() {
    // With nothing cached the shift does nothing, and nothing counts.
    let word = (cache &<< UInt64(truncatingIfNeeded: 64 &- cached)).bigEndian
    UnsafeMutableRawPointer(next).storeBytes(of: word, as: UInt64.self)
    next += cached &>> 3
    cached &= 7
  }
}
