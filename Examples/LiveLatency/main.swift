// Measures what live coding costs in time, with clicks through the output and monitor of a sound server:
// from the device's callback to the packet, and from the packet to the loudspeaker.
//
//     PULSE_SERVER=… swift run -c release live-latency DEVICE        an output, whose monitor is DEVICE.monitor

import AACKit
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A click every half second, so loud that coding cannot hide it.
let spacing = 24_000
func clicks(_ format: PCMFormat, seconds: Int) -> PCMBuffer {
  var sound = PCMBuffer(format: format, frameCount: seconds * 48_000)
  for click in stride(from: spacing / 2, to: sound.frameCount - 64, by: spacing) {
    for channel in sound.channels.indices {
      for frame in 0..<24 { sound.channels[channel][click + frame] = frame % 2 == 0 ? 0.9 : -0.9 }
    }
  }
  return sound
}

/// Positions where a click begins: the first frame beyond a third of full scale after a tenth of a second without.
struct ClickFinder {
  private var last = Int64.min / 2

  mutating func find(_ samples: [Float], _ count: Int, at position: Int64) -> [Int64] {
    var found: [Int64] = []
    for frame in 0..<count where samples[frame].magnitude > 0.3 {
      let place = position + Int64(frame)
      if place - last > 4800 { found.append(place) }
      last = place
    }
    return found
  }
}

func report(_ name: String, _ milliseconds: [Double]) {
  let sorted = milliseconds.sorted()
  func text(_ value: Double?) -> String { value.map { "\(($0 * 10).rounded() / 10)" } ?? "-" }
  let mean = sorted.reduce(0, +) / Double(max(1, sorted.count))
  print(
    "  \(name): \(sorted.count) clicks, mean \(text(mean)) ms, \(text(sorted.first)) to \(text(sorted.last))")
}

/// From the moment the device's thread hands over a click to the packet that a decoder hears it in.
func callbackToPacket(_ backend: any AudioBackend, _ device: String, _ latency: Duration) throws {
  let output = try backend.openPlayout(StreamRequest(device: device, latency: .milliseconds(200)))
  let heard = Mutex<[(frame: Int64, time: MonotonicTime)]>([])
  let state = Mutex<(decoder: AACDecoder?, finder: ClickFinder, position: Int64)>((nil, ClickFinder(), -1024))
  var settings = RecorderSettings()
  settings.container = .adts
  settings.duration = 9
  settings.onPacket = { packet in
    state.withLock { state in
      var sound = PCMBuffer(format: output.format)
      _ = state.decoder?.decodeOrConceal(packet.data, into: &sound)
      let now = MonotonicTime.now
      let found = state.finder.find(sound.channels.first ?? [], sound.frameCount, at: state.position)
      state.position += Int64(sound.frameCount)
      heard.withLock { $0 += found.map { ($0, now) } }
    }
  }
  let opened = Mutex<CaptureStream?>(nil)
  let source = RecordingSource { () throws(AudioDeviceError) -> CaptureStream in
    let stream = try backend.openCapture(StreamRequest(device: device + ".monitor", latency: latency))
    opened.withLock { $0 = stream }
    return stream
  }
  let recorder = try Recorder(from: source, to: .file("/dev/null"), settings: settings)
  let decoder = try AACDecoder(recorder.configuration)
  state.withLock { $0.decoder = decoder }
  guard let stream = opened.withLock({ $0 }) else { return }
  try output.start()
  try recorder.start()
  // Plays the clicks, and looks twice in a millisecond how far the device's thread has come.
  let sound = clicks(output.format, seconds: 9)
  var done = 0
  var steps: [(position: Int64, time: MonotonicTime)] = []
  while recorder.summary == nil {
    done += output.write(sound, from: done)
    if steps.last?.position != stream.position { steps.append((stream.position, .now)) }
    while output.nextEvent() != nil || recorder.events.next(timeout: .zero) != nil {}
    usleep(500)
  }
  output.stop()
  report(
    "callback to packet",
    heard.withLock { $0 }.compactMap { click in
      steps.first { $0.position > click.frame }.map { click.time.seconds(since: $0.time) * 1000 }
    })
}

/// From the moment the packet with a click comes, at the pace of live packets, to the moment it is heard.
func packetToLoudspeaker(_ backend: any AudioBackend, _ device: String, _ latency: Duration) throws {
  let output = try backend.openPlayout(
    StreamRequest(device: device, latency: latency, bufferLength: .milliseconds(10)))
  let input = try backend.openCapture(StreamRequest(device: device + ".monitor", latency: .milliseconds(20)))
  let encoder = try AACEncoder(
    EncoderSettings(sampleRate: 48_000, layout: output.format.layout, rate: .constant(128_000)))
  var packets = try encoder.encode(clicks(output.format, seconds: 9))
  packets += try encoder.finish()
  let decoder = try AACDecoder(encoder.configuration)
  try input.start()
  try output.start()
  var given: [MonotonicTime] = []
  var (finder, ear) = (ClickFinder(), ClickFinder())
  var sound = PCMBuffer(format: output.format)
  var captured = PCMBuffer(format: input.format)
  var heard: [MonotonicTime] = []
  func listen() {
    while input.nextEvent() != nil {}
    while let block = input.read(4096, into: &captured) {
      for click in ear.find(captured.channels[0], block.frameCount, at: block.position) {
        if let time = input.time(ofFrame: click) { heard.append(time) }
      }
    }
  }
  let start = MonotonicTime.now
  for (index, packet) in packets.enumerated() {
    // A packet each 21 ms, the first few at once: as much as the server wants before it begins.
    let lead = latency.seconds + 0.022
    let due = start.advanced(bySeconds: Double(index) * 1024 / 48_000 - lead)
    while MonotonicTime.now < due {
      _ = input.wait(forFrames: 256, timeout: .milliseconds(2))
      listen()
    }
    let now = MonotonicTime.now
    _ = decoder.decodeOrConceal(packet.data, into: &sound)
    given += finder.find(sound.channels[0], sound.frameCount, at: Int64(index) * 1024).map { _ in now }
    var done = 0
    while done < sound.frameCount, output.end == nil {
      done += output.write(sound, from: done)
      if done < sound.frameCount { _ = output.wait(forRoom: 64, timeout: .milliseconds(2)) }
    }
  }
  let end = MonotonicTime.now.advanced(bySeconds: 0.5)
  while MonotonicTime.now < end {
    _ = input.wait(forFrames: 256, timeout: .milliseconds(20))
    listen()
  }
  var underruns = 0
  while let event = output.nextEvent() { if event.kind == .underrun { underruns += 1 } }
  report("packet to loudspeaker", zip(given, heard).map { $1.seconds(since: $0) * 1000 })
  if underruns > 0 { print("  underruns: \(underruns)") }
  output.stop()
  input.stop()
}

do {
  guard CommandLine.arguments.count == 2 else {
    print("usage: live-latency DEVICE")
    exit(2)
  }
  let device = CommandLine.arguments[1]
  let backend = try AudioBackends.standard.open(preferring: ["pulse"]).backend
  for milliseconds in [10, 20, 40, 100] {
    print("asked \(milliseconds) ms")
    try callbackToPacket(backend, device, .milliseconds(milliseconds))
    try packetToLoudspeaker(backend, device, .milliseconds(milliseconds))
  }
} catch {
  print("failed: \(error)")
  exit(1)
}
