import AACContainers
import FuzzSupport

private let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0]

/// An ID3 tag with a text and a picture.
private let id3: [UInt8] = {
  let picture = [0] + Array("image/png".utf8) + [0, 3, 0] + png
  let frames =
    Array("TIT2".utf8) + [0, 0, 0, 3, 0, 0, 1, 0x41, 0] + Array("APIC".utf8)
    + [0, 0, 0, UInt8(picture.count), 0, 0] + picture
  return Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, UInt8(frames.count)] + frames
}()

private let files: [[UInt8]] = {
  let comment = Array("TITLE=A".utf8)
  let comments = [0, 0, 0, 0, 1, 0, 0, 0, UInt8(comment.count), 0, 0, 0] + comment
  let picture = [UInt8](repeating: 0, count: 31) + [UInt8(png.count)] + png
  return [
    Array("fLaC".utf8) + [4, 0, 0, UInt8(comments.count)] + comments + [0x86, 0, 0, UInt8(picture.count)]
      + picture,
    Array("RIFF\0\0\0\0WAVEdata".utf8) + [2, 0, 0, 0, 1, 1] + Array("id3 ".utf8) + [
      UInt8(id3.count), 0, 0, 0,
    ] + id3,
    Array("FORM\0\0\0\0AIFFSSND".utf8) + [0, 0, 0, 2, 1, 1] + Array("ID3 ".utf8) + [
      0, 0, 0, UInt8(id3.count),
    ] + id3,
  ]
}()

/// Sound files of any content: the first byte says whether the rest is the file or edits of a good one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSoundFileTags(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 1 else { return 0 }
  let bytes = data.copied(count)
  let rest = bytes.dropFirst()
  let choice = Int(bytes[0] % 4)
  let file = choice < files.count ? edited(files[choice], by: rest) : Array(rest)
  _ = try? SoundFileTags.read(WatchedSource(file))
  return 0
}
