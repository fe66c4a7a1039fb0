import AACKit
import Foundation
import TestServers

/// Hears an output's monitor until it is asked for what it heard.
final class Listener {
  private let stream: CaptureStream

  init(_ backend: any AudioBackend, _ device: String) throws {
    stream = try backend.openCapture(
      StreamRequest(device: device, latency: .milliseconds(200), bufferLength: .seconds(30)))
    try stream.start()
    // From here on nothing escapes it.
    _ = stream.wait(forFrames: 4800, timeout: .seconds(5))
  }

  /// What sounded: the frames from the first that is not silent to the last one, and how many frames were lost.
  func sound() -> (channels: [[Float]], lost: Int64) {
    let end = stream.position + 24_000
    for _ in 0..<50 where stream.position < end {
      _ = stream.wait(forFrames: 24_000, timeout: .milliseconds(100))
    }
    usleep(300_000)
    stream.stop()
    var all = [[Float]](repeating: [], count: stream.format.channelCount)
    var lost: Int64 = 0
    var buffer = PCMBuffer(format: stream.format)
    while let block = stream.read(4096, into: &buffer) {
      lost += block.lostBefore
      for channel in all.indices { all[channel] += buffer.channels[channel].prefix(block.frameCount) }
    }
    guard let first = all.compactMap({ $0.firstIndex { $0 != 0 } }).min(),
      let last = all.compactMap({ $0.lastIndex { $0 != 0 } }).max()
    else { return (all.map { _ in [] }, lost) }
    return (all.map { Array($0[first...last]) }, lost)
  }
}

extension Folder {
  func save(_ sound: PCMBuffer, _ name: String) throws -> String {
    let writer = try AudioFileWriter(path: file(name), AudioFileType(path: name) ?? .wav, sound.format)
    try writer.write(sound)
    try writer.close()
    return file(name)
  }

  func encode(_ sound: PCMBuffer, _ name: String) throws -> String {
    try AudioFile.encode(sound, to: file(name))
    return file(name)
  }
}

/// Tones that begin and end loud.
func music(frames: Int, rate: Int = 48_000) -> PCMBuffer {
  let channels = (0..<2).map { channel in
    (0..<frames).map { frame in
      let time = Double(frame) / Double(rate)
      return Float(
        0.4 * cos(2 * .pi * Double(300 + 170 * channel) * time) + 0.2 * cos(2 * .pi * 2000 * time * time))
    }
  }
  return PCMBuffer(format: PCMFormat(sampleRate: rate, layout: .stereo), channels: channels)
}
