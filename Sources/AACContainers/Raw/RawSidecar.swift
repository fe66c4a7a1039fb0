import AAC

/// What bare access units do not say themselves, as JSON beside them (`NAME.raw.json`):
///
///     {
///       "format": "aac-access-units",
///       "configuration": "1210",        AudioSpecificConfig in hexadecimal digits
///       "timeRate": 44100,              frames a second of the counts below
///       "packetDuration": 1024,
///       "sizes": [371, 380, …],         bytes of each access unit
///       "priming": 1024,
///       "padding": 512,
///       "tags": {"title": "…"}
///     }
///
/// Only `configuration` is needed; without `sizes` the access units are told apart by their syntax.
public struct RawSidecar: Sendable, Equatable {
  static let format = "aac-access-units"

  public var configurationBytes: [UInt8] = []
  public var timeRate: Int?
  public var packetDuration: Int?
  public var priming = 0
  public var padding = 0
  public var tags = Tags()
  /// Number of sizes listed; `nil` without a list.
  public var packetCount: Int64?
  /// Place of the first size in the JSON text.
  var sizesOffset: Int64?

  /// Reads the text. The list of sizes is only counted.
  public init(parsing source: any ByteSource) throws(ContainerError) {
    var scanner = JSONScanner(source)
    try scanner.expect("{")
    if try scanner.peek() == UInt8(ascii: "}") { throw scanner.failure("there is no configuration") }
    repeat {
      let key = try scanner.string()
      try scanner.expect(":")
      try read(key, &scanner)
    } while try scanner.hasNext(before: "}")
    guard !configurationBytes.isEmpty else { throw scanner.failure("there is no configuration") }
  }

  private mutating func read(_ key: String, _ scanner: inout JSONScanner) throws(ContainerError) {
    switch key {
    case "format":
      let format = try scanner.string()
      guard format == Self.format else { throw scanner.failure("the format is \(format)") }
    case "configuration":
      let text = try scanner.string()
      guard let bytes = Self.bytes(hexadecimal: text) else {
        throw scanner.failure("the configuration is not in hexadecimal digits")
      }
      configurationBytes = bytes
    case "timeRate": timeRate = Int(try scanner.integer(in: 1...0x1FF_FFFE))
    case "packetDuration": packetDuration = Int(try scanner.integer(in: 1...4096))
    case "priming": priming = Int(try scanner.integer(in: 0...0xFF_FFFF))
    case "padding": padding = Int(try scanner.integer(in: 0...0xFF_FFFF))
    case "sizes":
      try scanner.expect("[")
      sizesOffset = scanner.position
      var count: Int64 = 0
      if try scanner.peek() == UInt8(ascii: "]") {
        try scanner.expect("]")
      } else {
        repeat {
          _ = try scanner.integer(in: 1...Int64(SampleTable.largestSample))
          count += 1
        } while try scanner.hasNext(before: "]")
      }
      packetCount = count
    case "tags":
      try scanner.expect("{")
      guard try scanner.peek() != UInt8(ascii: "}") else { return try scanner.expect("}") }
      repeat {
        let name = try scanner.string()
        try scanner.expect(":")
        tags.set(name, to: try scanner.strings())
      } while try scanner.hasNext(before: "}")
    default: try scanner.skipValue()
    }
  }

  static func bytes(hexadecimal text: String) -> [UInt8]? {
    let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count == text.utf8.count, digits.count % 2 == 0, !digits.isEmpty, digits.count <= 2048 else {
      return nil
    }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
