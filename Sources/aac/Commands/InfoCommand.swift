import AAC
import AACContainers
import AACKit
import AudioFiles
import PCM

private enum Options {
  static let frames = CommandOption(
    "--frames", help: "a line (with --json an object) for each frame instead: size, windows, tools")
}

extension Command {
  static let info = Command(
    name: "info", summary: "tell what an AAC file is", operands: "IN",
    details: """
      Reads the whole file. A damaged one is told of as far as it was understood, with exit status 1.
      """,
    options: [SharedOptions.json, Options.frames, TrackOption.track],
    run: runInfo)
}

private func runInfo(_ arguments: ParsedArguments, _ console: Console) throws -> Int32 {
  let path = try arguments.operands("IN")[0]
  let asJSON = arguments.has(SharedOptions.json)
  let listsFrames = arguments.has(Options.frames)
  let track = try TrackOption.number(arguments)
  let source = try Inputs.openSource(path, console)
  var lines: [String] = []
  let inspection = try Inspection(
    source, track: track, path: Inputs.name(path), cancellation: console.cancellation
  ) { (frame) throws(AACKitError) in
    guard listsFrames else { return }
    lines.append(asJSON ? frame.json.line : frame.line)
    guard lines.count >= 256 else { return }
    do throws(AudioFileError) {
      try console.print(lines.joined(separator: "\n"))
    } catch { throw AACKitError(.audioFile(error)) }
    lines.removeAll(keepingCapacity: true)
  }
  if !lines.isEmpty { try console.print(lines.joined(separator: "\n")) }
  if !listsFrames {
    try console.print(asJSON ? inspection.json.pretty : inspection.text(Inputs.name(path)))
  }
  return inspection.isDamaged ? ExitStatus.failed : ExitStatus.done
}

extension Inspection {
  var json: JSON {
    .object([
      (key: "container", value: .string(info.container.rawValue)),
      (key: "track", value: .integer(info.track)), (key: "tracks", value: info.tracks.json),
      (key: "objectType", value: .string(objectType)),
      (key: "signalling", value: .string(signalling)),
      (key: "mpegVersion", value: .integer(info.isMPEG2 ? 2 : 4)),
      (key: "sampleRate", value: .integer(sampleRate)),
      (key: "coreSampleRate", value: .integer(coreSampleRate)),
      (key: "channels", value: .integer(layout.channelCount)),
      (key: "layout", value: .string(layout.name)),
      (key: "frames", value: .integer(frames)),
      (key: "frameLength", value: .integer(frameLength)),
      (key: "duration", value: .number(duration)),
      (key: "samples", value: .integer(samples)),
      (key: "priming", value: .integer(priming)),
      (key: "padding", value: .integer(padding)),
      (key: "delaySource", value: .string(info.delaySource.rawValue)),
      (key: "bitRate", value: .number(bitRate.rounded())),
      (key: "peakBitRate", value: .number(peakBitRate.rounded())),
      (key: "declaredBitRate", value: .optional(info.declaredBitRate)),
      (key: "bytes", value: .integer(byteCount)),
      (key: "smallestFrame", value: .integer(smallestFrame)),
      (key: "largestFrame", value: .integer(largestFrame)),
      (key: "checksums", value: .bool(info.hasChecksums)),
      (key: "dynamicRange", value: dynamicRange?.json ?? .null),
      (key: "downmix", value: matrixMixdown?.json ?? .null),
      (key: "tags", value: info.tags.json),
      (key: "artwork", value: info.tags.artworkJSON),
      (key: "chapters", value: info.chapters.json),
      (key: "warnings", value: .strings(warnings)),
    ])
  }

  func text(_ name: String) -> String {
    var rows: [(String, String)] = [
      ("file", name),
      (
        "container",
        info.container.name + (info.isMPEG2 ? ", MPEG-2" : "") + (info.hasChecksums ? ", checksums" : "")
      ),
      ("object type", objectType + (signalling == "none" ? "" : " (signalling: \(signalling))")),
      (
        "sample rate",
        "\(sampleRate) Hz" + (coreSampleRate == sampleRate ? "" : ", core \(coreSampleRate) Hz")
      ),
      ("channels", "\(layout.channelCount) (\(layout.name))"),
      ("duration", "\(Numbers.time(duration)) (\(samples) samples)"),
      ("trimmed", "\(priming) in front, \(padding) behind (\(info.delaySource.rawValue))"),
      ("frames", "\(frames) of \(frameLength) samples, \(smallestFrame) to \(largestFrame) bytes"),
      ("bit rate", "\(Numbers.bitRate(bitRate)), at most \(Numbers.bitRate(peakBitRate)) over a second"),
    ]
    if let dynamicRange { rows.append(("dynamic range", dynamicRange.text)) }
    if let matrixMixdown { rows.append(("downmix", matrixMixdown.text)) }
    rows += info.tracks.rows(read: info.track) + info.tags.rows + info.chapters.rows
    rows += warnings.map { ("warning", $0) }
    return Rows.text(rows)
  }
}

extension Inspection.DynamicRange {
  fileprivate var json: JSON {
    .object([
      (key: "frames", value: .integer(frames)),
      (key: "programReferenceLevel", value: .optional(programReferenceLevel)),
      (key: "smallestGain", value: .number(smallestGain)),
      (key: "largestGain", value: .number(largestGain)),
    ])
  }

  fileprivate var text: String {
    let level = programReferenceLevel.map { "reference level \(Numbers.fixed($0, 2)) dB, " } ?? ""
    return level + "gains \(Numbers.fixed(smallestGain, 2)) to \(Numbers.fixed(largestGain, 2)) dB"
      + " in \(frames) frames"
  }
}

extension ProgramConfig.MatrixMixdown {
  fileprivate var json: JSON {
    .object([
      (key: "matrixIndex", value: .integer(index)),
      (key: "surroundGain", value: .number(Double(surroundGain))),
      (key: "pseudoSurround", value: .bool(pseudoSurround)),
    ])
  }

  fileprivate var text: String {
    "matrix \(index) of the stream, surrounds times \(Numbers.fixed(Double(surroundGain), 4))"
      + (pseudoSurround ? ", for matrix decoders" : "")
  }
}

extension Inspection.Frame {
  var json: JSON {
    var members: [(key: String, value: JSON)] = [
      (key: "index", value: .integer(index)), (key: "time", value: .integer(packet.presentationTime)),
      (key: "size", value: .integer(packet.data.count)), (key: "duration", value: .integer(packet.duration)),
      (key: "priming", value: .integer(packet.priming)), (key: "padding", value: .integer(packet.padding)),
    ]
    if let summary {
      members += [
        (key: "elements", value: .strings(summary.elements)),
        (key: "windows", value: .strings(summary.channels.map { Self.name($0.windowSequence) })),
        (key: "shapes", value: .strings(summary.channels.map { $0.windowShape == .sine ? "sine" : "kbd" })),
        (key: "maxBand", value: .array(summary.channels.map { .integer($0.maxBand) })),
        (key: "globalGain", value: .array(summary.channels.map { .integer($0.globalGain) })),
        (key: "tools", value: .strings(Self.tools(summary))),
      ]
    }
    if let fault { members.append((key: "fault", value: .string(fault))) }
    return .object(members)
  }

  var line: String {
    var text = "\(index)  \(packet.data.count) bytes"
    if packet.priming > 0 || packet.padding > 0 { text += "  trim \(packet.priming)+\(packet.padding)" }
    if let summary {
      let windows = summary.channels.map { Self.name($0.windowSequence) }
      let same = windows.allSatisfy { $0 == windows.first }
      text += "  \(summary.elements.joined(separator: "+"))"
      text += "  \(same ? windows.first ?? "" : windows.joined(separator: ","))"
      let tools = Self.tools(summary)
      if !tools.isEmpty { text += "  \(tools.joined(separator: " "))" }
    }
    if let fault { text += "  damaged: \(fault)" }
    return text
  }

  private static func tools(_ summary: AccessUnitSummary) -> [String] {
    AccessUnitSummary.Tool.allCases.filter(summary.tools.contains).map { tool in
      switch tool {
      case .midSide: "ms"
      case .intensity: "is"
      case .noiseSubstitution: "pns"
      case .temporalNoiseShaping: "tns"
      case .pulses: "pulse"
      case .coupling: "coupling"
      case .dynamicRange: "drc"
      case .spectralBandReplication: "sbr"
      case .prediction: "pred"
      case .longTermPrediction: "ltp"
      }
    }
  }

  private static func name(_ sequence: WindowSequence) -> String {
    switch sequence {
    case .onlyLong: "long"
    case .longStart: "start"
    case .eightShort: "short"
    case .longStop: "stop"
    }
  }
}
