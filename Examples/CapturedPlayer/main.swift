// Plays what a microphone hears, as it comes; with --coded after it went through the encoder and the decoder.
//
//     swift run captured-player INPUT OUTPUT SECONDS [--coded]        "default" for the default device

import AACKit
import Foundation

/// Brings captured sound to a loudspeaker: a bounded queue that waits for room, tells underruns and drains in the end.
struct LoudspeakerQueue {
  let stream: PlayoutStream

  init(_ backend: any AudioBackend, device: String?, _ format: PCMFormat) throws(AudioDeviceError) {
    // The format is that of the sound; where the device has another one the server converts.
    stream = try backend.openPlayout(
      StreamRequest(
        device: device, sampleRate: format.sampleRate, layout: format.layout, conversion: .server,
        latency: .milliseconds(100)))
    try stream.start()
  }

  func play(_ buffer: PCMBuffer) throws {
    var done = 0
    while done < buffer.frameCount {
      done += stream.write(buffer, from: done)
      while let event = stream.nextEvent() { print("loudspeaker: \(event.kind) at frame \(event.position)") }
      if done < buffer.frameCount, stream.wait(forRoom: 512, timeout: .seconds(1)) == .ended {
        throw AudioDeviceError(.deviceGone)
      }
    }
  }

  /// Returns when the last sample has left the device.
  func finish() throws(AudioDeviceError) { try stream.drain() }
}

func run(_ input: String?, _ output: String?, _ seconds: Double, isCoded: Bool) throws {
  let backend = try AudioBackends.standard.open().backend
  let input = try backend.openCapture(StreamRequest(device: input, latency: .milliseconds(40)))
  let queue = try LoudspeakerQueue(backend, device: output, input.format)
  let encoder = try AACEncoder(
    EncoderSettings(
      sampleRate: input.format.sampleRate, layout: input.format.layout, rate: .constant(128_000)))
  let decoder = try AACDecoder(encoder.configuration)
  var (buffer, sound) = (PCMBuffer(format: input.format), PCMBuffer(format: input.format))
  func decodeAndPlay(_ packets: [Packet]) throws {
    for packet in packets {
      if let cause = decoder.decodeOrConceal(packet.data, into: &sound).cause { print("concealed: \(cause)") }
      try queue.play(sound)
    }
  }
  try input.start()
  while Double(input.position) < seconds * Double(input.format.sampleRate),
    input.wait(forFrames: 1024, timeout: .seconds(1)) != .ended
  {
    while let event = input.nextEvent() { print("microphone: \(event.kind) at frame \(event.position)") }
    while input.read(4096, into: &buffer) != nil {
      if isCoded { try decodeAndPlay(encoder.encode(buffer)) } else { try queue.play(buffer) }
    }
  }
  input.stop()
  if isCoded { try decodeAndPlay(encoder.finish()) }
  try queue.finish()
  print("\(queue.stream.position) frames played")
}

do {
  let arguments = CommandLine.arguments
  guard arguments.count >= 4, let seconds = Double(arguments[3]) else {
    throw AudioDeviceError(.misuse("usage: captured-player INPUT OUTPUT SECONDS [--coded]"))
  }
  let devices = arguments[1...2].map { $0 == "default" ? nil : $0 }
  try run(devices[0], devices[1], seconds, isCoded: arguments.contains("--coded"))
} catch {
  print("failed: \(error)")
  exit(1)
}
