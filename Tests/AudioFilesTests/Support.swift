import AudioFiles
import Foundation
import PCM

/// A folder of its own that is gone with the test.
final class Folder {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "aac-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }
}

func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path))) }

func write(_ bytes: [UInt8], to path: String) throws { try Data(bytes).write(to: URL(filePath: path)) }

/// Two sines in 16-bit steps, so that every format gives them back exactly.
func tone(_ layout: ChannelLayout, rate: Int = 44100, frames: Int) -> PCMBuffer {
  let channels = layout.speakers.indices.map { channel in
    (0..<frames).map { frame in
      let phase = Double(frame) * Double(channel + 1) * 0.031
      return Float((sin(phase) * 20000).rounded() / 32768)
    }
  }
  return PCMBuffer(format: PCMFormat(sampleRate: rate, layout: layout), channels: channels)
}

/// All that a reader has, joined.
func readAll(_ reader: any AudioReader, block: Int = 1000) throws -> PCMBuffer {
  var all = [[Float]](repeating: [], count: reader.format.channelCount)
  var buffer = PCMBuffer(format: reader.format)
  while try reader.read(block, into: &buffer) > 0 {
    for channel in all.indices {
      all[channel].append(contentsOf: buffer.channels[channel].prefix(buffer.frameCount))
    }
  }
  return PCMBuffer(format: reader.format, channels: all)
}

/// A descriptor from which `bytes` come as from a pipe: in pieces, and never seekable.
func pipe(_ bytes: [UInt8]) -> Int32 {
  let pipe = Pipe()
  let descriptor = dup(pipe.fileHandleForReading.fileDescriptor)
  Thread.detachNewThread {
    try? pipe.fileHandleForWriting.write(contentsOf: Data(bytes))
    try? pipe.fileHandleForWriting.close()
  }
  return descriptor
}

/// What `body` writes to a pipe whose writing end it gets to own.
func collect(_ body: (Int32) throws -> Void) throws -> [UInt8] {
  let pipe = Pipe()
  let collector = Collector()
  let done = DispatchSemaphore(value: 0)
  Thread.detachNewThread { [handle = pipe.fileHandleForReading] in
    collector.data = handle.readDataToEndOfFile()
    done.signal()
  }
  let descriptor = dup(pipe.fileHandleForWriting.fileDescriptor)
  try pipe.fileHandleForWriting.close()
  try body(descriptor)
  done.wait()
  return [UInt8](collector.data)
}

/// Written by one thread, then read by another after a semaphore.
private final class Collector: @unchecked Sendable { var data = Data() }
