import AAC
import AACKit

/// How sound is encoded: options that encode and record share.
enum EncodingOptions {
  static let bitRate = CommandOption(
    "-b", "--bitrate", takes: "RATE", help: "constant bit rate, as 128k or 128000")
  static let average = CommandOption("--abr", takes: "RATE", help: "average bit rate")
  static let quality = CommandOption(
    "-V", "--vbr", takes: "1…5", help: "constant quality, 1 (smallest) to 5 (best)")
  static let profile = CommandOption(
    "--profile", takes: "lc|auto", help: "the object type; he and hev2 come with a later version")
  static let effort = CommandOption(
    "--quality", takes: "LEVEL", help: "speed against care: min, low, medium, high (usual) or max")
  static let rate = CommandOption("--rate", takes: "HZ", help: "convert to this sampling rate first")
  static let channels = CommandOption("--channels", takes: "N", help: "mix to 1 to 8 channels first")
  static let bandwidth = CommandOption(
    "--bandwidth", takes: "HZ", help: "upper band edge; usually chosen by the bit rate")
  static let switches: [(option: CommandOption, tool: EncoderSettings.Tools)] = [
    (CommandOption("--no-tns", help: "without temporal noise shaping"), .temporalNoiseShaping),
    (CommandOption("--no-ms", help: "without middle/side stereo"), .midSide),
    (CommandOption("--no-pns", help: "without noise substitution"), .noiseSubstitution),
    (CommandOption("--no-is", help: "without intensity stereo"), .intensity),
    (CommandOption("--no-short", help: "without short blocks"), .shortBlocks),
  ]
  static let mpeg2 = CommandOption("--mpeg2", help: "write MPEG-2 AAC, which has no noise substitution")

  static let all =
    [bitRate, average, quality, profile, effort, rate, channels, bandwidth] + switches.map(\.option) + [mpeg2]

  static func options(_ arguments: ParsedArguments) throws -> EncodeOptions {
    var options = EncodeOptions()
    let given = [bitRate, average, quality].filter { arguments.has($0) }
    if given.count > 1 { throw UsageError("\(given[0].name) and \(given[1].name) exclude each other") }
    if let rate = try arguments.bitRate(bitRate) { options.rate = .constant(rate) }
    if let rate = try arguments.bitRate(average) { options.rate = .average(rate) }
    if let quality = try arguments.integer(quality, in: 1...5) { options.rate = .quality(quality) }
    let profiles = ["lc", "he", "hev2", "auto"].map { (name: $0, value: $0) }
    if let name = try arguments.choice(profile, profiles), name.hasPrefix("he") {
      throw UsageError.value(
        profile.name, name, "HE-AAC is not encoded by this version yet; choose lc or auto")
    }
    let efforts = EncoderSettings.Effort.allCases.map { (name: "\($0)", value: $0) }
    options.effort = try arguments.choice(effort, efforts) ?? .high
    options.sampleRate = try arguments.integer(rate, in: 1...0xFF_FFFF)
    options.channelCount = try arguments.integer(channels, in: 1...8)
    options.bandwidth = try arguments.integer(bandwidth, in: 1...96000)
    for (option, tool) in switches where arguments.has(option) { options.tools.remove(tool) }
    options.output.mpeg2 = arguments.has(mpeg2)
    options.output.checksums = arguments.has(ContainerOptions.checksum)
    options.output.fragmentSeconds = try ContainerOptions.fragmentSeconds(arguments)
    options.output.tags = try MetadataOptions.tags(arguments)
    return options
  }
}
