import AAC

/// Tells what a file is by looking into it. Names and announced types do not count.
public enum Probe {
  /// What was found.
  public enum Content: Sendable, Equatable {
    case container(ContainerFormat)
    /// Something that is no AAC container, with a name for people (`a WAV file`).
    case other(String)
    case empty
    case unknown
  }

  /// How far an ADTS or LOAS stream is looked for behind other bytes.
  private static let searchLength = 1 << 16

  /// Looks at the start of `source`. `m4a` stands for fragmented MP4 too, until the reader has opened it.
  public static func identify(_ source: any ByteSource) throws(ContainerError) -> Content {
    let window = ByteWindow(source)
    if try window.isAtEnd(0) { return .empty }
    let start = try TagBlock.endOfLeadingTags(in: window)
    let head = try window.bytes(64, at: start)
    if let content = FileMark.identify(head) { return content }
    if try isADTS(at: start, chain: 2, in: window) { return .container(.adts) }
    if try LOASFramer.count(from: start, atMost: 2, in: window) == 2 { return .container(.loas) }
    if try TransportFramer(from: start, in: window) != nil { return .container(.ts) }
    if try isMPEGAudio(at: start, in: window) { return .other("MP1, MP2 or MP3 audio") }
    if try isLATM(at: start, in: window) { return .container(.loas) }
    if try findADTS(from: start, in: window) != nil { return .container(.adts) }
    if try findLOAS(from: start, in: window) != nil { return .container(.loas) }
    if FileMark.isText(head) { return .other("text") }
    return .unknown
  }

  /// The container of `source`.
  ///
  /// - Throws: `notAAC` that names what is there instead.
  public static func detect(_ source: any ByteSource) throws(ContainerError) -> ContainerFormat {
    switch try identify(source) {
    case .container(let format): return format
    case .other(let name): throw ContainerError(.notAAC(name), at: 0)
    case .empty: throw ContainerError(.notAAC("an empty file"), at: 0)
    case .unknown: throw ContainerError(.notAAC("data of an unknown kind"), at: 0)
    }
  }

  // MARK: Chains of headers

  /// `chain` headers in a row that fit, or fewer that end exactly with the data.
  private static func isADTS(at offset: Int64, chain: Int, in window: ByteWindow) throws(ContainerError)
    -> Bool
  {
    var place = offset
    var first: ADTSHeader?
    for _ in 0..<chain {
      if first != nil {
        if try window.isAtEnd(place) { return true }
        if try TagBlock.length(at: place, in: window) != nil { return true }
      }
      guard let header = try ADTSFramer.header(at: place, in: window) else { return false }
      if let first, header.steadyPart != first.steadyPart { return false }
      first = first ?? header
      place += Int64(header.frameLength)
    }
    return true
  }

  /// A chain of three headers somewhere in the first stretch.
  private static func findADTS(from start: Int64, in window: ByteWindow) throws(ContainerError) -> Int64? {
    var place = start
    let end = start + Int64(searchLength)
    while place < end {
      guard
        let found = try window.firstSync(from: place, limit: Int(end - place), mask: 0xF6, pattern: 0xF0)
      else { return nil }
      if try hasThreeHeaders(at: found, in: window) { return found }
      place = found + 1
    }
    return nil
  }

  private static func hasThreeHeaders(at offset: Int64, in window: ByteWindow) throws(ContainerError) -> Bool
  {
    guard let first = try ADTSFramer.header(at: offset, in: window) else { return false }
    let second = offset + Int64(first.frameLength)
    guard let header = try ADTSFramer.header(at: second, in: window), header.steadyPart == first.steadyPart
    else { return false }
    return try isADTS(at: second, chain: 2, in: window)
  }

  private static func findLOAS(from start: Int64, in window: ByteWindow) throws(ContainerError) -> Int64? {
    try LOASFramer.first(from: start, limit: searchLength, chain: 4, enough: 3, in: window)
  }

  /// Whether what `identify` took for LOAS has sync words; else it is LATM alone.
  static func hasLOASFrames(_ source: any ByteSource) throws(ContainerError) -> Bool {
    let window = ByteWindow(source)
    let start = try TagBlock.endOfLeadingTags(in: window)
    if try LOASFramer.count(from: start, atMost: 2, in: window) == 2 { return true }
    if try isLATM(at: start, in: window) { return false }
    return true
  }

  /// LATM elements back to back: little speaks for them but that each says of itself what it should, with
  /// zero bits up to its end.
  private static func isLATM(at offset: Int64, in window: ByteWindow) throws(ContainerError) -> Bool {
    var elements = LATMReader.Elements(at: offset, config: nil)
    var scanner: AccessUnitScanner?
    var unit: [UInt8] = []
    for index in 0..<5 {
      if index > 1, try window.isAtEnd(elements.position) { return true }
      do throws(ContainerError) {
        _ = try elements.load(in: window)
      } catch {
        if error.reason == .needsMoreData { throw error }
        return false
      }
      guard elements.units.isOrdinary, elements.units.bringsConfig || index > 0 else { return false }
      if index == 0, let configuration = elements.units.config?.configuration {
        scanner = try? AccessUnitScanner(configuration)
      }
      elements.units.next(into: &unit)
      guard scanner != nil else { continue }
      guard (try? scanner?.scan(unit, range: 0..<unit.count)) != nil, scanner?.layout.byteCount == unit.count
      else { return false }
    }
    return true
  }

  /// How the bytes of an AAC stream are framed: `adts` or `loas`; `nil` where neither is found.
  static func framing(of source: any ByteSource) throws(ContainerError) -> ContainerFormat? {
    let window = ByteWindow(source)
    if try isADTS(at: 0, chain: 3, in: window) { return .adts }
    if try LOASFramer.count(from: 0, atMost: 3, in: window) == 3 { return .loas }
    let adts = try findADTS(from: 0, in: window) ?? .max
    let loas = try findLOAS(from: 0, in: window) ?? .max
    if adts == loas { return nil }
    return adts < loas ? .adts : .loas
  }

  private static func isMPEGAudio(at offset: Int64, in window: ByteWindow) throws(ContainerError) -> Bool {
    var place = offset
    for index in 0..<2 {
      guard let word = try window.number(4, at: place) else {
        return index == 0 ? false : try window.isAtEnd(place)
      }
      guard let length = MPEGAudioHeader.frameLength(UInt32(truncatingIfNeeded: word)) else { return false }
      place += Int64(length)
    }
    return true
  }
}

/// The header of MPEG audio's layers I to III, as far as telling it from ADTS needs it.
enum MPEGAudioHeader {
  private static let rates: [[Int]] = [
    [11025, 12000, 8000], [], [22050, 24000, 16000], [44100, 48000, 32000],
  ]
  private static let kilobits1: [[Int]] = [
    [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  ]
  private static let kilobits2: [[Int]] = [
    [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  ]

  static func frameLength(_ word: UInt32) -> Int? {
    let version = Int(word >> 19 & 3)
    let layer = 3 - Int(word >> 17 & 3)
    let rateIndex = Int(word >> 10 & 3)
    let bitRateIndex = Int(word >> 12 & 15)
    guard word >> 21 == 0x7FF, version != 1, layer < 3, rateIndex < 3, (1...14).contains(bitRateIndex) else {
      return nil
    }
    let bitRate = (version == 3 ? kilobits1 : kilobits2)[layer][bitRateIndex - 1] * 1000
    let rate = rates[version][rateIndex]
    let padding = Int(word >> 9 & 1)
    if layer == 0 { return (12 * bitRate / rate + padding) * 4 }
    return (layer == 2 && version != 3 ? 72 : 144) * bitRate / rate + padding
  }
}
