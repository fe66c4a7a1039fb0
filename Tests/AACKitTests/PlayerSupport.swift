import AACKit
import Foundation
import TestServers
import Threads

/// A loudspeaker that keeps what it plays.
final class Listener: Sendable {
  let format: PCMFormat
  private let samples = Guarded<[Float]>([])
  /// Frames after which it stands still until `release()`.
  private let limit = Guarded<Int>(.max)

  init(_ format: PCMFormat = PCMFormat(sampleRate: 48_000, layout: .stereo), holdsAfter limit: Int = .max) {
    self.format = format
    self.limit.withLock { $0 = limit }
  }

  func backend(_ pacing: Pacing = .free) -> FileBackend {
    FileBackend(
      sinks: [
        SoundSink(id: "recorder", format: format) { [self] frames, interleaved in
          while frameCount >= limit.withLock({ $0 }) { usleep(1000) }
          samples.withLock { $0 += interleaved.prefix(frames * format.channelCount) }
        }
      ], pacing: pacing)
  }

  func release() { limit.withLock { $0 = .max } }

  var frameCount: Int { samples.withLock { $0.count } / format.channelCount }

  /// What was played, channel by channel.
  var channels: [[Float]] {
    let all = samples.withLock { $0 }
    let count = format.channelCount
    return (0..<count).map { channel in stride(from: channel, to: all.count, by: count).map { all[$0] } }
  }

  /// Waits until so many frames have been played.
  func wait(for frames: Int, seconds: Double = 10) -> Bool {
    for _ in 0..<Int(seconds * 1000) {
      if frameCount >= frames { return true }
      usleep(1000)
    }
    return false
  }
}

extension Player {
  /// All events up to the end, or what came in time.
  func run(seconds: Double = 20) -> [PlayerEvent] {
    var list: [PlayerEvent] = []
    let end = MonotonicTime.now.advanced(bySeconds: seconds)
    while !events.isAtEnd, MonotonicTime.now < end {
      if let event = events.next(timeout: .milliseconds(50)) { list.append(event) }
    }
    return list
  }

  /// Events until one of them is as wanted.
  func wait(seconds: Double = 10, for isWanted: (PlayerEvent) -> Bool) -> [PlayerEvent] {
    var list: [PlayerEvent] = []
    let end = MonotonicTime.now.advanced(bySeconds: seconds)
    while !events.isAtEnd, MonotonicTime.now < end {
      guard let event = events.next(timeout: .milliseconds(50)) else { continue }
      list.append(event)
      if isWanted(event) { break }
    }
    return list
  }
}

/// Events in short, without those of the time, and without underruns: a busy machine has some.
func words(_ events: [PlayerEvent]) -> [String] {
  events.compactMap { event in
    switch event {
    case .underrun, .recovered: nil
    case .itemStarted(let index, _): "start \(index)"
    case .itemEnded(let index): "end \(index)"
    case .itemFailed(let index, _): "failure \(index)"
    case .position, .buffering: nil
    case .finished: "finished"
    case .stopped: "stopped"
    case .failed: "failed"
    case .paused: "paused"
    case .resumed: "resumed"
    case .title(let text): "title \(text)"
    case .connected: "connected"
    default: "\(event)"
    }
  }
}

/// Samples that 16 bits hold.
func coarse(_ sound: PCMBuffer) -> PCMBuffer {
  PCMBuffer(
    format: sound.format,
    channels: sound.channels.map { $0.map { ($0 * 32768).rounded(.toNearestOrEven) / 32768 } })
}

/// Noise without a single zero, so that silence can be told from it.
func loud(frames: Int, seed: UInt64) -> PCMBuffer {
  let sound = coarse(noise(frames: frames, seed: seed, rate: 48_000))
  return PCMBuffer(format: sound.format, channels: sound.channels.map { $0.map { $0 == 0 ? 0.5 : $0 } })
}

/// Sound of ``loud(frames:seed:)`` without the silence of underruns.
func withoutSilence(_ channels: [[Float]]) -> [[Float]] { channels.map { $0.filter { $0 != 0 } } }

extension Folder {
  /// Writes a sound as WAV or FLAC of 16 bits.
  func save(_ sound: PCMBuffer, _ name: String) throws -> String {
    let writer = try AudioFileWriter(path: file(name), AudioFileType(path: name) ?? .wav, sound.format)
    try writer.write(sound)
    try writer.close()
    return file(name)
  }

  /// Encodes a sound without tools whose decoding depends on what was decoded long before.
  func encode(_ sound: PCMBuffer, _ name: String) throws -> String {
    var options = EncodeOptions()
    options.tools.remove(.noiseSubstitution)
    try AudioFile.encode(sound, to: file(name), options)
    return file(name)
  }
}

/// A few tones that swell, which code well.
func music(frames: Int, layout: ChannelLayout = .stereo, rate: Int = 48_000, seed: Int = 1) -> PCMBuffer {
  let channels = layout.speakers.indices.map { channel in
    (0..<frames).map { frame in
      let time = Double(frame) / Double(rate)
      let tone = sin(2 * .pi * Double(200 + 130 * (channel + seed)) * time) * sin(3 * time + Double(seed))
      return Float(0.4 * tone + 0.1 * sin(2 * .pi * 3000 * time * time))
    }
  }
  return PCMBuffer(format: PCMFormat(sampleRate: rate, layout: layout), channels: channels)
}
