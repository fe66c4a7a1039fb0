import AudioDevices
import Foundation
import PCM
import Testing

@testable import AACCommand

@Suite struct DevicesCommandTests {
  @Test func nullBackend() throws {
    let outcome = aac("devices", "--json", "--backend", "null")
    #expect(outcome.status == 0)
    #expect(outcome.errors.isEmpty)
    let object = try outcome.json()
    #expect(object["backend"] as? String == "null")
    let devices = try #require(object["devices"] as? [[String: Any]])
    #expect(devices.map { $0["id"] as? String } == ["null", "null"])
    #expect(devices.map { $0["direction"] as? String } == ["input", "output"])
    for device in devices {
      #expect(device["default"] as? Bool == true && device["monitor"] as? Bool == false)
      #expect(device["sampleRate"] as? Int == 48000 && device["channels"] as? Int == 2)
      #expect(device["layout"] as? String == "stereo")
      #expect((device["name"] as? String)?.isEmpty == false)
    }
    let backends = try #require(object["backends"] as? [[String: Any]])
    #expect(backends.compactMap { $0["name"] as? String } == AudioBackends.standard.names)
    let null = try #require(backends.first { $0["name"] as? String == "null" })
    #expect(null["available"] as? Bool == true && null["reason"] is NSNull)

    let text = aac("devices", "--backend", "null").text
    #expect(text.contains("inputs of null") && text.contains("outputs of null"), "\(text)")
    #expect(text.contains("* null") && text.contains("48000 Hz") && text.contains("stereo"), "\(text)")
  }

  /// A process of its own, because the way to a server is in the environment.
  private static func run(_ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
    let folder = URL(filePath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent()
    let process = Process()
    process.executableURL = folder.appending(path: "aac")
    process.arguments = arguments
    var environment = ProcessInfo.processInfo.environment
    environment["PULSE_SERVER"] = "unix:/nonexistent/native"
    process.environment = environment
    let (output, errors) = (Pipe(), Pipe())
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    let words = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (
      process.terminationStatus, String(decoding: data, as: UTF8.self), String(decoding: words, as: UTF8.self)
    )
  }

  @Test func noServer() throws {
    let plain = try Self.run(["devices"])
    #expect(plain.status == 1)
    #expect(plain.output.isEmpty)
    #expect(plain.errors.contains("no audio server answers"), "\(plain.errors)")
    #expect(plain.errors.contains("null"), "\(plain.errors)")
    let json = try Self.run(["devices", "--json"])
    #expect(json.status == 1)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    #expect(object["backend"] is NSNull)
    #expect((object["devices"] as? [Any])?.isEmpty == true)
    let pulse = (object["backends"] as? [[String: Any]])?.first { $0["name"] as? String == "pulse" }
    #expect(pulse?["available"] as? Bool == false)
    #expect((pulse?["reason"] as? String)?.contains("no audio server") == true)
    // What needs no server is there, and tells why the other is not.
    let null = try Self.run(["devices", "--backend", "null"])
    #expect(null.status == 0)
    #expect(null.output.contains("backend pulse: no audio server answers"), "\(null.output)")
  }

  // MARK: Choosing

  private static let devices: [DeviceInfo] = {
    let format = PCMFormat(sampleRate: 48000, layout: .stereo)
    return [
      DeviceInfo(id: "mic.one", name: "Headset", direction: .input, format: format, isDefault: true),
      DeviceInfo(id: "out.one", name: "Headset", direction: .output, format: format),
      DeviceInfo(id: "out.one.hdmi", name: "Screen", direction: .output, format: format),
      DeviceInfo(id: "out.two", name: "Loudspeaker", direction: .output, format: format),
    ]
  }()

  private static func choose(_ text: String?, _ direction: DeviceDirection) throws -> String? {
    let arguments = try ParsedArguments(
      text.map { ["--device", $0] } ?? [], options: [DeviceOptions.device])
    return try DeviceOptions.device(arguments, direction, among: devices)?.id
  }

  @Test func devicesByIdOrPart() throws {
    #expect(try Self.choose(nil, .output) == nil)
    #expect(try Self.choose("out.one", .output) == "out.one", "an exact id wins over longer ones")
    #expect(try Self.choose("Headset", .output) == "out.one")
    #expect(try Self.choose("Headset", .input) == "mic.one")
    #expect(try Self.choose("LOUD", .output) == "out.two")
    #expect(try Self.choose("hdmi", .output) == "out.one.hdmi")
    let unclear = #expect(throws: UsageError.self) { _ = try Self.choose("one", .output) }
    for word in ["several fit", "out.one (Headset)", "out.one.hdmi (Screen)"] {
      #expect(unclear?.description.contains(word) == true, "\(String(describing: unclear))")
    }
    #expect(unclear?.description.contains("mic.one") == false)
    for text in ["mic", ""] {
      let missing = #expect(throws: AudioDeviceError.self) { _ = try Self.choose(text, .output) }
      #expect(missing?.advice?.contains("out.two (Loudspeaker)") == true, "\(String(describing: missing))")
      #expect(missing?.advice?.contains("mic.one") == false)
    }
  }
}
