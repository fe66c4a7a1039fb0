import Foundation
import Threads

#if canImport(Glibc)
  import Glibc
#endif

/// A web server of a few lines, on a port of its own of this machine: a handler writes the answers, byte by byte as the
/// test wants them.
public final class WebServer: Sendable {
  /// A connection, for its handler.
  public struct Connection: Sendable {
    fileprivate let descriptor: Int32
    /// Counted from 0.
    public let number: Int
    /// The request's lines, without the empty one.
    public let request: String

    /// Sends bytes; false where the client has gone.
    @discardableResult
    public func send(_ bytes: [UInt8]) -> Bool {
      var done = 0
      while done < bytes.count {
        // unsafe: sends from within the array.
        let sent = unsafe bytes[done...].withUnsafeBytes { memory in
          unsafe Glibc.send(
            descriptor, memory.baseAddress, min(memory.count, 65536), Int32(MSG_NOSIGNAL))
        }
        if sent <= 0 { return false }
        done += sent
      }
      return true
    }

    @discardableResult
    public func send(_ text: String) -> Bool { send([UInt8](text.utf8)) }

    /// Waits until the client closes, or so many seconds.
    public func waitForEnd(seconds: Double) {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      // unsafe: one entry.
      _ = unsafe poll(&entry, 1, Int32(seconds * 1000))
    }
  }

  public let port: UInt16
  private let listener: Int32
  private let requestsValue = Guarded<[String]>([])

  /// The requests so far.
  public var requests: [String] { requestsValue.withLock { $0 } }

  public func address(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }

  public init(_ handler: @escaping @Sendable (Connection) -> Void) throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    // unsafe: the calls read or fill the address while they run.
    let status = unsafe withUnsafeMutablePointer(to: &place) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        let bound = unsafe bind(listener, address, length)
        return bound == 0 && listen(listener, 8) == 0 ? unsafe getsockname(listener, address, &length) : -1
      }
    }
    guard status == 0 else { throw AudioServer.Failure(description: "no port for a web server") }
    port = UInt16(bigEndian: place.sin_port)
    Thread.detachNewThread { [weak self] in
      var number = 0
      while true {
        let client = accept(listener, nil, nil)
        if client < 0 { return }
        let connection = Self.connection(client, number)
        self?.requestsValue.withLock { $0.append(connection.request) }
        number += 1
        Thread.detachNewThread {
          handler(connection)
          shutdown(client, Int32(SHUT_RDWR))
          close(client)
        }
      }
    }
  }

  deinit { stop() }

  /// No connection is taken any more.
  public func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private static func connection(_ descriptor: Int32, _ number: Int) -> Connection {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    // unsafe: one byte at a time.
    while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8), unsafe recv(descriptor, &byte, 1, 0) == 1 {
      bytes.append(byte)
    }
    return Connection(
      descriptor: descriptor, number: number, request: String(decoding: bytes, as: UTF8.self))
  }
}
