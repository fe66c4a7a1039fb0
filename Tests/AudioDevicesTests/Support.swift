import Foundation
import PCM
import TestServers
import Testing

@testable import AudioDevices

/// What a capture gave, gaps filled with silence.
struct Take {
  var channels: [[Float]]
  var events: [StreamEvent] = []
  var lost: Int64 = 0
  /// Blocks whose position was not where the last one ended.
  var misplaced = 0

  init(_ stream: CaptureStream) { channels = [[Float]](repeating: [], count: stream.format.channelCount) }

  /// Reads until the take has `frames` frames, or the stream ends.
  mutating func read(_ stream: CaptureStream, until frames: Int, seconds: Double = 20) {
    let end = MonotonicTime.now.advanced(bySeconds: seconds)
    while channels[0].count < frames, MonotonicTime.now < end {
      let wait = stream.wait(forFrames: 256, timeout: .milliseconds(100))
      readThere(stream)
      if wait == .ended { return }
    }
  }

  /// Reads what is there and then `frames` frames more.
  mutating func read(_ stream: CaptureStream, more frames: Int) {
    readThere(stream)
    read(stream, until: channels[0].count + frames)
  }

  mutating func readThere(_ stream: CaptureStream) {
    while let event = stream.nextEvent() { events.append(event) }
    var buffer = PCMBuffer(format: stream.format)
    while let block = stream.read(4096, into: &buffer) {
      lost += block.lostBefore
      if block.position != Int64(channels[0].count) + block.lostBefore { misplaced += 1 }
      for channel in channels.indices {
        channels[channel].append(contentsOf: repeatElement(0, count: Int(block.lostBefore)))
        channels[channel].append(contentsOf: buffer.channels[channel].prefix(block.frameCount))
      }
    }
  }

  /// The frames from the first that is not silent to the last one.
  var sounding: Range<Int> {
    let first = channels.compactMap { $0.firstIndex { $0 != 0 } }.min()
    let last = channels.compactMap { $0.lastIndex { $0 != 0 } }.max()
    guard let first, let last else { return 0..<0 }
    return first..<last + 1
  }

  func part(_ frames: Range<Int>) -> [[Float]] { channels.map { Array($0[frames]) } }
}

/// Noise that sounds in the first and the last frame, in samples that 16 bits hold.
func noise(_ format: PCMFormat, _ frames: Int, seed: UInt32 = 1) -> PCMBuffer {
  var noise = PseudoNoise(seed: seed)
  var buffer = PCMBuffer(format: format, frameCount: frames)
  for frame in 0..<frames {
    for channel in 0..<format.channelCount { buffer.channels[channel][frame] = noise.next() }
  }
  for channel in 0..<format.channelCount {
    buffer.channels[channel][0] = 0.5
    buffer.channels[channel][frames - 1] = -0.25
  }
  return buffer
}

func sine(_ format: PCMFormat, _ frames: Int, frequency: Double, amplitude: Double = 0.5) -> PCMBuffer {
  var buffer = PCMBuffer(format: format, frameCount: frames)
  for frame in 0..<frames {
    let value = amplitude * sin(2 * .pi * frequency * Double(frame) / Double(format.sampleRate))
    for channel in 0..<format.channelCount { buffer.channels[channel][frame] = Float(value) }
  }
  return buffer
}

/// Writes all of the buffer, waiting for room; false where the stream ended before.
@discardableResult
func writeAll(_ buffer: PCMBuffer, to stream: PlayoutStream) -> Bool {
  var done = 0
  while done < buffer.frameCount {
    let count = stream.write(buffer, from: done)
    done += count
    if count == 0 {
      if stream.end != nil { return false }
      _ = stream.wait(forRoom: 512, timeout: .milliseconds(50))
    }
  }
  return true
}

/// Takes events until one satisfies the condition.
func events(
  _ next: () -> StreamEvent?, seconds: Double = 5, until isLast: (StreamEvent) -> Bool
) -> [StreamEvent] {
  var list: [StreamEvent] = []
  let end = MonotonicTime.now.advanced(bySeconds: seconds)
  while MonotonicTime.now < end {
    guard let event = next() else {
      Thread.sleep(forTimeInterval: 0.01)
      continue
    }
    list.append(event)
    if isLast(event) { return list }
  }
  return list
}

/// Threads and open files of this process.
func resources() -> (threads: Int, files: Int) {
  let manager = FileManager.default
  return (
    (try? manager.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0,
    (try? manager.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  )
}
