import AACKit
import Foundation
import Testing

@testable import AACCommand

/// Killed at any moment: what was there is there bit by bit, or the new file is complete.
@Suite(.serialized) struct KillTests {
  private static let old: [UInt8] = Array("what was there before".utf8)

  private static func generator() -> Seeded {
    let seed =
      ProcessInfo.processInfo.environment["AAC_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...(.max))
    print("AAC_SEED=\(seed)")
    return Seeded(seed)
  }

  /// Microseconds that a command takes as a whole, and a little more: up to there moments are worth it.
  private static func duration(of arguments: [String]) -> UInt32 {
    let start = ContinuousClock.now
    let whole = aac(arguments)
    #expect(whole.status == 0, "\(whole.errors)")
    let time = (ContinuousClock.now - start).components
    return UInt32(min(2e6, Double(time.seconds) * 1e6 + Double(time.attoseconds) / 1e12)) + 60_000
  }

  private func run(_ arguments: [String], killedAfter microseconds: UInt32) throws {
    let folder = URL(filePath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent()
    let process = Process()
    process.executableURL = folder.appending(path: "aac")
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    usleep(microseconds)
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  @Test("B124", arguments: ["encode", "remux", "cut", "join", "decode"])
  func oldOrNew(command: String) throws {
    var random = Self.generator()
    let folder = try Folder()
    let wave = try folder.tone("in.wav", frames: 20_000, layout: .mono)
    let coded = try folder.silence("in.m4a", frames: 3_000_000)
    let output = folder.file(command == "decode" ? "out.wav" : "out.m4a")
    let arguments =
      switch command {
      case "encode": ["encode", "-q", "-y", "--quality", "min", wave, output]
      case "cut": ["cut", "-q", "-y", "--from", "1", coded, output]
      case "join": ["join", "-q", "-y", coded, coded, output]
      case "decode": ["decode", "-q", "-y", coded, output]
      default: ["remux", "-q", "-y", coded, output]
      }
    let most = Self.duration(of: arguments)
    let complete = try Data(contentsOf: URL(filePath: output))
    var outcomes = (old: 0, new: 0)
    for _ in 0..<50 {
      try Data(Self.old).write(to: URL(filePath: output))
      try run(arguments, killedAfter: .random(in: 0..<most, using: &random))
      let left = try Data(contentsOf: URL(filePath: output))
      if left == Data(Self.old) {
        outcomes.old += 1
      } else {
        outcomes.new += 1
        #expect(left == complete, "\(left.count) bytes instead of \(complete.count)")
      }
      // What was being written has a name of its own, which says what it is.
      for name in folder.names where name.hasSuffix(".part") {
        try FileManager.default.removeItem(atPath: folder.file(name))
      }
      #expect(Set(folder.names).isSubset(of: ["in.wav", "in.m4a", "out.m4a", "out.wav"]), "\(folder.names)")
    }
    #expect(outcomes.old > 0, "\(outcomes)")
  }

  /// Of many files each is as it was, or complete.
  @Test func batches() throws {
    var random = Self.generator()
    let folder = try Folder()
    try folder.make("in")
    let names = (0..<8).map { "\($0)" }
    for (index, name) in names.enumerated() {
      try folder.tone("in/\(name).wav", frames: 4000 + 900 * index, layout: .mono)
    }
    let arguments = [
      "encode", "-q", "-y", "--quality", "min", "-j", "2", "--out-dir", folder.file("out"), folder.file("in"),
    ]
    let most = Self.duration(of: arguments)
    let complete = try names.map { try folder.read("out/\($0).m4a") }
    var outcomes = (old: 0, new: 0)
    for _ in 0..<50 {
      for name in names { try folder.write(Self.old, to: "out/\(name).m4a") }
      try run(arguments, killedAfter: .random(in: 0..<most, using: &random))
      for (name, whole) in zip(names, complete) {
        let left = try folder.read("out/\(name).m4a")
        if left == Self.old {
          outcomes.old += 1
        } else {
          outcomes.new += 1
          #expect(left == whole, "\(name): \(left.count) bytes instead of \(whole.count)")
        }
      }
      for name in folder.names(in: "out") where name.hasSuffix(".part") {
        try FileManager.default.removeItem(atPath: folder.file("out/\(name)"))
      }
      #expect(folder.names(in: "out") == names.map { "\($0).m4a" })
    }
    #expect(outcomes.old > 0 && outcomes.new > 0, "\(outcomes)")
  }
}
