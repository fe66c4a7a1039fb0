/// What sound files without AAC say of themselves: the comments and pictures of FLAC, and the ID3 tag that stands in a
/// chunk of WAV and AIFF files.
public enum SoundFileTags {
  /// Tags and pictures; none where the file is of another kind. Faults end the reading, what came before them counts.
  ///
  /// - Parameter source: a file that can be rewound.
  /// - Throws: `system` where the source cannot be read.
  public static func read(_ source: any ByteSource) throws(ContainerError) -> Tags {
    let window = ByteWindow(source)
    var tags = Tags()
    do {
      switch try window.number(4, at: 0) {
      case 0x664C_6143: try FLACTags.read(in: window, into: &tags)  // "fLaC"
      case 0x5249_4646, 0x5246_3634:  // "RIFF", "RF64"
        try ChunkedTags.read(in: window, isBigEndian: false, into: &tags)
      case 0x464F_524D: try ChunkedTags.read(in: window, isBigEndian: true, into: &tags)  // "FORM"
      default: break
      }
    } catch {
      if case .system = error.reason { throw error }
    }
    return tags
  }
}
