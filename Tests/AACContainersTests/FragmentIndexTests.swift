import AAC
import PCM
import Testing

@testable import AACContainers

/// The stream of packets as fragmented MP4 with its index, through a sink that can go back.
func indexed(
  _ packets: [Packet], _ configuration: AudioSpecificConfig, options: FragmentedMP4Writer.Options = .init()
) throws -> [UInt8] {
  let sink = MemorySink()
  let writer = try FragmentedMP4Writer(sink, configuration: configuration, options: options)
  for packet in packets { try writer.write(packet) }
  try writer.finish()
  return sink.bytes
}

/// What a fragmented file's boxes are, by a walk of its own.
struct FragmentLayout {
  var boxes: [BoxSlice]
  var length: Int

  init(_ bytes: [UInt8]) throws {
    let list = try #require(BoxSlice.list(bytes, bytes.indices))
    #expect(list.end == bytes.count)
    boxes = list.boxes
    length = bytes.count
  }

  func starts(of type: FourCC) -> [Int] { boxes.filter { $0.type == type }.map(\.start) }

  /// The only index, after checks that hold for every file of ours: it stands directly in front of the first fragment,
  /// each part begins with one, and together they reach the end of the file.
  func index(in bytes: [UInt8]) throws -> SegmentIndex {
    let place = try #require(boxes.firstIndex { $0.type == "sidx" })
    #expect(starts(of: "sidx").count == 1)
    #expect(boxes[place + 1].type == "moof")
    let window = ByteWindow(MemorySource(bytes))
    let box = boxes[place]
    let index = try SegmentIndex(
      Box(type: "sidx", start: Int64(box.start), content: Int64(box.content), end: Int64(box.end)), in: window
    )
    var part = box.end + Int(index.firstOffset)
    let moofs = Set(starts(of: "moof"))
    for reference in index.references {
      #expect(moofs.contains(part))
      #expect(!reference.isIndex)
      part += Int(reference.size)
    }
    #expect(part == length)
    return index
  }
}

@Suite struct FragmentIndexTests {
  @Test(arguments: [1, 42, 43, 44, 200], [(0, 0), (1024, 0), (2112, 100), (100, 1024), (0, 1500)])
  func indexCoversTheFile(count: Int, delay: (priming: Int, padding: Int)) throws {
    guard count > 4 || delay == (0, 0) else { return }
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(
      count, configuration, sizes: 20...100, priming: delay.priming, padding: delay.padding)
    let valid = Int64(count * 1024 - delay.priming - delay.padding)
    for expected in [nil, 1, valid, 100 * valid] {
      var options = FragmentedMP4Writer.Options(tags: Tags([("title", "T")]))
      options.expectedFrames = expected
      let bytes = try indexed(packets, configuration, options: options)
      let layout = try FragmentLayout(bytes)
      let index = try layout.index(in: bytes)
      #expect(index.timescale == 44100)
      #expect(index.earliestTime == 0)
      #expect(index.references.reduce(0) { $0 + Int64($1.duration) } == valid)
      if expected != 1 { #expect(index.references.count == layout.starts(of: "moof").count) }
      let reader = try MP4Reader(MemorySource(bytes))
      #expect(reader.info.expectedFrames == valid)
      #expect(reader.info.validFrames == nil)
      #expect(try reader.all() == packets)
      #expect(reader.info.validFrames == valid)
      #expect(reader.warnings.count == 0)
      #expect(try BoxCheck.firstStrangeByte(in: MemorySource(bytes)) == nil)
      // The header says it too.
      let movie = try MP4Opening(ByteWindow(MemorySource(bytes))).movie
      #expect(movie.fragmentDuration == UInt64(valid))
      // The same but for the index: what goes to a pipe.
      let piped = try FragmentLayout(fragmented(packets, configuration, options: options))
      #expect(piped.starts(of: "sidx") == [])
      #expect(piped.starts(of: "moof").count == layout.starts(of: "moof").count)
    }
  }

  @Test func nothingIsIndexedWhereThereIsNothing() throws {
    let configuration = try TestStream.configuration()
    #expect(try FragmentLayout(indexed([], configuration)).starts(of: "sidx") == [])
    var options = FragmentedMP4Writer.Options()
    options.writesIndex = false
    let packets = try TestStream.packets(90, configuration)
    #expect(
      try indexed(packets, configuration, options: options)
        == fragmented(packets, configuration, options: options))
  }

  /// More fragments than there is room for: parts of 2, 4, 8… of them, and all of the sound all the same.
  @Test(arguments: [1, 2, 3, 7, 8, 9, 100, 1361, 1362, 3000])
  func manyFragments(count: Int) throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(count, configuration, sizes: 20...30, priming: 100, padding: 3)
    for expected in [nil, 1, 5000] as [Int64?] {
      var options = FragmentedMP4Writer.Options()
      options.packetsPerFragment = 1
      options.expectedFrames = expected
      let bytes = try indexed(packets, configuration, options: options)
      let index = try FragmentLayout(bytes).index(in: bytes)
      #expect(index.references.reduce(0) { $0 + Int($1.duration) } == count * 1024 - 103)
      let room = expected == nil ? 1361 : expected == 1 ? 3 : 7
      #expect(index.references.count <= room)
      #expect(index.references.count >= min(count, room / 2))
      let reader = try MP4Reader(MemorySource(bytes))
      #expect(reader.info.expectedFrames == Int64(count * 1024 - 103))
      #expect(try reader.all() == packets)
    }
  }

  /// Empty boxes between fragments belong to the part in front of them.
  @Test func headersInPages() throws {
    let configuration = try TestStream.configuration()
    var fillCount = 0
    for seed in 0..<20 {
      let sizes = 20 + 7 * seed...60 + 31 * seed
      let packets = try TestStream.packets(200, configuration, sizes: sizes, priming: 1024, padding: 33)
      var options = FragmentedMP4Writer.Options()
      options.packetsPerFragment = 5 + seed
      options.keepsHeadersInPages = true
      options.expectedFrames = 200 * 1024
      let bytes = try indexed(packets, configuration, options: options)
      let layout = try FragmentLayout(bytes)
      #expect(try layout.index(in: bytes).references.count == (200 + 4 + seed) / (5 + seed))
      fillCount += layout.starts(of: "free").count - 1
      for moof in layout.boxes where moof.type == "moof" {
        #expect(moof.start / 4096 == (moof.end + 7) / 4096)
      }
      #expect(try MP4Reader(MemorySource(bytes)).all() == packets)
    }
    #expect(fillCount > 10)
  }

  /// FFmpeg finds the fragments between those that the index tells.
  @Test(.enabled(if: run("ffprobe", ["-version"]) != nil)) func ffmpegReadsSharedParts() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(90, configuration, sizes: 20...30, priming: 1024)
    var options = FragmentedMP4Writer.Options()
    options.packetsPerFragment = 2
    options.expectedFrames = 1
    let bytes = try indexed(packets, configuration, options: options)
    #expect(try FragmentLayout(bytes).index(in: bytes).references.count <= 3)
    let path = try FFmpegTests.write(bytes, "mp4")
    defer { removeFile(path) }
    #expect(try FFmpegTests.probe(path, "stream=nb_read_packets").contains("nb_read_packets=90"))
  }

  /// Borders stay next to whole multiples of the length, in what is heard.
  @Test(arguments: [(44100, 2.0), (48000, 2.0), (8000, 1.0), (44100, 0.5), (96000, 0.05), (22050, 3.3)])
  func bordersDoNotDrift(rate: Int, seconds: Double) throws {
    let configuration = try TestStream.configuration(rate: rate)
    for priming in [0, 1024, 2112] {
      let packets = try TestStream.packets(
        1500, configuration, sizes: 20...30, priming: priming, padding: 77, seed: 3)
      var options = FragmentedMP4Writer.Options()
      options.fragmentSeconds = seconds
      options.expectedFrames = 1500 * 1024
      let bytes = try indexed(packets, configuration, options: options)
      let index = try FragmentLayout(bytes).index(in: bytes)
      let step = seconds * Double(rate)
      let heard = Double(1500 * 1024 - 77 - priming)
      #expect(abs(Double(index.references.count) - heard / step) <= 1)
      var time = 0.0
      for (place, reference) in index.references.dropLast().enumerated() {
        time += Double(reference.duration)
        #expect(abs(time - Double(place + 1) * step) <= 512, "\(priming) \(place)")
      }
      #expect(try MP4Reader(MemorySource(bytes)).all() == packets)
    }
  }

  @Test func lengthsAreChecked() throws {
    let configuration = try TestStream.configuration()
    for seconds in [0, 0.019, 60.1, -1, Double.nan, .infinity] {
      var options = FragmentedMP4Writer.Options()
      options.fragmentSeconds = seconds
      let error = containerError {
        _ = try FragmentedMP4Writer(MemorySink(), configuration: configuration, options: options)
      }
      guard case .misuse(let text) = error?.reason else {
        Issue.record("got \(String(describing: error))")
        continue
      }
      #expect(text.contains("0.02 to 60"))
    }
  }

  /// What the files claim to be: LC of one or two channels up to 48 kHz is CMAF's core profile, all else is not.
  @Test func brandsFit() throws {
    let cases: [(rate: Int, channels: Int, mpeg2: Bool, isCore: Bool)] = [
      (44100, 2, false, true), (48000, 1, false, true), (96000, 2, false, false), (48000, 6, false, false),
      (44100, 2, true, false),
    ]
    for (rate, channels, mpeg2, isCore) in cases {
      let layout = try #require(ChannelLayout.standard(channelCount: channels))
      let configuration = try TestStream.configuration(rate: rate, layout: layout)
      var options = FragmentedMP4Writer.Options()
      options.mpeg2 = mpeg2
      let bytes = try indexed(TestStream.packets(3, configuration), configuration, options: options)
      let end = Int(BoxSlice.number(bytes, 0, 4))
      let brands = stride(from: 16, to: end, by: 4).map { FourCC(UInt32(BoxSlice.number(bytes, $0, 4))) }
      #expect(brands.contains("cmfc") && brands.contains("iso6"))
      #expect(brands.contains("caac") == isCore, "\(rate) \(channels) \(mpeg2)")
    }
  }
}
