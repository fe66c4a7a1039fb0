// The piece of `make demo`: renders it, and draws what became of it.
//
//     swift run demo-piece render piece.wav
//     swift run demo-piece picture before.wav after.wav spectrograms.png

import AACKit
import AudioFiles
import PCM

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

func run(_ arguments: [String]) throws {
  switch (arguments.first, arguments.count) {
  case ("render", 2):
    let rate = 44100
    let mix = Piece.render(rate: Double(rate))
    let sound = PCMBuffer(
      format: PCMFormat(sampleRate: rate, layout: .stereo), channels: [mix.left, mix.right])
    let writer = try AudioFileWriter(path: arguments[1], .wav, sound.format)
    try writer.write(sound)
    try writer.close()
  case ("picture", 4):
    let before = Spectrogram.draw(try AudioFile.decode(arguments[1]))
    let after = Spectrogram.draw(try AudioFile.decode(arguments[2]))
    let border = [[UInt8]](repeating: [UInt8](repeating: 255, count: Spectrogram.width), count: 2)
    // Black over violet and orange to white.
    let palette = (0..<256).map { index in
      let value = Double(index) / 255
      func level(_ value: Double) -> UInt8 { UInt8(max(0, min(255, value * 255))) }
      return (
        red: level(value * 1.6 - 0.15), green: level(value * 2 - 0.95),
        blue: level(value < 0.5 ? value * 1.2 : 1.2 * (1 - value) + max(0, value - 0.75) * 3.2)
      )
    }
    try ByteOutput(path: arguments[3]).write(PNG.encode(before + border + after, palette: palette))
  default:
    print("usage: demo-piece render PIECE.wav, or demo-piece picture BEFORE AFTER OUT.png")
  }
}

do {
  try run([String](CommandLine.arguments.dropFirst()))
} catch {
  print("\(error)")
  exit(1)
}
