// Decodes any AAC file to what speech models take: one channel of 16 kHz floats, without a header.
//
//     swift run decode-mono talk.m4a > talk.f32

import AACKit
import AudioFiles
import PCM

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

func fail(_ text: String) -> Never {
  try? ByteOutput(descriptor: STDERR_FILENO).write([UInt8]((text + "\n").utf8))
  exit(1)
}

guard let path = CommandLine.arguments.dropFirst().first else { fail("usage: decode-mono FILE > SAMPLES") }
do {
  let sound = try AudioFile.decode(path, sampleRate: 16000, channelCount: 1)
  let writer = RawPCMWriter(ByteOutput(descriptor: STDOUT_FILENO), .f32le, sound.format)
  try writer.write(sound)
  try writer.close()
} catch { fail("\(error)") }
