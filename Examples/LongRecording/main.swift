// Records for a long time in a short one, from devices that run many times as fast as real time, and looks at what
// came of it: the count of samples, the place of every mark, and the memory.
//
//     swift run -c release long-recording [MINUTES [SPEED]]        30 minutes at 20 times real time

import AACKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

struct Failure: Error, CustomStringConvertible { let description: String }

let format = PCMFormat(sampleRate: 48_000, layout: .stereo)
/// Frames between two marks, and of a mark.
let (spacing, markLength) = (480_000, 2400)

/// A soft tone with a loud one of 50 ms every ten seconds.
func sample(at position: Int64) -> Float {
  let isMark = position % Int64(spacing) < Int64(markLength)
  let turns = (Double(position) * ((isMark ? 2000.0 : 997) / 48_000)).truncatingRemainder(dividingBy: 1)
  return (isMark ? 0.7 : 0.05) * Float(cos(2 * Double.pi * turns))
}

/// Resident memory in MB.
func memory() -> Double {
  guard let file = unsafe fopen("/proc/self/statm", "r") else { return 0 }
  defer { unsafe fclose(file) }
  var line = [CChar](repeating: 0, count: 128)
  guard unsafe fgets(&line, 128, file) != nil else { return 0 }
  let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
    separator: " ")
  return words.count > 1 ? (Double(words[1]) ?? 0) * Double(getpagesize()) / 1e6 : 0
}

/// A recording, and the memory at every tenth of its way.
final class Take {
  let name: String
  let seconds: Double
  let recorder: Recorder
  private var series: [Double] = []

  init(_ name: String, _ backend: any AudioBackend, seconds: Double, to path: String) throws {
    self.name = name
    self.seconds = seconds
    var settings = RecorderSettings()
    settings.duration = seconds
    recorder = try Recorder(
      from: .input(of: backend, StreamRequest(bufferLength: .seconds(60))), to: .file(path, replacing: true),
      settings: settings)
    try recorder.start()
  }

  func heed(_ event: RecorderEvent) throws {
    if case .lost(let frames, let time) = event {
      throw Failure(description: "\(name): \(frames) frames lost at \(time) s")
    }
    if case .levels(let levels) = event, levels.time >= Double(series.count) * seconds / 10 {
      series.append(memory())
    }
  }

  func check() throws {
    guard let summary = recorder.summary, summary.error == nil else {
      throw Failure(description: "\(name): \(String(describing: recorder.summary?.error))")
    }
    let told = series.map { "\((($0 * 10).rounded()) / 10)" }.joined(separator: " ")
    print("\(name): \(summary.frames) frames, MB at every tenth: \(told)")
    guard summary.frames == Int64(seconds * 48_000), summary.lostFrames == 0 else {
      throw Failure(description: "\(name): \(summary.frames) frames, \(summary.lostFrames) lost")
    }
    // Packets wait in memory while the disk or the machine is busy: so much of it may come and go. What grows with
    // the time stays: it would stand higher at the end than about half way.
    let room = Double(RecorderSettings().queueBytes) / 1e6
    guard series.count >= 9, let least = series.dropFirst().min(), let most = series.max(),
      let middle = series[3..<6].min(), let end = series.suffix(3).min(), end - middle < 1,
      most - least < room
    else { throw Failure(description: "\(name): the memory is not flat") }
  }
}

/// Finds every mark where it was captured.
func checkMarks(_ path: String, seconds: Double) throws {
  let reader = try AACReader(path: path)
  var buffer = PCMBuffer(format: format)
  var (position, marks, worst) = (0, 0, 0)
  var isLoud = false
  var quiet = 0
  while try reader.read(8192, into: &buffer) > 0 {
    for frame in 0..<buffer.frameCount {
      if buffer.channels[0][frame].magnitude > 0.35 {
        if !isLoud {
          worst = max(worst, abs(position + frame - marks * spacing))
          marks += 1
        }
        isLoud = true
        quiet = 0
      } else {
        quiet += 1
        if quiet > 4800 { isLoud = false }
      }
    }
    position += buffer.frameCount
  }
  print("marks: \(marks), the worst \(Double(worst) / 48) ms from its place; \(position) frames decoded")
  guard marks == Int(seconds / 10), worst < 48, position == Int(seconds * 48_000) else {
    throw Failure(description: "file time and capture time differ")
  }
}

func run() throws {
  let arguments = CommandLine.arguments.dropFirst().compactMap(Double.init)
  let seconds = (arguments.first ?? 30) * 60
  let speed = arguments.dropFirst().first ?? 20
  let paths = ["file", "null"].map { "/tmp/long-recording-\(getpid())-\($0).m4a" }
  defer { for path in paths { unsafe unlink(path) } }
  let source = SoundSource(id: "marks", format: format) { position, frames, samples in
    for frame in 0..<frames {
      let value = sample(at: position + Int64(frame))
      samples[2 * frame] = value
      samples[2 * frame + 1] = value
    }
    return frames
  }
  let tone = TestSignal.sine(frequency: 997, amplitude: 0.5)
  let takes = [
    try Take(
      "file backend", FileBackend(sources: [source], pacing: .clock(speed: speed)), seconds: seconds,
      to: paths[0]),
    try Take(
      "null backend", NullBackend(signal: tone, format: format, pacing: .clock(speed: speed)),
      seconds: seconds,
      to: paths[1]),
  ]
  // In turns: levels that are not taken make way for newer ones.
  while !takes.allSatisfy({ $0.recorder.events.isAtEnd }) {
    for take in takes {
      if let event = take.recorder.events.next(timeout: .milliseconds(2)) { try take.heed(event) }
    }
  }
  for take in takes { try take.check() }
  try checkMarks(paths[0], seconds: seconds)
}

do {
  try run()
} catch {
  print("failed: \(error)")
  exit(1)
}
