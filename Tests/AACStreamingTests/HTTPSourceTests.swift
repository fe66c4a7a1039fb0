import AACContainers
import Foundation
import Synchronization
import TestServers
import Testing

@testable import AACStreaming

/// Events of a source, from whichever thread they come.
private final class Heard: Sendable {
  private let list = Mutex<[HTTPEvent]>([])
  func add(_ event: HTTPEvent) { list.withLock { $0.append(event) } }
  var events: [HTTPEvent] { list.withLock { $0 } }
  var titles: [String] { events.compactMap { if case .title(let text) = $0 { text } else { nil } } }
  var connections: Int { events.count { if case .connected = $0 { true } else { false } } }
  var attempts: [Int] {
    events.compactMap { if case .reconnecting(let attempt, _) = $0 { attempt } else { nil } }
  }
}

private func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) } }

private func block(_ text: String) -> [UInt8] {
  let bytes = [UInt8](text.utf8)
  let units = (bytes.count + 15) / 16
  return [UInt8(units)] + bytes + [UInt8](repeating: 0, count: units * 16 - bytes.count)
}

/// Reads to the end, releasing as it goes.
private func readAll(_ source: HTTPSource, most: Int = 10_000_000) throws -> [UInt8] {
  var all: [UInt8] = []
  while all.count < most {
    let part = try source.read(at: Int64(all.count), count: min(5000, most - all.count))
    if part.isEmpty { break }
    all += part
    source.release(before: Int64(all.count))
  }
  return all
}

private func quick() -> HTTPSettings {
  var settings = HTTPSettings()
  settings.connectTimeout = 5
  settings.stallTimeout = 5
  settings.reconnectTime = 5
  return settings
}

@Suite struct HTTPSourceTests {
  @Test func plainBody() throws {
    let body = pattern(300_000)
    let server = try WebServer { connection in
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\nContent-Type: audio/mp4\r\n\r\n")
      connection.send(body)
    }
    let source = try HTTPSource(server.address("/x.m4a"), settings: quick())
    let response = try source.open()
    #expect(response.contentLength == 300_000 && response.contentType == "audio/mp4" && !response.isEndless)
    #expect(try readAll(source) == body)
    #expect(source.length == 300_000 && source.failure == nil)
    #expect(server.requests[0].contains("GET /x.m4a HTTP/1.1"))
    #expect(server.requests[0].contains("Icy-MetaData: 1"))
  }

  @Test func chunkedBody() throws {
    let body = pattern(50_000)
    let server = try WebServer { connection in
      connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      for start in stride(from: 0, to: 50_000, by: 777) {
        let part = [UInt8](body[start..<min(start + 777, 50_000)])
        connection.send([UInt8]((String(part.count, radix: 16) + "\r\n").utf8) + part + [13, 10])
      }
      connection.send("0\r\n\r\n")
    }
    let source = try HTTPSource(server.address(), settings: quick())
    #expect(try readAll(source) == body)
  }

  /// A station with the old status line, whose titles come when the reader has come to them.
  @Test func stationWithTitles() throws {
    let body = pattern(4000)
    let server = try WebServer { connection in
      connection.send("ICY 200 OK\r\nicy-name:Test\r\nicy-br:64\r\nicy-metaint:1000\r\n\r\n")
      connection.send([UInt8](body[..<1000]) + block("StreamTitle='One';"))
      connection.send([UInt8](body[1000..<2000]) + block("StreamTitle='One';"))
      connection.send([UInt8](body[2000..<3000]) + block("StreamTitle='Two';"))
      connection.send([UInt8](body[3000...]) + [0])
      connection.waitForEnd(seconds: 5)
    }
    let heard = Heard()
    let source = try HTTPSource(server.address(), settings: quick(), onEvent: heard.add)
    let response = try source.open()
    #expect(response.isStation && response.isEndless && response.stationName == "Test")
    #expect(response.bitRate == 64_000)
    #expect(try source.read(at: 0, count: 4000) == body)
    #expect(heard.titles.isEmpty)
    source.release(before: 1000)
    #expect(heard.titles.isEmpty)
    source.release(before: 1001)
    #expect(heard.titles == ["One"])
    source.release(before: 4000)
    #expect(heard.titles == ["One", "Two"])
    source.cancel()
    #expect(throws: ContainerError.self) { try source.read(at: 4000, count: 1) }
  }

  @Test(arguments: [404, 401, 403, 500]) func refusals(status: Int) throws {
    let server = try WebServer { connection in
      connection.send("HTTP/1.1 \(status) No\r\nContent-Length: 3\r\n\r\nxyz")
    }
    let source = try HTTPSource(server.address(), settings: quick())
    let error = #expect(throws: HTTPError.self) { try source.open() }
    #expect(error?.reason == .status(status, "No"))
    #expect(error?.advice != nil)
    #expect(throws: ContainerError.self) { try source.read(at: 0, count: 1) }
    #expect(server.requests.count == 1)
  }

  @Test func redirects() throws {
    let server = try WebServer { connection in
      if connection.request.hasPrefix("GET /there") {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc")
      } else if connection.request.hasPrefix("GET /loop") {
        connection.send("HTTP/1.1 302 Found\r\nLocation: /loop\r\nContent-Length: 0\r\n\r\n")
      } else if connection.request.hasPrefix("GET /file") {
        connection.send("HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n")
      } else {
        connection.send("HTTP/1.1 301 Moved\r\nLocation: /there\r\nContent-Length: 4\r\n\r\ngone")
      }
    }
    #expect(try readAll(HTTPSource(server.address(), settings: quick())) == [97, 98, 99])
    let loop = try HTTPSource(server.address("/loop"), settings: quick())
    let error = #expect(throws: HTTPError.self) { try loop.open() }
    #expect(error?.reason == .tooManyRedirects)
    let file = try HTTPSource(server.address("/file"), settings: quick())
    let other = #expect(throws: HTTPError.self) { try file.open() }
    guard case .badAddress = other?.reason else {
      Issue.record("\(String(describing: other))")
      return
    }
  }

  @Test func stalledServer() throws {
    let server = try WebServer { connection in
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nabc")
      connection.waitForEnd(seconds: 20)
    }
    var settings = quick()
    settings.stallTimeout = 1
    let source = try HTTPSource(server.address(), settings: settings)
    #expect(try source.read(at: 0, count: 3) == [97, 98, 99])
    let start = ContinuousClock.now
    #expect(throws: ContainerError.self) { try source.read(at: 3, count: 1) }
    #expect(ContinuousClock.now - start < .seconds(8))
    guard case .stalled = source.failure?.reason else {
      Issue.record("\(String(describing: source.failure))")
      return
    }
  }

  @Test func silentServer() throws {
    let server = try WebServer { connection in connection.waitForEnd(seconds: 20) }
    var settings = quick()
    settings.stallTimeout = 1
    let source = try HTTPSource(server.address(), settings: settings)
    let error = #expect(throws: HTTPError.self) { try source.open() }
    #expect(error?.reason == .timedOut)
  }

  @Test func nobodyThere() throws {
    let server = try WebServer { _ in }
    let address = server.address()
    server.stop()
    let source = try HTTPSource(address, settings: quick())
    let error = #expect(throws: HTTPError.self) { try source.open() }
    #expect(error != nil && error?.reason != .cancelled)
  }

  /// A station that breaks off is joined again; what came before and after follows each other.
  @Test func stationIsJoinedAgain() throws {
    let body = pattern(60_000)
    let server = try WebServer { connection in
      connection.send("HTTP/1.0 200 OK\r\nicy-name:x\r\nContent-Type: audio/aac\r\n\r\n")
      connection.send([UInt8](body[connection.number * 20_000..<(connection.number + 1) * 20_000]))
      if connection.number == 2 { connection.waitForEnd(seconds: 10) }
    }
    let heard = Heard()
    let source = try HTTPSource(server.address(), settings: quick(), onEvent: heard.add)
    #expect(try readAll(source, most: 60_000) == body)
    #expect(heard.connections == 3)
    #expect(heard.attempts == [1, 1])
  }

  /// A station that stays away: tried for as long as was allowed, then an error.
  @Test func stationStaysAway() throws {
    let server = try WebServer { connection in
      if connection.number == 0 {
        connection.send("ICY 200 OK\r\n\r\n")
        connection.send(pattern(2000))
      } else {
        connection.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
      }
    }
    var settings = quick()
    settings.reconnectTime = 1
    let heard = Heard()
    let source = try HTTPSource(server.address(), settings: settings, onEvent: heard.add)
    #expect(try source.read(at: 0, count: 2000) == pattern(2000))
    #expect(throws: ContainerError.self) { try source.read(at: 2000, count: 1) }
    #expect(source.failure?.reason == .status(404, "Not Found"))
    #expect(heard.attempts == Array(1...heard.attempts.count) && heard.attempts.count >= 2)
  }

  /// A file of known length goes on where it broke off.
  @Test(arguments: [true, false]) func cutOffFile(acceptsRanges: Bool) throws {
    let body = pattern(100_000)
    let ranges = acceptsRanges ? "Accept-Ranges: bytes\r\n" : ""
    let server = try WebServer { connection in
      if connection.number == 0 {
        connection.send("HTTP/1.1 200 OK\r\n\(ranges)Content-Length: 100000\r\n\r\n")
        connection.send([UInt8](body[..<40_000]))
      } else if connection.request.contains("Range: bytes=40000-\r\n") {
        connection.send(
          "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 40000-99999/100000\r\n"
            + "Content-Length: 60000\r\n\r\n")
        connection.send([UInt8](body[40_000...]))
      }
    }
    let source = try HTTPSource(server.address(), settings: quick())
    if acceptsRanges {
      #expect(try readAll(source) == body)
    } else {
      #expect(try source.read(at: 0, count: 40_000) == [UInt8](body[..<40_000]))
      #expect(throws: ContainerError.self) { try source.read(at: 40_000, count: 1) }
      #expect(source.failure?.reason == .cutOff)
    }
  }

  /// Without end and faster than the reader: the server waits.
  @Test func slowReader() throws {
    let sent = Mutex(0)
    let server = try WebServer { connection in
      connection.send("HTTP/1.1 200 OK\r\nContent-Type: audio/aac\r\n\r\n")
      let block = pattern(65_536)
      while sent.withLock({ $0 }) < 1 << 30, connection.send(block) { sent.withLock { $0 += block.count } }
    }
    var settings = quick()
    settings.bufferSize = 1 << 17
    settings.stallTimeout = 1
    let source = try HTTPSource(server.address(), settings: settings)
    #expect(try source.open().isEndless)
    var offset: Int64 = 0
    for _ in 0..<30 {
      Thread.sleep(forTimeInterval: 0.1)
      offset += Int64(try source.read(at: offset, count: 1000).count)
      source.release(before: offset)
      #expect(source.bufferedBytes <= 1 << 18)
    }
    // Longer than the time after which a silent server counts as gone, and the rest in the system's own buffers.
    #expect(source.failure == nil && source.isFull)
    #expect(sent.withLock { $0 } < 32 << 20)
  }

  @Test func whatIsNeverReleasedIsBounded() throws {
    let server = try WebServer { connection in
      connection.send("HTTP/1.1 200 OK\r\nContent-Type: audio/aac\r\n\r\n")
      let block = [UInt8](repeating: 0, count: 1 << 20)
      while connection.send(block) {}
    }
    let source = try HTTPSource(server.address(), settings: quick())
    let error = #expect(throws: ContainerError.self) { try source.read(at: 0, count: 100 << 20) }
    guard case .needsSeeking = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(arguments: ["ftp://x/y", "http://", "http:///x", "file:///etc/passwd", "x.aac", "http://a b/", ""])
  func badAddresses(text: String) {
    #expect(!HTTPSource.isAddress(text))
    #expect(throws: HTTPError.self) { try HTTPSource(text) }
  }

  @Test func passwordsAreNotShown() {
    #expect(HTTPSource.isAddress("HTTPS://x"))
    #expect(HTTPSource.withoutPassword("http://me:secret@host:80/a@b") == "http://host:80/a@b")
    #expect(HTTPSource.withoutPassword("http://host/a@b") == "http://host/a@b")
  }

  /// A source that nobody needs any more ends its transfer.
  @Test func endsWithItsOwner() throws {
    let isGone = Mutex(false)
    let server = try WebServer { connection in
      connection.send("ICY 200 OK\r\n\r\nabc")
      connection.waitForEnd(seconds: 20)
      isGone.withLock { $0 = true }
    }
    do {
      let source = try HTTPSource(server.address(), settings: quick())
      #expect(try source.read(at: 0, count: 3) == [97, 98, 99])
    }
    for _ in 0..<500 where !isGone.withLock({ $0 }) { Thread.sleep(forTimeInterval: 0.01) }
    #expect(isGone.withLock { $0 })
  }
}
