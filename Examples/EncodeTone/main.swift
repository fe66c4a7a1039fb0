// Encodes five seconds of a tone to an M4A file, with the encoder itself and block by block, as an
// application does whose sound comes piece by piece.
//
//     swift run encode-tone tone.m4a

import AAC
import AACContainers
import PCM

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

func encodeTone(to path: String) throws {
  let format = PCMFormat(sampleRate: 48000, layout: .stereo)
  let encoder = try AACEncoder(
    EncoderSettings(sampleRate: format.sampleRate, layout: format.layout, rate: .constant(128_000)))
  let sink = try FileSink(path: path, replacing: true)
  let writer = try M4AWriter(
    sink, configuration: encoder.configuration, options: .init(tags: Tags([("title", "A tone")])))

  // Any number of frames goes in, any number of packets comes out.
  var buffer = PCMBuffer(format: format, frameCount: 480)
  for block in 0..<500 {
    for frame in 0..<480 {
      let time = Double(block * 480 + frame) / Double(format.sampleRate)
      buffer.channels[0][frame] = Float(0.4 * sin(2 * .pi * 440 * time))
      buffer.channels[1][frame] = Float(0.4 * sin(2 * .pi * 660 * time))
    }
    for packet in try encoder.encode(buffer) { try writer.write(packet) }
  }
  for packet in try encoder.finish() { try writer.write(packet) }
  try writer.finish()
  try sink.close()
  print("\(path): \(encoder.effective.bitRate) bit/s, up to \(encoder.effective.bandwidth) Hz")
}

do {
  try encodeTone(to: CommandLine.arguments.dropFirst().first ?? "tone.m4a")
} catch {
  print("\(error)")
  exit(1)
}
