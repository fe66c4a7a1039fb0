import AACContainers

/// Where a recording goes.
public struct RecordingTarget: Sendable, Hashable {
  enum Kind: Hashable {
    case file(path: String, replacing: Bool)
    case descriptor(Int32)
  }

  let kind: Kind

  /// A file that grows in place and can be played whatever happens. The container follows the name.
  ///
  /// Where the recording is split the files are called `NAME-001.m4a` and so on, from the first number that is free.
  public static func file(_ path: String, replacing: Bool = false) -> RecordingTarget {
    RecordingTarget(kind: .file(path: path, replacing: replacing))
  }

  /// An open pipe or file, which stays open. MP4 is written in fragments.
  public static func descriptor(_ number: Int32) -> RecordingTarget {
    RecordingTarget(kind: .descriptor(number))
  }

  /// What the name of the file tells of the container.
  var container: ContainerFormat? {
    if case .file(let path, _) = kind { Transcoder.container(for: path) } else { nil }
  }

  /// The path of a file of a recording that is split.
  static func numbered(_ path: String, _ number: Int) -> String {
    let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let name = path[slash...]
    let dot = name.lastIndex(of: ".").flatMap { $0 == name.startIndex ? nil : $0 } ?? path.endIndex
    let digits = String(number)
    return path[..<dot] + "-" + String(repeating: "0", count: max(0, 3 - digits.count)) + digits
      + path[dot...]
  }
}
