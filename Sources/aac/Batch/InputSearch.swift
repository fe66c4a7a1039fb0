import AACKit

/// Finds the inputs of a batch: files, folders with all below them, and patterns.
struct InputSearch {
  /// An input, and the folders under the operand in which it was found (`a/b/`).
  struct Found: Equatable {
    var path: String
    var folder: String
  }

  /// What was met and cannot be read.
  struct Refusal: Equatable {
    var path: String
    var reason: String
  }

  private(set) var found: [Found] = []
  private(set) var refusals: [Refusal] = []
  /// Of folders only files with these extensions are taken.
  private let extensions: Set<String>

  init(_ operands: [String], extensions: [String]) throws(UsageError) {
    self.extensions = Set(extensions)
    for operand in operands {
      if operand == "-" { throw UsageError("standard input cannot go to a folder: name the output") }
      let count = found.count + refusals.count
      if Files.isFolder(operand) {
        walk(Self.folder(operand), as: "")
      } else if GlobPattern.isPattern(operand), !Files.exists(operand) {
        expand(operand)
      } else {
        found.append(Found(path: operand, folder: ""))
      }
      if found.count + refusals.count == count {
        refusals.append(Refusal(path: operand, reason: emptiness(operand)))
      }
    }
    // The same file by two operands is one input.
    var seen: Set<[UInt8]> = []
    found = found.filter { seen.insert([UInt8](($0.folder + "\n" + $0.path).utf8)).inserted }
  }

  private func emptiness(_ operand: String) -> String {
    guard Files.isFolder(operand) else { return "no file fits this pattern" }
    return "no sound files in it (\(extensions.sorted().map { "." + $0 }.joined(separator: " ")))"
  }

  private static func folder(_ path: String) -> String { path.hasSuffix("/") ? path : path + "/" }

  /// All files below a folder, whose path ends with a slash. Hidden ones and linked folders are left out.
  private mutating func walk(_ top: String, as relative: String) {
    var pending = [(path: top, relative: relative)]
    while let (path, relative) = pending.popLast() {
      guard let listing = FolderListing(path) else {
        refusals.append(Refusal(path: path, reason: "the folder cannot be read"))
        continue
      }
      refuse(listing.unreadableNames, in: path)
      var folders: [(path: String, relative: String)] = []
      for name in listing.names where !name.hasPrefix(".") {
        if Files.isFolder(path + name) {
          guard !Files.isLink(path + name) else { continue }
          folders.append((path + name + "/", relative + name + "/"))
        } else if extensions.contains(Paths.fileExtension(name).lowercased()) {
          found.append(Found(path: path + name, folder: relative))
        }
      }
      pending += folders.reversed()
    }
  }

  private mutating func refuse(_ names: [String], in folder: String) {
    for name in names {
      refusals.append(Refusal(path: folder + name, reason: "the name is no UTF-8: rename the file"))
    }
  }

  /// Files that a pattern fits, and all below folders that it fits. The folders that it leaves open are kept.
  private mutating func expand(_ pattern: String) {
    let parts = pattern.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
    let fixed = parts.prefix { !GlobPattern.isPattern($0) }
    let start = (pattern.hasPrefix("/") ? "/" : "") + fixed.map { $0 + "/" }.joined()
    var level = [(path: start, relative: "")]
    let open = parts[fixed.count...]
    for (index, part) in open.enumerated() {
      let glob = GlobPattern(part)
      let isLast = index == open.count - 1
      var next: [(path: String, relative: String)] = []
      for (path, relative) in level {
        guard let listing = FolderListing(path) else { continue }
        if isLast { refuse(listing.unreadableNames, in: path) }
        for name in listing.names where glob.matches(name) {
          if Files.isFolder(path + name) {
            next.append((path + name + "/", relative + name + "/"))
          } else if isLast {
            found.append(Found(path: path + name, folder: relative))
          }
        }
      }
      level = next
    }
    for (path, relative) in level { walk(path, as: relative) }
  }
}
