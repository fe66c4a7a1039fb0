import AAC
import Foundation
import Synchronization

@testable import AACContainers

/// Feeds `bytes` in pieces of 1…40 bytes to a reader that is made as soon as it can be, and collects its
/// packets.
func readInPieces(
  _ bytes: [UInt8], seed: UInt64, most: Int = 40, _ make: (any ByteSource) throws -> any PacketReader
) throws -> [Packet] {
  var random = SplitMix(seed)
  let source = FeedSource()
  var reader: (any PacketReader)?
  var packets: [Packet] = []
  var place = 0
  while true {
    do {
      if reader == nil { reader = try make(source) }
      while let packet = try reader?.nextPacket() { packets.append(packet) }
      return packets
    } catch let error as ContainerError where error.reason == .needsMoreData {
      if place == bytes.count {
        source.finish()
      } else {
        let count = min(1 + random.below(most), bytes.count - place)
        source.feed(Array(bytes[place..<place + count]))
        place += count
      }
    }
  }
}

/// A pipe of the operating system.
final class PipeEnds: Sendable {
  private let pipe: Mutex<Pipe>
  let readEnd: Int32
  private let writeEnd: Int32

  init() throws {
    // A reader that goes away is an error here, not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    let made = Pipe()
    readEnd = made.fileHandleForReading.fileDescriptor
    writeEnd = made.fileHandleForWriting.fileDescriptor
    pipe = Mutex(made)
  }

  /// Writes in another thread, in small pieces, and closes.
  func write(_ bytes: [UInt8]) -> DispatchGroup {
    let group = DispatchGroup()
    group.enter()
    Thread.detachNewThread { @Sendable [self] in
      let sink = FileSink(descriptor: writeEnd)
      for start in stride(from: 0, to: bytes.count, by: 333) {
        do {
          try sink.append(Array(bytes[start..<min(start + 333, bytes.count)]))
          try sink.flush()
        } catch {
          break
        }
      }
      pipe.withLock { try? $0.fileHandleForWriting.close() }
      group.leave()
    }
    return group
  }

  func closeReadEnd() { pipe.withLock { try? $0.fileHandleForReading.close() } }
}
