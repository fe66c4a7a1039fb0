import AACKit
import AudioFiles
import Foundation
import Testing

@testable import AACCommand

/// Runs that are killed and taken up again.
@Suite struct BatchResumeTests {
  /// A WAV file of so many frames at 8 kHz.
  private static func wave(_ frames: Int) -> [UInt8] {
    func number(_ value: Int, _ width: Int) -> [UInt8] { (0..<width).map { UInt8(value >> (8 * $0) & 0xFF) } }
    let data = (0..<frames).flatMap { number(Int(8000 * sin(0.3 * Double($0))) & 0xFFFF, 2) }
    return [UInt8]("RIFF".utf8) + number(36 + data.count, 4) + [UInt8]("WAVEfmt ".utf8) + number(16, 4)
      + number(1, 2) + number(1, 2) + number(8000, 4) + number(16000, 4) + number(2, 2) + number(16, 2)
      + [UInt8]("data".utf8) + number(data.count, 4) + data
  }

  /// Killed in the middle of 500 files, and started again: only what is left is done, and nothing stays behind.
  @Test func killedAndResumed() throws {
    let folder = try Folder()
    try folder.make("in")
    let bytes = Self.wave(300)
    for index in 0..<500 { try folder.write(bytes, to: "in/\(index).wav") }
    let line = ["encode", "-q", "-j", "2", "--out-dir", folder.file("out"), folder.file("in")]
    func outputs() -> [String] { folder.names(in: "out").filter { $0.hasSuffix(".m4a") } }

    let process = try Program.start(line)
    for _ in 0..<20000 where outputs().count < 40 { usleep(500) }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal)
    let finished = outputs()
    #expect((40..<500).contains(finished.count))
    // Whatever the moment of the end, there is a temporary file of a dead run.
    let stray = folder.file("out/.499.m4a.dead1.part")
    try Data([1, 2, 3]).write(to: URL(filePath: stray))

    let outcome = aac(line.filter { $0 != "-q" } + ["--resume", "--progress", "json"])
    #expect(outcome.status == 0, "\(outcome.errors.suffix(500))")
    let objects = try lines(outcome)
    #expect(objects.count == 501)
    #expect(objects.last?["skipped"] as? Int == finished.count)
    #expect(objects.last?["done"] as? Int == 500 - finished.count)
    let skipped = objects.filter { $0["status"] as? String == "skipped" }.compactMap {
      $0["output"] as? String
    }
    #expect(Set(skipped) == Set(finished.map { folder.file("out/\($0)") }))
    #expect(folder.names(in: "out").count == 500)
    #expect(outputs().count == 500)
    #expect(try AudioFile.decode(folder.file("out/499.m4a")).frameCount == 300)
  }

  /// The lock tells the files of the living from those of the dead; names of others are nobody's business.
  @Test func onlyAbandonedFilesAreRemoved() throws {
    let folder = try Folder()
    let output = folder.file("x.m4a")
    let living = try AtomicFile(output, replacing: false)
    for name in [
      ".x.m4a.abc12.part", ".x.m4a.part", ".y.m4a.abc12.part", ".x.m4a.ABC.part", "x.m4a.abc.part",
    ] {
      try folder.write([1], to: name)
    }
    #expect(AtomicFile.removeAbandoned(beside: [output]) == [folder.file(".x.m4a.abc12.part")])
    #expect(folder.names.count == 5)
    try living.commit()
    #expect(folder.exists("x.m4a"))
    #expect(AtomicFile.removeAbandoned(beside: [output, folder.file("none/z.m4a")]).isEmpty)
  }

  /// However many files there are, the memory stays as it is.
  @Test func memoryIsFlat() throws {
    #if os(Linux)
      let folder = try Folder()
      let bytes = Self.wave(2000)
      for (name, count) in [("few", 20), ("many", 500)] {
        try folder.make(name)
        for index in 0..<count { try folder.write(bytes, to: "\(name)/\(index).wav") }
      }
      func peak(_ name: String) throws -> Int {
        let process = try Program.start([
          "encode", "-q", "-j", "2", "--quality", "min", "--out-dir", folder.file("out-" + name),
          folder.file(name),
        ])
        var peak = 0
        while process.isRunning {
          let status =
            (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
          let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
          peak = max(peak, line.flatMap { Int($0.filter(\.isNumber)) } ?? 0)
          usleep(2000)
        }
        #expect(process.terminationStatus == 0)
        return peak
      }
      let (few, many) = (try peak("few"), try peak("many"))
      #expect(few > 0)
      #expect(many < few + 6000, "\(few) and \(many) KiB")
    #endif
  }
}
