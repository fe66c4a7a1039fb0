import AACKit
import AudioFiles
import Foundation
import PCM

/// Noise with a slow swell, so that every offset differs from every other.
func noise(frames: Int, layout: ChannelLayout = .stereo, seed: UInt64, rate: Int = 44100) -> PCMBuffer {
  var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
  func next() -> Float {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Float(Int64(bitPattern: state) >> 40) * 0x1p-24
  }
  let channels = layout.speakers.map { _ in (0..<frames).map { _ in next() } }
  return PCMBuffer(format: PCMFormat(sampleRate: rate, layout: layout), channels: channels)
}

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

  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}
