import AACKit
import Foundation
import Testing

@testable import AACCommand

/// Killed at any moment: what was there is there bit by bit, or the new file is complete.
@Suite(.serialized) struct KillTests {
  private static let old: [UInt8] = Array("what was there before".utf8)

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

  @Test(arguments: ["encode", "remux", "cut", "decode"]) func oldOrNew(command: String) throws {
    let seed =
      ProcessInfo.processInfo.environment["AAC_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...(.max))
    print("AAC_SEED=\(seed)")
    var state = seed | 1
    func random(_ bound: UInt64) -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state % bound
    }
    let folder = try Folder()
    let wave = try folder.tone("in.wav", frames: 20_000, layout: .mono)
    let coded = try folder.silence("in.m4a", frames: 3_000_000)
    let output = folder.file(command == "decode" ? "out.wav" : "out.m4a")
    let arguments =
      switch command {
      case "encode": ["encode", "-q", "-y", "--quality", "min", wave, output]
      case "cut": ["cut", "-q", "-y", "--from", "1", coded, output]
      case "decode": ["decode", "-q", "-y", coded, output]
      default: ["remux", "-q", "-y", coded, output]
      }
    // How long it takes as a whole tells where moments are worth it.
    let start = ContinuousClock.now
    let whole = aac(arguments)
    #expect(whole.status == 0, "\(whole.errors)")
    let complete = try Data(contentsOf: URL(filePath: output))
    let time = ContinuousClock.now - start
    let most =
      UInt64(min(2e6, Double(time.components.seconds) * 1e6 + Double(time.components.attoseconds) / 1e12))
      + 60_000
    var outcomes = (old: 0, new: 0)
    for _ in 0..<50 {
      try Data(Self.old).write(to: URL(filePath: output))
      try run(arguments, killedAfter: UInt32(random(most)))
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
}
