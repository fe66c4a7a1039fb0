// Decodes any AAC file to what speech models take: one channel of 16 kHz floats.
//
//     swift run decode-mono talk.m4a > talk.f32

import AACKit
import AudioFiles
import PCM

guard let path = CommandLine.arguments.dropFirst().first else {
  print("usage: decode-mono FILE > SAMPLES")
  throw AACKitError(.noSamples)
}
let sound = try AudioFile.decode(path, sampleRate: 16000, channelCount: 1)
let writer = RawPCMWriter(ByteOutput(descriptor: 1), .f32le, sound.format)
try writer.write(sound)
try writer.close()
