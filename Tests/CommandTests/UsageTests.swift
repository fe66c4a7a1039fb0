import Testing

@testable import AACCommand

/// Command lines that cannot be meant: status 2, a message that helps, nothing on standard output.
@Suite struct UsageTests {
  static let cases: [(line: String, says: [String])] = [
    ("", ["usage: aac COMMAND"]),
    (
      "frobnicate",
      [
        "no command 'frobnicate'",
        "encode, decode, info, tag, remux, cut, join, play, record, repair, devices, compare or codecs",
      ]
    ),
    ("record", ["OUT is missing"]),
    ("record x.m4a -d 0", ["-d cannot be '0'", "more than 0"]),
    ("record x.m4a --split-size 10", ["--split-size cannot be '10'", "65536"]),
    ("record x.m4a --on-silence split", ["--silence says after how long"]),
    ("record x.m4a --start-level 3", ["--start-level cannot be '3'", "-120"]),
    ("record x.wav", ["does not tell the container"]),
    ("record - --split 3 -f adts", ["a pipe cannot be split"]),
    ("record x.m4a --backend alsa", ["--backend cannot be 'alsa'", "pulse"]),
    ("devices x", ["devices: 'x' is one operand too many"]),
    ("devices --backend alsa", ["--backend cannot be 'alsa'", "null"]),
    ("cut a.m4a b.m4a", ["--from or --to is missing"]),
    ("cut a.m4a b.m4a --from 1:70", ["--from cannot be '1:70'", "H:M:S"]),
    ("decode a.m4a b.wav --from 3 --to 2", ["--to has to be later"]),
    ("encode", ["encode: IN is missing", "aac help encode"]),
    ("encode a.wav", ["OUT is missing"]),
    ("encode a.wav b.xyz", ["'b.xyz'", ".m4a", "-f"]),
    ("encode a.wav b.m4a --quality best", ["--quality cannot be 'best'", "min, low, medium, high or max"]),
    ("encode a.wav b.m4a --profile main", ["--profile cannot be 'main'", "lc, he, hev2 or auto"]),
    (
      "encode a.wav b.m4a --profile he",
      ["--profile cannot be 'he'", "not encoded by this version", "lc or auto"]
    ),
    ("encode a.wav b.m4a --profile hev2", ["--profile cannot be 'hev2'"]),
    ("encode a.wav b.m4a -b loud", ["-b cannot be 'loud'", "128k"]),
    ("encode a.wav b.m4a -b 128k --abr 128k", ["-b and --abr exclude each other"]),
    ("encode a.wav b.m4a -V 9", ["-V cannot be '9'", "from 1 to 5"]),
    ("encode a.wav b.m4a --rate fast", ["--rate cannot be 'fast'"]),
    ("encode a.wav b.m4a --channels 9", ["--channels cannot be '9'", "1 to 8"]),
    ("encode a.wav b.m4a --bandwidth -3", ["--bandwidth cannot be '-3'"]),
    ("encode a.wav b.m4a --raw-input s16", ["--raw-input cannot be 's16'", "s16le,44100,2"]),
    ("encode a.wav b.m4a --tag title", ["--tag cannot be 'title'", "KEY=VALUE"]),
    ("encode a.wav b.m4a -f ogg", ["-f cannot be 'ogg'", "adts, adif, loas, m4a, fmp4, raw or ts"]),
    ("encode a.wav b.m4a --crc", ["--crc is for ADTS only"]),
    (
      "encode a.wav b.m4a --fragment-duration 2",
      ["--fragment-duration is for MP4 in fragments only", "-f fmp4"]
    ),
    (
      "encode a.wav b.mp4 -f fmp4 --fragment-duration 0", ["--fragment-duration cannot be '0'", "0.02 to 60"]
    ),
    ("remux a.m4a b.m4a --fragmented --fragment-duration 61", ["cannot be '61'", "0.02 to 60"]),
    ("remux a.m4a b.m4a --fragmented --fragment-duration x", ["cannot be 'x'", "number"]),
    ("remux a.m4a b.aac --fragment-duration 2", ["--fragment-duration is for MP4 in fragments only"]),
    ("record a.m4a --fragment-duration 2", ["--fragment-duration is for MP4 in fragments only"]),
    ("encode a.wav b.m4a -j 0", ["-j cannot be '0'"]),
    ("encode a.wav b.wav /nowhere", ["'/nowhere'", "folder"]),
    ("encode a.wav - -f raw", ["raw access units need a file name"]),
    ("encode a.wav b.m4a --progress bar", ["--progress cannot be 'bar'", "line, json or none"]),
    ("encode a.wav b.m4a --fast", ["unknown option --fast"]),
    ("decode a.m4a", ["OUT is missing"]),
    ("decode a.m4a b.mp3", ["'b.mp3'", ".wav", "-f"]),
    ("decode a.m4a b.wav -f mp3", ["-f cannot be 'mp3'", "s16le"]),
    ("decode a.m4a b.wav --bits 20", ["--bits cannot be '20'", "16 or 24"]),
    ("decode a.m4a b.wav --bits 24 --float", ["exclude each other"]),
    ("decode a.m4a b.flac --float", ["--float does not go with flac"]),
    ("decode a.m4a b.pcm -f s16le --bits 24", ["says the sample format already"]),
    ("info", ["IN is missing"]),
    ("info a b", ["'b' is one operand too many"]),
    ("remux a.m4a b.aac --fragmented", ["--fragmented is for MP4 only"]),
    ("compare a", ["B is missing"]),
    ("compare - -", ["only one"]),
    ("compare a b --max lots", ["--max cannot be 'lots'"]),
    ("codecs now", ["one operand too many"]),
    ("help nothing", ["no command 'nothing'"]),
  ]

  @Test("B129", arguments: cases) func wrongUsage(line: String, says: [String]) {
    let outcome = aac(line.split(separator: " ").map(String.init))
    #expect(outcome.status == 2)
    #expect(outcome.data.isEmpty)
    for words in says { #expect(outcome.errors.contains(words), "\(outcome.errors)") }
  }

  @Test func help() {
    for line in [["--help"], ["help"], ["-h"]] {
      let outcome = aac(line)
      #expect(outcome.status == 0)
      #expect(outcome.errors.isEmpty)
      for command in Command.all { #expect(outcome.text.contains("  \(command.name) ")) }
    }
    for command in Command.all {
      let outcome = aac("help", command.name)
      #expect(outcome.status == 0)
      #expect(outcome.text.hasPrefix("usage: aac \(command.name) "))
      for option in command.options {
        for name in option.names { #expect(outcome.text.contains(name)) }
      }
      #expect(outcome.text.split(separator: "\n").allSatisfy { $0.count <= 110 })
      #expect(aac(command.name, "--help").text == outcome.text)
    }
  }

  @Test func version() {
    let outcome = aac("--version")
    #expect(outcome.status == 0)
    #expect(outcome.text == "aac \(Version.number)\n")
  }

  /// The options of the contract are all known.
  @Test func contract() {
    func names(_ command: Command) -> Set<String> { Set(command.options.flatMap(\.names)) }
    #expect(
      names(.encode).isSuperset(of: [
        "-b", "--abr", "-V", "--profile", "--quality", "--rate", "--channels", "--bandwidth", "--no-tns",
        "--no-ms", "--no-pns", "--no-is", "--no-short", "--crc", "--raw-input", "--tag", "-j", "-f", "-y",
        "-q",
      ]))
    #expect(
      names(.decode).isSuperset(of: [
        "-f", "--float", "--bits", "--rate", "--channels", "--no-trim", "--discard", "--strict", "-y", "-q",
      ]))
    #expect(names(.info).isSuperset(of: ["--json", "--frames"]))
    #expect(names(.remux).isSuperset(of: ["--fragmented", "-f", "-y", "-q"]))
    #expect(names(.compare).isSuperset(of: ["--json", "--max"]))
    #expect(names(.codecs).isSuperset(of: ["--json"]))
  }
}
