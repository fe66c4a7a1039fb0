/// Bytes of a file to be: new ones, and stretches of the old file, which are not loaded.
struct EditParts {
  enum Part {
    case new([UInt8])
    case old(Range<Int64>)

    var count: Int64 {
      switch self {
      case .new(let bytes): Int64(bytes.count)
      case .old(let range): range.upperBound - range.lowerBound
      }
    }
  }

  private(set) var parts: [Part] = []
  private(set) var count: Int64 = 0

  mutating func append(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    count += Int64(bytes.count)
    guard case .new(var last) = parts.last else { return parts.append(.new(bytes)) }
    parts.removeLast()
    last += bytes
    parts.append(.new(last))
  }

  mutating func append(old range: Range<Int64>) {
    count += range.upperBound - range.lowerBound
    parts.append(.old(range))
  }

  /// Some of the bytes, which are to be inside.
  func bytes(_ range: Range<Int64>, of source: any ByteSource) throws(ContainerError) -> [UInt8] {
    var bytes: [UInt8] = []
    var start: Int64 = 0
    for part in parts {
      defer { start += part.count }
      let from = max(range.lowerBound, start)
      let to = min(range.upperBound, start + part.count)
      guard from < to else { continue }
      switch part {
      case .new(let new): bytes += new[Int(from - start)..<Int(to - start)]
      case .old(let old):
        let place = old.lowerBound + from - start
        let got = try source.read(at: place, count: Int(to - from))
        guard got.count == Int(to - from) else { throw ContainerError(.truncated("the file"), at: place) }
        bytes += got
      }
    }
    return bytes
  }
}
