import AACContainers
import Foundation
import PCM
import Testing

@testable import AACCommand

@Suite struct InfoTests {
  @Test func fieldsOfTheContract() throws {
    let folder = try Folder()
    try folder.silence(
      "x.m4a", frames: 5000, layout: .surround51, rate: 48000, tags: Tags([("title", "Nothing \"at all\"")]))
    let outcome = aac("info", "--json", folder.file("x.m4a"))
    #expect(outcome.status == 0)
    let json = try outcome.json()
    #expect(json["container"] as? String == "m4a")
    #expect(json["objectType"] as? String == "LC")
    #expect(json["signalling"] as? String == "none")
    #expect(json["sampleRate"] as? Int == 48000)
    #expect(json["coreSampleRate"] as? Int == 48000)
    #expect(json["channels"] as? Int == 6)
    #expect(json["layout"] as? String == "5.1")
    #expect(json["frames"] as? Int == 6)
    #expect(json["frameLength"] as? Int == 1024)
    #expect(json["samples"] as? Int == 5000)
    #expect(json["priming"] as? Int == 1024)
    #expect(json["padding"] as? Int == 120)
    #expect(abs((json["duration"] as? Double ?? 0) - 5000.0 / 48000) < 1e-9)
    #expect((json["bitRate"] as? Double ?? 0) > 0)
    #expect((json["tags"] as? [String: String])?["title"] == "Nothing \"at all\"")
    #expect((json["warnings"] as? [String]) == [])
  }

  @Test func text() throws {
    let folder = try Folder()
    try folder.silence("x.aac", frames: 2000, layout: .mono, rate: 22050)
    let outcome = aac("info", folder.file("x.aac"))
    #expect(outcome.status == 0)
    for words in ["ADTS", "LC", "22050 Hz", "1 (mono)", "3 of 1024 samples"] {
      #expect(outcome.text.contains(words), "\(outcome.text)")
    }
  }

  @Test func frames() throws {
    let folder = try Folder()
    try folder.silence("x.m4a", frames: 2000)
    let lines = aac("info", "--frames", folder.file("x.m4a")).text.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[0].contains("CPE") && lines[0].contains("long") && lines[0].contains("trim 1024+0"))
    let objects = try aac("info", "--frames", "--json", folder.file("x.m4a")).text.split(separator: "\n").map
    {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
    #expect(objects.count == 3)
    #expect(objects[2]?["padding"] as? Int == 48)
    #expect(objects[2]?["windows"] as? [String] == ["long", "long"])
  }

  @Test func pipes() throws {
    let folder = try Folder()
    try folder.silence("x.m4a", frames: 2000)
    let outcome = aac("info", "--json", "-", input: try folder.read("x.m4a"))
    #expect(try outcome.json()["samples"] as? Int == 2000)
  }

  @Test("B068") func codecs() throws {
    let outcome = aac("codecs", "--json")
    #expect(outcome.status == 0)
    let decoders = try outcome.json()["decoders"] as? [[String: Any]]
    #expect(decoders?.contains { $0["objectType"] as? String == "LC" } == true)
    #expect((decoders?.first?["sampleRates"] as? [Int])?.count == 13)
    let lowDelay = decoders?.first { $0["objectType"] as? String == "ELD" }
    #expect(lowDelay?["frameLengths"] as? [Int] == [512, 480])
    #expect(lowDelay?["extensions"] as? [String] == ["LD-SBR"])
    #expect(aac("codecs").text.contains("decode  LC"))
  }
}

@Suite struct RemuxTests {
  @Test func containersAndBack() throws {
    let folder = try Folder()
    try folder.silence("x.m4a", frames: 5000, tags: Tags([("title", "One")]))
    let reference = aac("decode", "-f", "s16le", folder.file("x.m4a"), "-").data
    for name in ["y.aac", "y.adif", "y.mp4", "y.raw"] {
      let outcome = aac("remux", folder.file("x.m4a"), folder.file(name))
      #expect(outcome.status == 0, "\(outcome.errors)")
      let info = try aac("info", "--json", folder.file(name)).json()
      #expect(info["frames"] as? Int == 6, "\(name)")
    }
    #expect(folder.names.contains("y.raw.json"))
    for name in ["y.mp4", "y.raw"] {
      #expect(aac("decode", "-f", "s16le", folder.file(name), "-").data == reference)
      let info = try aac("info", "--json", folder.file(name)).json()
      #expect((info["tags"] as? [String: String])?["title"] == "One")
    }
  }

  @Test("B140") func fragmentedAndPipes() throws {
    let folder = try Folder()
    try folder.silence("x.m4a", frames: 5000)
    let outcome = aac("remux", folder.file("x.m4a"), "-")
    #expect(outcome.status == 0)
    try folder.write(outcome.data, to: "y.mp4")
    #expect(aac("remux", "--fragmented", folder.file("x.m4a"), folder.file("z.mp4")).status == 0)
    for name in ["y.mp4", "z.mp4"] {
      let info = try aac("info", "--json", folder.file(name)).json()
      #expect(info["container"] as? String == "fmp4")
      #expect(info["samples"] as? Int == 5000)
    }
    let adts = aac("remux", "-f", "adts", "-", "-", input: outcome.data)
    #expect(adts.status == 0)
    #expect(adts.data.prefix(2) == [0xFF, 0xF1])
  }

  @Test func tags() throws {
    let folder = try Folder()
    try folder.silence("x.m4a", frames: 500, tags: Tags([("title", "One"), ("artist", "Two")]))
    let outcome = aac(
      "remux", "--tag", "title=Three", "--tag", "artist=", "--tag", "album=Four", folder.file("x.m4a"),
      folder.file("y.m4a"))
    #expect(outcome.status == 0)
    let tags = try aac("info", "--json", folder.file("y.m4a")).json()["tags"] as? [String: String]
    #expect(tags?["title"] == "Three")
    #expect(tags?["artist"] == nil)
    #expect(tags?["album"] == "Four")
    #expect(
      aac("remux", "--tag", "title=x", folder.file("x.m4a"), folder.file("z.aac")).errors.contains(
        "holds no tags"))
  }

  @Test func checksums() throws {
    let folder = try Folder()
    try folder.silence("x.m4a", frames: 5000)
    #expect(aac("remux", "--crc", folder.file("x.m4a"), folder.file("y.aac")).status == 0)
    let info = try aac("info", "--json", folder.file("y.aac")).json()
    #expect(info["checksums"] as? Bool == true)
    #expect((info["warnings"] as? [String]) == [])
  }
}

@Suite struct CompareTests {
  @Test func equalFiles() throws {
    let folder = try Folder()
    let path = try folder.tone("a.wav", frames: 5000)
    let json = try aac("compare", "--json", path, path).json()
    #expect(json["equal"] as? Bool == true)
    #expect(json["offset"] as? Int == 0)
    #expect(json["snr"] is NSNull)
    #expect(aac("compare", path, path, "--max", "0").status == 0)
  }

  @Test func limits() throws {
    let folder = try Folder()
    let first = try folder.tone("a.wav", frames: 5000, level: 0.4)
    let second = try folder.tone("b.wav", frames: 5000, level: 0.41)
    #expect(aac("compare", first, second, "--max", "0.02").status == 0)
    let outcome = aac("compare", first, second, "--max", "0.005")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("above the allowed 0.005"))
  }

  @Test func otherFormats() throws {
    let folder = try Folder()
    let stereo = try folder.tone("a.wav", frames: 500)
    let mono = try folder.tone("b.wav", frames: 500, layout: .mono)
    let fast = try folder.tone("c.wav", frames: 500, rate: 48000)
    #expect(aac("compare", stereo, mono).errors.contains("2 and 1 channels"))
    #expect(aac("compare", stereo, fast).errors.contains("44100 and 48000 Hz"))
    #expect(aac("compare", stereo, fast).status == 1)
  }
}
