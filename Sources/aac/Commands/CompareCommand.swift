import AACKit
import AudioFiles
import PCM

private enum Options {
  static let maximum = CommandOption(
    "--max", takes: "N", help: "exit status 1 where the largest difference is above N (1 is full scale)")
  static let noAlign = CommandOption("--no-align", help: "do not look for an offset")
}

extension Command {
  static let compare = Command(
    name: "compare", summary: "tell how two sounds differ, sample by sample", operands: "A B",
    details: """
      A and B are PCM or AAC files of one rate and channel count. The offset of B behind A is looked for
      within ±\(Comparison.largestOffset) frames. The SNR is the energy of A over that of the difference.
      """,
    options: [SharedOptions.json, Options.maximum, Options.noAlign],
    run: runCompare)
}

private func runCompare(_ arguments: ParsedArguments, _ console: Console) throws -> Int32 {
  let paths = try arguments.operands("A", "B")
  if paths == ["-", "-"] { throw UsageError("only one of A and B can be standard input") }
  let limit = try arguments.number(Options.maximum)
  let first = try Inputs.openAudio(paths[0], console)
  let second = try Inputs.openAudio(paths[1], console)
  let comparison = try Comparison(first, second, aligns: !arguments.has(Options.noAlign))
  try console.print(arguments.has(SharedOptions.json) ? comparison.json.pretty : comparison.text)
  guard let limit, comparison.largest > limit || comparison.frames == 0 else { return ExitStatus.done }
  console.say(
    "aac: the largest difference is \(comparison.largest), above the allowed \(limit)")
  return ExitStatus.failed
}

extension Comparison {
  var json: JSON {
    .object([
      (key: "equal", value: .bool(isEqual)),
      (key: "sampleRate", value: .integer(format.sampleRate)),
      (key: "offset", value: .integer(offset)),
      (key: "frames", value: .integer(frames)),
      (key: "framesA", value: .integer(firstFrames)),
      (key: "framesB", value: .integer(secondFrames)),
      (key: "largestDifference", value: .number(largest)),
      (key: "rmsDifference", value: .number(rms)),
      (key: "snr", value: .number(signalToNoise)),
      (
        key: "channels",
        value: .array(
          zip(channels, format.layout.speakers).map { channel, speaker in
            .object([
              (key: "speaker", value: .optional(speaker?.abbreviation)),
              (key: "largestDifference", value: .number(channel.largest)),
              (key: "rmsDifference", value: .number(channel.rms)),
              (key: "snr", value: .number(channel.signalToNoise)),
            ])
          })
      ),
    ])
  }

  var text: String {
    var lines = [
      "offset              \(offset) frames"
        + (offset == 0 ? "" : " (B is \(offset > 0 ? "later" : "earlier"))"),
      "frames              \(frames) in common, A \(firstFrames), B \(secondFrames)",
      "largest difference  \(largest) (\(Numbers.fixed(largest * 32768, 2)) steps of 16 bits)",
      "RMS difference      \(rms)",
    ]
    for (channel, speaker) in zip(channels, format.layout.speakers) {
      lines.append(
        "SNR \(speaker?.abbreviation ?? "?")".padded(20) + "\(Numbers.fixed(channel.signalToNoise, 2)) dB, "
          + "largest \(channel.largest), RMS \(channel.rms)")
    }
    if isEqual { lines.append("the sounds are equal") }
    return lines.joined(separator: "\n")
  }
}

extension String {
  fileprivate func padded(_ width: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, width - count))
  }
}
