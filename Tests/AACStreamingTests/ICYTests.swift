import Testing

@testable import AACStreaming

/// A generator whose seed a failing test prints.
private struct Random {
  var state: UInt64

  mutating func below(_ limit: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state >> 11) % max(1, limit)
  }
}

private struct Result: Equatable {
  var sound: [UInt8] = []
  var blocks: [ICYDemultiplexer.Block] = []
}

private func take(_ chunks: [[UInt8]], interval: Int?) -> Result {
  var metadata = ICYDemultiplexer(interval: interval)
  var result = Result()
  for chunk in chunks { metadata.take(chunk, into: &result.sound) { result.blocks.append($0) } }
  return result
}

private func block(_ text: [UInt8]) -> [UInt8] {
  let units = (text.count + 15) / 16
  return [UInt8(units)] + text + [UInt8](repeating: 0, count: units * 16 - text.count)
}

@Suite struct ICYTests {
  @Test func everySplitGivesTheSame() {
    let text = [UInt8]("StreamTitle='Foo - Baz';".utf8)
    let bytes: [UInt8] = [1, 2, 3, 4, 5] + block(text) + [6, 7, 8, 9, 10] + [0] + [11, 12]
    let whole = take([bytes], interval: 5)
    #expect(whole.sound == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    #expect(whole.blocks.map(\.position) == [5])
    #expect(whole.blocks.map { ICYMetadata($0.bytes).title } == ["Foo - Baz"])
    for first in 0...bytes.count {
      for second in first...bytes.count {
        let parts = [[UInt8](bytes[..<first]), [UInt8](bytes[first..<second]), [UInt8](bytes[second...])]
        #expect(take(parts, interval: 5) == whole, "cut at \(first) and \(second)")
      }
    }
    #expect(take(bytes.map { [$0] }, interval: 5) == whole)
  }

  @Test func withoutIntervalAllIsSound() {
    for interval in [nil, 0, -7] {
      #expect(take([[1, 2], [3]], interval: interval) == Result(sound: [1, 2, 3]))
    }
  }

  /// Whatever comes, in whatever pieces: the same result, every byte accounted for, blocks within their size.
  @Test func anything() {
    let seed = UInt64.random(in: 1...UInt64.max)
    var random = Random(state: seed)
    for _ in 0..<300 {
      let interval = 1 + random.below(300)
      let bytes = (0..<random.below(20_000)).map { _ in
        random.below(3) == 0 ? UInt8(random.below(256)) : UInt8(random.below(4))
      }
      let whole = take([bytes], interval: interval)
      var chunks: [[UInt8]] = []
      var next = 0
      while next < bytes.count {
        let count = min(bytes.count - next, random.below(1 + random.below(900)))
        chunks.append([UInt8](bytes[next..<next + count]))
        next += count
      }
      #expect(take(chunks, interval: interval) == whole, "seed \(seed)")
      #expect(whole.blocks.allSatisfy { $0.bytes.count <= 4080 && $0.bytes.count % 16 == 0 }, "seed \(seed)")
      #expect(
        whole.blocks.allSatisfy { $0.position % Int64(interval) == 0 && $0.position <= whole.sound.count },
        "seed \(seed)")
      for block in whole.blocks {
        let title = ICYMetadata(block.bytes).title
        #expect((title?.unicodeScalars.count ?? 0) <= 1024, "seed \(seed)")
      }
    }
  }

  @Test(arguments: [
    ("StreamTitle='A';StreamUrl='http://x';", "A"), ("StreamTitle='It's here';", "It's here"),
    ("StreamUrl='u';StreamTitle='B';", "B"), ("StreamTitle='';", ""), ("StreamTitle='no end", "no end"),
    ("StreamTitle='quote at the end'", "quote at the end"), ("StreamTitle=';", ";"),
    ("StreamTitle='a\u{1B}[31mb\u{7}c';", "a [31mb c"), ("StreamTitle='  x  y ';", "x  y"),
    ("StreamTitle='Ä ö 日本';", "Ä ö 日本"),
  ]) func b158_titles(text: String, title: String) {
    #expect(ICYMetadata([UInt8](text.utf8)).title == title)
  }

  @Test("B158") func otherTexts() {
    #expect(ICYMetadata([]).title == nil)
    #expect(ICYMetadata([UInt8]("StreamTitel='x';".utf8)).title == nil)
    // Latin-1, which is no UTF-8.
    #expect(ICYMetadata([UInt8]("StreamTitle='".utf8) + [0x4D, 0xFC, 0x6C, 0x27, 0x3B]).title == "Mül")
    #expect(ICYMetadata([UInt8]("StreamTitle='x';StreamUrl='y';".utf8) + [0, 65]).url == "y")
    let long = [UInt8]("StreamTitle='".utf8) + [UInt8](repeating: 65, count: 4000) + [0x27, 0x3B]
    #expect(ICYMetadata(long).title?.count == 1024)
  }

  @Test func headers() {
    var response = HTTPResponse()
    for line in [
      "HTTP/1.1 302 Found", "icy-name:old", "Location: x", "", "ICY 200 OK", "icy-name:Radio \u{1B}X",
      "icy-br:128, 64", "ICY-METAINT: 16000", "Content-Type: audio/aacp; charset=x", "icy-pub:0", "nonsense",
      "icy-genre:", ":", "content-length: -5", "Accept-Ranges: bytes",
    ] { response.take([UInt8]((line + "\r\n").utf8)) }
    #expect(response.status == 200 && response.isStation && response.isEndless)
    #expect(response.stationName == "Radio  X" && response.bitRate == 128_000)
    #expect(response.metadataInterval == 16000 && response.contentType == "audio/aacp")
    #expect(response.genre == nil && response.contentLength == nil && response.acceptsRanges)
    for line in ["icy-metaint: 99999999999999999999", "icy-br: x", "icy-metaint: -1"] {
      var other = HTTPResponse()
      other.take([UInt8](line.utf8))
      #expect(other.metadataInterval == nil && other.bitRate == nil)
    }
  }

  /// Lines of anything: no trap, and texts within bounds.
  @Test func anyHeaders() {
    let seed = UInt64.random(in: 1...UInt64.max)
    var random = Random(state: seed)
    let names = [
      "icy-name:", "icy-br:", "icy-metaint:", "content-length:", "HTTP/1.1 ", "ICY ", "icy-genre: ", "",
    ]
    for _ in 0..<3000 {
      var response = HTTPResponse()
      for _ in 0..<random.below(6) {
        let rest = (0..<random.below(random.below(20) == 0 ? 9000 : 30)).map { _ in
          random.below(2) == 0 ? UInt8(48 + random.below(10)) : UInt8(random.below(256))
        }
        response.take([UInt8](names[random.below(names.count)].utf8) + rest)
      }
      #expect((response.stationName?.unicodeScalars.count ?? 0) <= 1024, "seed \(seed)")
      #expect((response.metadataInterval ?? 1) > 0 && (response.contentLength ?? 0) >= 0, "seed \(seed)")
      #expect((1000...100_000_000).contains(response.bitRate ?? 1000), "seed \(seed)")
    }
  }
}
