import AudioFiles
import Foundation
import PCM
import Testing

/// Documentation/ChannelOrder.md: every type of file holds the channels in the order of the channel mask.
@Suite struct ChannelOrderTests {
  private static let layouts: [ChannelLayout] = [
    .mono, .stereo, .surround30, .surround40, .surround50, .surround51, .surround61, .surround71,
    .surround71Front, .surround512,
  ]
  /// Layouts that a type cannot name, and what is read in their place.
  private static let renamed: [AudioFileType: [ChannelLayout: ChannelLayout]] = [
    .flac: [
      .surround40: .quad,
      .surround61: ChannelLayout([
        .frontLeft, .frontRight, .frontCenter, .lowFrequency, .backCenter, .sideLeft, .sideRight,
      ]),
      .surround71Front: .surround71, .surround512: .surround71,
    ],
    .w64: [.surround71Front: .surround71, .surround512: .surround71],
    .aiff: [.surround71Front: .surround71, .surround512: .surround71],
    .caf: [.surround71Front: .surround71, .surround512: .surround71],
  ]

  /// A level of its own in each channel comes back at its place, with the channel's name where the type has it.
  @Test(arguments: AudioFileType.allCases) func b045_everyChannelComesBack(type: AudioFileType) throws {
    let folder = try Folder()
    for layout in Self.layouts {
      let format = PCMFormat(sampleRate: 48000, layout: layout)
      let levels = (0..<layout.channelCount).map { Float($0 + 1) / 16 }
      let path = folder.file("\(layout.name).\(type.rawValue)")
      let writer = try AudioFileWriter(path: path, type, format, .int16)
      try writer.write(
        PCMBuffer(format: format, channels: levels.map { [Float](repeating: $0, count: 64) }))
      try writer.close()
      let reader = try AudioFileReader(path: path)
      var buffer = PCMBuffer(format: reader.format)
      #expect(try reader.read(64, into: &buffer) == 64)
      #expect(buffer.channels.map { $0[63] } == levels, "\(type) \(layout.name)")
      let expected = Self.renamed[type]?[layout] ?? layout
      #expect(reader.format.layout == expected, "\(type) \(layout.name): \(reader.format.layout.name)")
    }
  }
}
