import AACKit
import Foundation
import PCM
import TestServers
import Testing

@testable import AACCommand

@Suite struct PlayCommandTests {
  /// Event objects of a run with `--progress json`, without the positions.
  private func events(_ outcome: Outcome) throws -> [[String: Any]] {
    try outcome.errors.split(separator: "\n").compactMap { line in
      guard line.hasPrefix("{") else { return nil }
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return object?["event"] as? String == "position" ? nil : object
    }
  }

  @Test func playsSeveral() throws {
    let folder = try Folder()
    let first = try folder.silence("a.m4a", frames: 10_000)
    let second = try folder.tone("b.wav", frames: 8_000)
    let outcome = aac("play", "--backend", "null", "--progress", "json", first, second)
    #expect(outcome.status == 0 && outcome.data.isEmpty)
    let told = try events(outcome)
    #expect(
      told.map { $0["event"] as? String }
        == ["itemStarted", "itemEnded", "itemStarted", "itemEnded", "finished"])
    #expect(told[0]["name"] as? String == first && told[0]["sampleRate"] as? Int == 44100)
    #expect(abs((told[0]["duration"] as? Double ?? 0) - 10_000 / 44100.0) < 1e-9)
    #expect(told[2]["item"] as? Int == 1)
  }

  @Test func quietAndTalking() throws {
    let folder = try Folder()
    let path = try folder.tone("a.wav", frames: 5_000)
    #expect(aac("play", "-q", "--backend", "null", path) == Outcome(status: 0, data: [], errors: ""))
    let outcome = aac("play", "--backend", "null", "--volume", "0.5", "--start", "0.05", path)
    #expect(outcome.status == 0 && outcome.errors == "\(path): 0:00.113  44100 Hz stereo\n")
  }

  @Test func pipe() throws {
    let folder = try Folder()
    let bytes = try folder.read(URL(filePath: try folder.silence("a.m4a", frames: 10_000)).lastPathComponent)
    let outcome = aac("play", "--backend", "null", "--progress", "json", "-", input: bytes)
    #expect(outcome.status == 0)
    #expect(try events(outcome).first?["name"] as? String == "standard input")
  }

  @Test func whatCannotBePlayed() throws {
    let folder = try Folder()
    let good = try folder.tone("a.wav", frames: 2_000)
    let missing = folder.file("no.m4a")
    let some = aac("play", "--backend", "null", "-q", missing, good)
    #expect(some.status == 1)
    #expect(some.errors.hasPrefix("aac: \(missing): cannot be opened"))
    let none = aac("play", "--backend", "null", missing)
    #expect(none.status == 1 && none.errors.split(separator: "\n").count == 1)
    let server = try WebServer { connection in
      connection.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
    }
    let address = aac("play", "--backend", "null", server.address("/x.aac"))
    #expect(address.status == 1)
    #expect(address.errors.contains("404") && address.errors.contains("check the address"))
    let secret = aac("play", "--backend", "null", "http://me:secret@127.0.0.1:\(server.port)/x.aac")
    #expect(secret.status == 1 && !secret.errors.contains("secret"))
  }

  @Test(arguments: [
    [], ["--volume", "2", "x"], ["--volume", "loud", "x"], ["--start", "-1", "x"], ["--backend", "x", "x"],
    ["--nonsense", "x"], ["-", "-"], ["--device", "x"], ["--progress", "x", "y"],
  ]) func wrongUsage(arguments: [String]) {
    let outcome = aac(["play"] + arguments)
    #expect(outcome.status == 2 && outcome.errors.contains("See: aac help play"), "\(outcome)")
  }

  @Test func devices() throws {
    let folder = try Folder()
    let path = try folder.tone("a.wav", frames: 1_000)
    #expect(aac("play", "-q", "--backend", "null", "--device", "NUL", path).status == 0)
    let outcome = aac("play", "--backend", "null", "--device", "speaker", path)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("speaker") && outcome.errors.contains("null (null)"))
  }

  @Test func interrupted() throws {
    let folder = try Folder()
    let path = try folder.tone("a.wav", frames: 441_000)
    let cancellation = Cancellation()
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: 0.5)
      cancellation.cancel()
    }
    let start = ContinuousClock.now
    #expect(aac("play", "--backend", "null", path, cancellation: cancellation).status == 130)
    #expect(ContinuousClock.now - start < .seconds(3))
  }

  @Test func isListed() {
    #expect(aac("--help").text.contains("  play "))
    #expect(aac("help", "play").text.contains("--volume FACTOR"))
  }
}
