import AudioFiles
import Foundation
import Testing

@testable import AACCommand

/// Inputs that users have: the message names the cause and what helps, the status is 1, and nothing is
/// written.
@Suite struct BadInputTests {
  private func check(
    _ line: [String], _ says: [String], _ folder: Folder, _ location: SourceLocation = #_sourceLocation
  ) {
    let before = folder.names
    let outcome = aac(line)
    #expect(outcome.status == 1, sourceLocation: location)
    #expect(outcome.data.isEmpty, sourceLocation: location)
    for words in says {
      #expect(outcome.errors.contains(words), "\(outcome.errors)", sourceLocation: location)
    }
    #expect(folder.names == before, sourceLocation: location)
  }

  @Test func encodeInputs() throws {
    let folder = try Folder()
    let output = folder.file("out.m4a")
    try folder.write([], to: "empty.wav")
    try folder.write([UInt8]("Dear reader,\nthis is a letter.\n".utf8), to: "text.wav")
    try folder.tone("none.wav", frames: 0)
    check(["encode", folder.file("empty.wav"), output], ["empty.wav: is empty", "check how"], folder)
    check(["encode", folder.file("text.wav"), output], ["text.wav", "(a text)", "give a WAV"], folder)
    check(["encode", folder.path, output], ["is a directory", "name a file in it"], folder)
    check(["encode", folder.file("no.wav"), output], ["no.wav", "No such file", "check the path"], folder)
  }

  @Test func decodeInputs() throws {
    let folder = try Folder()
    let output = folder.file("out.wav")
    try folder.write([], to: "empty.m4a")
    try folder.write([UInt8]("Dear reader,\nthis is a letter.\n".utf8), to: "text.aac")
    try folder.tone("tone.wav", frames: 100)
    try folder.silence("whole.m4a", frames: 5000)
    try folder.write([UInt8](try folder.read("whole.m4a").prefix(300)), to: "cut.m4a")
    for command in ["decode", "info"] {
      let tail = command == "decode" ? [output] : []
      check([command, folder.file("empty.m4a")] + tail, ["empty.m4a", "an empty file"], folder)
      check(
        [command, folder.file("text.aac")] + tail, ["text.aac", "this is text", "give an AAC file"], folder)
      check([command, folder.file("tone.wav")] + tail, ["tone.wav", "WAV"], folder)
      check([command, folder.path] + tail, ["is a directory"], folder)
      check([command, folder.file("no.m4a")] + tail, ["no.m4a", "No such file"], folder)
      check([command, folder.file("cut.m4a")] + tail, ["cut.m4a", "cut off", "fetch it again"], folder)
    }
  }

  @Test func unreadableFiles() throws {
    // Root reads everything.
    guard getuid() != 0 else { return }
    let folder = try Folder()
    try folder.silence("x.m4a", frames: 100)
    unsafe chmod(folder.file("x.m4a"), 0)
    check(["decode", folder.file("x.m4a"), folder.file("x.wav")], ["Permission denied"], folder)
  }

  @Test func badFolders() throws {
    let folder = try Folder()
    try folder.silence("x.m4a", frames: 100)
    check(
      ["decode", folder.file("x.m4a"), folder.file("no/x.wav")], ["cannot be written", "No such file"], folder
    )
    check(["remux", folder.file("x.m4a"), folder.path, "-f", "m4a"], ["is the input itself"], folder)
  }

  /// ADTS headers whose length is shorter than a header are skipped; the frames around them survive.
  @Test(arguments: 0...6) func shortFrameLengths(length: Int) throws {
    let folder = try Folder()
    try folder.silence("x.aac", frames: 9 * 1024)
    let good = try folder.read("x.aac")
    var header = [UInt8](good.prefix(7))
    header[3] = header[3] & 0xFC
    header[4] = UInt8(length >> 3)
    header[5] = UInt8(length & 7) << 5 | header[5] & 0x1F
    let half = good.count / 2
    try folder.write(good[..<half] + header + good[half...], to: "y.aac")
    let outcome = aac("decode", "-f", "s16le", folder.file("y.aac"), "-")
    #expect(outcome.status == 0)
    #expect(outcome.data.count >= 9 * 4096)
    // Nothing but such headers is no AAC.
    try folder.write([UInt8](repeating: 0, count: 3) + header + header + header, to: "z.aac")
    check(["decode", folder.file("z.aac"), folder.file("z.wav")], ["z.aac", "not an AAC file"], folder)
  }
}
