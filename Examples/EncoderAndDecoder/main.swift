// An encoder and a decoder with a configuration, a queue of their own, and callbacks as events: sound goes in on any
// thread, packets and errors come out in order.
//
//     swift run encoder-and-decoder IN.wav OUT.wav

import AACKit
import Foundation

/// Encodes what it is given and decodes what comes of it, one buffer at a time, off the caller's thread.
actor EncoderAndDecoder {
  enum Event: Sendable {
    case packet(Packet)
    case sound(PCMBuffer)
    case failed(any Error)
  }

  /// What happens, in order: a callback for packets, one for sound and one for errors.
  nonisolated let events: AsyncStream<Event>
  private let callback: AsyncStream<Event>.Continuation
  private let encoder: AACEncoder
  private let decoder: AACDecoder

  /// Settings that cannot be met are refused here, once, with what is possible; `encoder.effective` tells what was chosen.
  init(_ settings: EncoderSettings) throws(AACError) {
    encoder = try AACEncoder(settings)
    // The decoder configures itself from the encoder's own description.
    decoder = try AACDecoder(encoder.configuration)
    (events, callback) = AsyncStream.makeStream()
  }

  /// Takes a buffer of any length, of which nothing is kept; nil drains the encoder.
  func encode(_ buffer: PCMBuffer?) {
    do {
      for packet in try buffer.map(encoder.encode) ?? encoder.finish() {
        callback.yield(.packet(packet))
        callback.yield(.sound(try decoder.decode(packet.data)))
      }
    } catch { callback.yield(.failed(error)) }
    if buffer == nil { callback.finish() }
  }
}

func run(_ input: String, _ output: String) async throws {
  let sound = try AudioFile.decode(input)
  let settings = EncoderSettings(
    sampleRate: sound.format.sampleRate, layout: sound.format.layout, rate: .constant(128_000))
  let codec = try EncoderAndDecoder(settings)
  let file = try AudioFileWriter(path: output, .wav, sound.format)
  let feeding = Task {
    await codec.encode(sound)
    await codec.encode(nil)
  }
  var (packetCount, byteCount, position) = (0, 0, -1024)
  for await event in codec.events {
    switch event {
    case .packet(let packet): (packetCount, byteCount) = (packetCount + 1, byteCount + packet.data.count)
    case .sound(var buffer):
      // The first 1024 frames are the encoder's priming; behind the sound's end there is padding.
      if position >= 0 {
        buffer.frameCount = min(buffer.frameCount, sound.frameCount - position)
        try file.write(buffer)
      }
      position += 1024
    case .failed(let error): throw error
    }
  }
  await feeding.value
  try file.close()
  print("\(packetCount) packets, \(byteCount) bytes")
}

do {
  let arguments = CommandLine.arguments
  guard arguments.count == 3 else { throw AACError(.misuse("usage: encoder-and-decoder IN.wav OUT.wav")) }
  try await run(arguments[1], arguments[2])
} catch {
  print("failed: \(error)")
  exit(1)
}
