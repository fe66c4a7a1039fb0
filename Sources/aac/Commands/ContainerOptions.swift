import AACContainers
import AACKit

/// Options on the container that encode and remux share.
enum ContainerOptions {
  static let format = CommandOption(
    "-f", "--format", takes: "FORMAT",
    help: "the container whatever OUT is called: \(UsageError.list(ContainerFormat.outputs.map(\.rawValue)))"
  )
  static let fragmentDuration = CommandOption(
    "--fragment-duration", takes: "SECONDS",
    help: "MP4 in fragments: how long they are, 0.02 to 60 (usually about 1)")
  static let checksum = CommandOption("--crc", help: "ADTS: add a checksum to each frame")

  /// The container of an output by `-f` or by its name; a pipe gets fragmented MP4.
  static func container(_ arguments: ParsedArguments, output: String) throws(UsageError) -> ContainerFormat {
    let choices = ContainerFormat.outputs.map { (name: $0.rawValue, value: $0) }
    if let format = try arguments.choice(format, choices) {
      return format == .m4a && output == "-" ? .fmp4 : format
    }
    if output == "-" { return .fmp4 }
    let tail = Paths.fileExtension(output)
    if let type = ContainerFormat(fileExtension: tail) {
      // Other names stand for transport streams of other packet sizes or with pictures.
      guard ContainerFormat.outputs.contains(type), type != .ts || tail.lowercased() == "ts" else {
        throw UsageError("\(type.name)s are read, but not written: choose another name than '\(output)'")
      }
      return type
    }
    // Devices have no extension to go by.
    if output.hasPrefix("/dev/") { return .adts }
    throw UsageError(
      "the name '\(output)' does not tell the container: use .m4a, .mp4, .m4b, .aac, .adif, .loas, .latm, .ts or "
        + ".raw, or name it with -f")
  }

  /// How long fragments are to be, in seconds.
  static func fragmentSeconds(_ arguments: ParsedArguments) throws(UsageError) -> Double? {
    guard let seconds = try arguments.number(fragmentDuration) else { return nil }
    let range = FragmentedMP4Writer.fragmentSeconds
    guard range.contains(seconds) else {
      throw .value(
        fragmentDuration.name, arguments.string(fragmentDuration) ?? "",
        "give seconds, \(range.lowerBound) to \(Int(range.upperBound))")
    }
    return seconds
  }

  /// Refuses what the container cannot do, and remarks on what it cannot hold.
  static func check(
    _ output: PacketOutput, _ arguments: ParsedArguments, _ console: Console
  ) throws(UsageError) {
    if output.checksums, ![.adts, .ts].contains(output.container) {
      throw UsageError("\(checksum.name) is for ADTS only: name OUT .aac or .ts, or use -f adts")
    }
    if output.fragmentSeconds != nil, output.container != .fmp4 {
      throw UsageError("\(fragmentDuration.name) is for MP4 in fragments only: use -f fmp4")
    }
    let holdsTags = [.m4a, .fmp4, .raw].contains(output.container)
    guard !holdsTags, !arguments.has(SharedOptions.quiet) else { return }
    if !output.tags.isEmpty { console.say("aac: \(output.container.name) holds no tags: they are left out") }
    if !output.chapters.isEmpty {
      console.say("aac: \(output.container.name) holds no chapters: they are left out")
    }
  }
}

/// Parts of file names.
enum Paths {
  /// Without its dot; empty where there is none.
  static func fileExtension(_ path: String) -> String {
    let name = lastComponent(path)
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
    return String(name[name.index(after: dot)...])
  }

  static func lastComponent(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  /// The last component without its extension.
  static func stem(_ path: String) -> String {
    let name = lastComponent(path)
    let tail = fileExtension(path)
    return tail.isEmpty ? name : String(name.dropLast(tail.count + 1))
  }
}
