import PCM
import Testing

@testable import AACCommand

@Suite struct ArgumentTests {
  private let rate = CommandOption("-b", "--bitrate", takes: "RATE", help: "")
  private let level = CommandOption("--quality", takes: "LEVEL", help: "")
  private let tag = CommandOption("--tag", takes: "KEY=VALUE", repeats: true, help: "")
  private let force = CommandOption("-y", "--overwrite", help: "")

  private func parse(_ arguments: String...) throws(UsageError) -> ParsedArguments {
    try ParsedArguments(arguments, options: [rate, level, tag, force])
  }

  private func message(_ body: () throws -> Void) -> String {
    do {
      try body()
      return ""
    } catch { return "\(error)" }
  }

  @Test func formsOfOptions() throws {
    for arguments in [["-b", "96k"], ["-b96k"], ["--bitrate", "96k"], ["--bitrate=96k"]] {
      let parsed = try ParsedArguments(arguments, options: [rate])
      #expect(try parsed.bitRate(rate) == 96000)
      #expect(parsed.operands.isEmpty)
    }
  }

  @Test func operandsAndDashes() throws {
    let parsed = try parse("-", "-y", "a.m4a", "--", "-b")
    #expect(parsed.operands == ["-", "a.m4a", "-b"])
    #expect(parsed.has(force))
    #expect(!parsed.has(rate))
    #expect(try parse("--tag", "a=b", "--tag=c=d=e").strings(tag) == ["a=b", "c=d=e"])
  }

  @Test func faults() {
    #expect(
      message { _ = try parse("--qualty", "max") } == "unknown option --qualty: did you mean --quality?")
    #expect(message { _ = try parse("--zzz") }.hasPrefix("unknown option --zzz: there are --bitrate"))
    #expect(message { _ = try parse("-b") } == "-b needs a value: -b RATE")
    #expect(message { _ = try parse("-b", "-y") } == "-b needs a value: -b RATE")
    #expect(message { _ = try parse("-b", "1k", "--bitrate", "2k") } == "--bitrate is given twice")
    #expect(message { _ = try parse("--overwrite=no") } == "--overwrite takes no value ('no')")
    #expect(message { _ = try parse("a").operands("IN", "OUT") } == "OUT is missing")
    #expect(message { _ = try parse("a", "b", "c").operands("IN", "OUT") } == "'c' is one operand too many")
  }

  @Test func bitRates() throws {
    for (text, value) in [("128k", 128_000), ("128000", 128_000), ("0.1M", 100_000), ("64.5K", 64500)] {
      #expect(try parse("-b", text).bitRate(rate) == value)
    }
    #expect(message { _ = try parse("-b", "128").bitRate(rate) }.contains("did you mean 128k?"))
    for text in ["", "k", "abc", "-5k", "0", "nan", "1e99k", "128kk"] {
      #expect(
        message { _ = try parse("-b", text).bitRate(rate) }
          == "-b cannot be '\(text)': give bits a second, as 128k or 128000")
    }
  }

  @Test func choices() throws {
    let choices = [("low", 1), ("high", 2), ("max", 3)]
    #expect(try parse("--quality", "high").choice(level, choices) == 2)
    #expect(
      message { _ = try parse("--quality", "best").choice(level, choices) }
        == "--quality cannot be 'best': choose low, high or max")
    #expect(
      message { _ = try parse("--quality", "9").integer(level, in: 1...5) }
        == "--quality cannot be '9': give a whole number from 1 to 5")
  }

  @Test func rawInputs() throws {
    let raw = try RawInput("s24be,48000,6", option: "--raw-input")
    #expect(raw.sample == .s24be)
    #expect(raw.sampleRate == 48000)
    #expect(raw.layout == .surround51)
    for text in ["s16le", "s17le,44100,2", "s16le,0,2", "s16le,44100,0", "s16le,44100,2,1", ""] {
      #expect(
        message { _ = try RawInput(text, option: "--raw-input") }.contains("--raw-input cannot be '\(text)'"))
    }
  }
}

@Suite struct OutputTests {
  @Test func json() {
    let value = JSON.object([
      (key: "b", value: .string("a\"\\\n\u{1}é")),
      (key: "a", value: .array([.integer(1), .number(1.5), .null])),
      (key: "n", value: .number(.infinity)), (key: "e", value: .array([])), (key: "t", value: .bool(true)),
    ])
    #expect(value.line == #"{"b":"a\"\\\n\u0001é","a":[1,1.5,null],"n":null,"e":[],"t":true}"#)
    #expect(value.pretty.hasPrefix("{\n  \"b\": "))
    #expect(value.pretty.contains("\"a\": [\n    1,\n    1.5,"))
  }

  @Test func numbers() {
    #expect(Numbers.fixed(1.25, 1) == "1.3")
    #expect(Numbers.fixed(-0.04, 1) == "0.0")
    #expect(Numbers.fixed(-1.5, 2) == "-1.50")
    #expect(Numbers.fixed(2.5, 0) == "3")
    #expect(Numbers.time(59.9996) == "1:00.000")
    #expect(Numbers.time(3725.5) == "1:02:05.500")
    #expect(Numbers.time(7, decimals: 0) == "0:07")
    #expect(Numbers.bitRate(128_000) == "128.0 kbit/s")
  }

  @Test func paths() {
    #expect(Paths.fileExtension("a/b.c/d.M4A") == "M4A")
    #expect(Paths.fileExtension("a.b/c") == "")
    #expect(Paths.fileExtension(".hidden") == "")
    #expect(Paths.stem("x/y.z.wav") == "y.z")
  }
}
