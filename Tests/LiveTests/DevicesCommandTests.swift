import Foundation
import TestServers
import Testing

/// The program itself against a real server.
@Suite("aac devices")
struct DevicesCommandTests {
  private static func run(_ arguments: [String], _ server: AudioServer) throws -> String {
    let folder = URL(filePath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent()
    let process = Process()
    process.executableURL = folder.appending(path: "aac")
    process.arguments = arguments
    var environment = ProcessInfo.processInfo.environment
    environment["PULSE_SERVER"] = server.address
    environment["HOME"] = server.directory
    environment["PULSE_COOKIE"] = server.directory + "/state/cookie"
    process.environment = environment
    let output = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: data, as: UTF8.self)
  }

  @Test("lists both outputs and their monitors, with the defaults")
  func listsTheServer() throws {
    let server = try AudioServer.shared.get()
    let text = try Self.run(["devices", "--json"], server)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(object["backend"] as? String == "pulse")
    let devices = try #require(object["devices"] as? [[String: Any]])
    func device(_ id: String) throws -> [String: Any] {
      try #require(devices.first { $0["id"] as? String == id }, "\(id) in \(text)")
    }
    for (id, direction, rate, isDefault) in [
      ("aacnull", "output", 48000, true), ("aacalt", "output", 44100, false),
      ("aacnull.monitor", "input", 48000, true), ("aacalt.monitor", "input", 44100, false),
    ] {
      let device = try device(id)
      #expect(device["direction"] as? String == direction)
      #expect(device["sampleRate"] as? Int == rate)
      #expect(device["channels"] as? Int == 2 && device["layout"] as? String == "stereo")
      #expect(device["default"] as? Bool == isDefault, "\(id)")
      #expect(device["monitor"] as? Bool == id.hasSuffix(".monitor"), "\(id)")
    }
    #expect(try device("aacnull")["name"] as? String == "AACNull")
    let table = try Self.run(["devices"], server)
    #expect(table.contains("* aacnull ") && table.contains("  aacalt "), "\(table)")
  }
}
