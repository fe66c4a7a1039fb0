import AAC
import Foundation
import Testing

@testable import AACContainers

/// Keeps all that was done to a file, to see it as it was at any time.
private final class JournalSink: ByteSink {
  enum Step {
    case append([UInt8])
    case rewrite([UInt8], Int64)
  }

  private let inner = MemorySink()
  private(set) var steps: [Step] = []
  var length: Int64 { inner.length }
  let isSeekable = true

  func append(_ bytes: [UInt8]) throws(ContainerError) {
    try inner.append(bytes)
    steps.append(.append(bytes))
  }

  func rewrite(_ bytes: [UInt8], at offset: Int64) throws(ContainerError) {
    try inner.rewrite(bytes, at: offset)
    steps.append(.rewrite(bytes, offset))
  }

  func read(at offset: Int64, into buffer: inout [UInt8], _ range: Range<Int>) throws(ContainerError) {
    try inner.read(at: offset, into: &buffer, range)
  }

  func flush() throws(ContainerError) {}
}

@Suite struct FragmentKillTests {
  /// The writer is killed between any two bytes that it writes behind the last fragment: all of the sound is there.
  @Test func killedWhileTheIndexIsWritten() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(30, configuration, sizes: 20...60, priming: 1024, padding: 5)
    for expected in [nil, 30 * 1024] as [Int64?] {
      var options = FragmentedMP4Writer.Options()
      options.packetsPerFragment = 4
      options.expectedFrames = expected
      let sink = JournalSink()
      let writer = try FragmentedMP4Writer(sink, configuration: configuration, options: options)
      for packet in packets { try writer.write(packet) }
      try writer.finish()
      let file = MemorySink()
      var rewrites = 0
      for step in sink.steps {
        switch step {
        case .append(let bytes):
          #expect(rewrites == 0)
          try file.append(bytes)
        case .rewrite(let bytes, let offset):
          rewrites += 1
          // The four bytes of a size or of a name lie in one page: they are written or not.
          for count in bytes.count == 4 ? [0, 4] : [Int](0...bytes.count) {
            try file.rewrite(Array(bytes.prefix(count)), at: offset)
            let reader = try MP4Reader(MemorySource(file.bytes))
            #expect(try reader.all() == packets)
            #expect(reader.warnings.count == 0)
            #expect(try BoxCheck.firstStrangeByte(in: MemorySource(file.bytes)) == nil)
          }
        }
      }
      #expect(rewrites == 4)
      #expect(try FragmentLayout(file.bytes).index(in: file.bytes).references.count == 8)
    }
  }

  /// Everything up to the last whole fragment is there, wherever a file with an index was cut.
  @Test func cutAnywhere() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(60, configuration, sizes: 20...60, priming: 1024, padding: 9)
    var options = FragmentedMP4Writer.Options()
    options.packetsPerFragment = 7
    options.expectedFrames = 60 * 1024
    let bytes = try indexed(packets, configuration, options: options)
    let layout = try FragmentLayout(bytes)
    let moofs = layout.starts(of: "moof")
    for length in try #require(layout.starts(of: "mdat").first) + 8...bytes.count {
      let reader = try MP4Reader(MemorySource(Array(bytes.prefix(length))))
      var read: [[UInt8]] = []
      _ = containerError { while let packet = try reader.nextPacket() { read.append(packet.data) } }
      let whole = moofs.dropFirst().filter { $0 <= length }.count
      #expect(read.count >= (length == bytes.count ? 60 : 7 * whole))
      #expect(read == packets.prefix(read.count).map(\.data))
    }
  }

  @Test(.enabled(if: run("ffmpeg", ["-version"]) != nil)) func ffmpegReadsWhatIsLeft() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(60, configuration, sizes: 20...60, priming: 1024)
    var options = FragmentedMP4Writer.Options()
    options.packetsPerFragment = 7
    let bytes = try indexed(packets, configuration, options: options)
    let moofs = try FragmentLayout(bytes).starts(of: "moof")
    let path = temporaryPath("mp4")
    defer { removeFile(path) }
    for (count, start) in moofs.enumerated().dropFirst(2) {
      // In the middle of a fragment's header, and of its data.
      for more in [0, 30, 200] {
        try Data(bytes.prefix(start + more)).write(to: URL(fileURLWithPath: path))
        let list = try #require(
          run("ffprobe", ["-v", "quiet", "-show_entries", "packet=size", "-of", "csv=p=0", path]))
        let sizes = String(decoding: list, as: UTF8.self).split(separator: "\n").compactMap { Int($0) }
        #expect(sizes.count >= 7 * count)
        #expect(sizes.prefix(7 * count).elementsEqual(packets.prefix(7 * count).map(\.data.count)))
      }
    }
  }
}
