import AACContainers
import Foundation
import PCM
import Testing

@testable import AACCommand

/// LOAS through the command; transport streams as far as they are refused for outputs.
@Suite struct LOASCommandTests {
  @Test func encodesAndRemuxes() throws {
    let folder = try Folder()
    // A second of a tone as signed 16-bit samples.
    var samples: [UInt8] = []
    for frame in 0..<44100 {
      let value = Int16(8000 * sin(Double(frame) * 0.06))
      for _ in 0..<2 {
        samples += [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
      }
    }
    for (name, options) in [("x.loas", []), ("x.latm", []), ("x.bin", ["-f", "loas"])] as [(String, [String])]
    {
      let encoded = aac(
        ["encode", "-", folder.file(name), "--raw-input", "s16le,44100,2"] + options, input: samples)
      #expect(encoded.status == 0, "\(encoded.errors)")
      let json = try aac("info", "--json", folder.file(name)).json()
      #expect(json["container"] as? String == "loas")
      #expect(json["frames"] as? Int == 45 || json["frames"] as? Int == 46, "\(json)")
      #expect(json["warnings"] as? [String] == [])
    }
    #expect(aac("remux", folder.file("x.loas"), folder.file("y.m4a")).status == 0)
    #expect(aac("remux", folder.file("y.m4a"), folder.file("z.loas")).status == 0)
    #expect(try folder.read("z.loas") == folder.read("x.loas"))
    let piped = aac("remux", folder.file("y.m4a"), "-", "-f", "loas")
    #expect(try piped.data == folder.read("x.loas"))
    let decoded = aac("decode", folder.file("x.loas"), "-", "-f", "s16le")
    let original = aac("decode", folder.file("y.m4a"), "-", "-f", "s16le", "--no-trim")
    #expect(decoded.status == 0 && decoded.data == original.data && decoded.data.count >= 45 * 4096)
  }

  @Test(arguments: ["x.m2ts", "x.mpg", "x.flv"]) func someAreOnlyRead(name: String) {
    for command in ["encode", "remux"] {
      let outcome = aac(command, "a.m4a", name)
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains("s are read, but not written"))
    }
    #expect(aac("remux", "a.m4a", "b.x", "-f", "flv").status == 2)
  }
}
