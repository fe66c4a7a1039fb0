import AAC
import AACContainers
import AACKit
import AudioDevices
import AudioFiles
import PCM

extension Command {
  static let codecs = Command(
    name: "codecs", summary: "list what can be encoded and decoded", operands: "",
    details: "Everything is found out by asking the codec, so the list is what this version really does.",
    options: [SharedOptions.json],
    run: runCodecs)
}

private func runCodecs(_ arguments: ParsedArguments, _ console: Console) throws -> Int32 {
  _ = try arguments.operands()
  let capabilities = Capabilities()
  try console.print(arguments.has(SharedOptions.json) ? capabilities.json.pretty : capabilities.text)
  return ExitStatus.done
}

/// What the codec accepts, by trying.
struct Capabilities {
  static let layouts: [ChannelLayout] = [
    .mono, .stereo, .surround30, .surround40, .surround50, .surround51, .surround61, .surround71,
    .surround71Front, .surround512,
  ]
  private static let types: [AudioObjectType] = [
    .lowComplexity, .main, .scalableSampleRate, .longTermPrediction, .errorResilientLowComplexity,
    .lowDelay, .enhancedLowDelay, .unifiedSpeechAndAudio,
  ]

  var decodedTypes: [String] = []
  /// Enhanced low delay with its form of spectral band replication is among them.
  var decodesLowDelaySBR = false
  var decodedRates: [Int] = []
  var decodedLayouts: [ChannelLayout] = []
  var encodedRates: [Int] = []
  var encodedLayouts: [ChannelLayout] = []

  init() {
    for type in Self.types where Self.decodes(type, 44100, .stereo) { decodedTypes.append(type.name) }
    // A header with bs_start_freq 5, bs_stop_freq 9 and nothing else.
    let header = SBRHeaderBits(value: 5 << 11 | 9 << 7, count: 16)
    decodesLowDelaySBR = Self.decodes(.enhancedLowDelay, 22050, .stereo, LowDelaySBRConfig(headers: [header]))
    for rate in AACEncoder.sampleRates {
      if Self.decodes(.lowComplexity, rate, .stereo) { decodedRates.append(rate) }
      if Self.encodes(rate, .stereo) { encodedRates.append(rate) }
    }
    for layout in Self.layouts {
      if Self.decodes(.lowComplexity, 48000, layout) { decodedLayouts.append(layout) }
      if Self.encodes(48000, layout) { encodedLayouts.append(layout) }
    }
  }

  private static func decodes(
    _ type: AudioObjectType, _ rate: Int, _ layout: ChannelLayout, _ lowDelaySBR: LowDelaySBRConfig? = nil
  ) -> Bool {
    guard let rate = try? SamplingRate(rate),
      var configuration = try? AudioSpecificConfig(samplingRate: rate, layout: layout)
    else { return false }
    configuration.objectType = type
    configuration.lowDelaySBR = lowDelaySBR
    return (try? AACDecoder(configuration)) != nil
  }

  private static func encodes(_ rate: Int, _ layout: ChannelLayout) -> Bool {
    let bits = EncodeOptions.standardBitRate(
      sampleRate: rate, channelCount: layout.channelCount,
      lowFrequency: layout.speakers.contains(.lowFrequency))
    let settings = EncoderSettings(sampleRate: rate, layout: layout, rate: .constant(bits))
    return (try? AACEncoder(settings)) != nil
  }
}

extension Capabilities {
  var json: JSON {
    .object([
      (
        key: "encoders",
        value: .array(
          encodedRates.isEmpty
            ? []
            : [
              .object([
                (key: "objectType", value: .string("LC")), (key: "frameLength", value: .integer(1024)),
                (key: "sampleRates", value: .array(encodedRates.map { .integer($0) })),
                (key: "layouts", value: .strings(encodedLayouts.map(\.name))),
                (key: "modes", value: .strings(["constant", "average", "quality"])),
                (
                  key: "bitRatesPerChannel",
                  value: .array(encodedRates.map { rate in Self.bitRates(rate) })
                ),
              ])
            ])
      ),
      (
        key: "decoders",
        value: .array(
          decodedTypes.map { type in
            .object([
              (key: "objectType", value: .string(type)),
              (key: "frameLengths", value: .array(Self.frameLengths(type).map { .integer($0) })),
              (key: "sampleRates", value: .array(decodedRates.map { .integer($0) })),
              (key: "layouts", value: .strings(decodedLayouts.map(\.name))),
              (key: "extensions", value: .strings(extensions(type))),
            ])
          })
      ),
      (key: "containers", value: .strings(ContainerFormat.allCases.map(\.rawValue))),
      (key: "audioFiles", value: .strings(AudioFileType.allCases.map(\.rawValue))),
      (key: "sampleFormats", value: .strings(SampleFormat.allCases.map(\.rawValue))),
      (key: "codecs", value: .strings(CodecKind.available.map(\.rawValue))),
      (key: "backends", value: .strings(AudioBackends.standard.names)),
    ])
  }

  private static func frameLengths(_ type: String) -> [Int] {
    ["LD", "ELD"].contains(type) ? [512, 480] : [1024, 960]
  }

  private func extensions(_ type: String) -> [String] {
    switch type {
    case "LC": ["SBR", "PS"]
    case "ELD" where decodesLowDelaySBR: ["LD-SBR"]
    default: []
    }
  }

  private static func bitRates(_ rate: Int) -> JSON {
    let range = AACEncoder.bitRates(sampleRate: rate, channelCount: 1)
    return .object([
      (key: "sampleRate", value: .integer(rate)), (key: "smallest", value: .integer(range.lowerBound)),
      (key: "usual", value: .integer(EncodeOptions.standardBitRate(sampleRate: rate, channelCount: 1))),
      (key: "largest", value: .integer(range.upperBound)),
    ])
  }

  var text: String {
    func list(_ values: [Int]) -> String { values.map(String.init).joined(separator: " ") }
    var lines: [String] = []
    if !encodedRates.isEmpty {
      lines += [
        "encode  LC, frames of 1024: constant (-b), average (--abr) and quality (-V) rates",
        "        rates    \(list(encodedRates))",
        "        layouts  \(encodedLayouts.map(\.name).joined(separator: " "))",
        "        bit/s a channel: smallest, usual, largest",
      ]
      lines += encodedRates.map { rate in
        let range = AACEncoder.bitRates(sampleRate: rate, channelCount: 1)
        let usual = EncodeOptions.standardBitRate(sampleRate: rate, channelCount: 1)
        return "          at \(rate) Hz: \(range.lowerBound) \(usual) \(range.upperBound)"
      }
    }
    lines += [
      "decode  \(decodedTypes.joined(separator: " ")), frames of 1024 or 960 (LD and ELD: 512 or 480)",
      "        with     SBR and PS (HE-AAC)\(decodesLowDelaySBR ? ", low-delay SBR (ELD)" : "")",
      "        rates    \(list(decodedRates)), and any other that is written out",
      "        layouts  \(decodedLayouts.map(\.name).joined(separator: " ")), and any by a program config element",
      "containers      \(ContainerFormat.outputs.map(\.rawValue).joined(separator: " ")), flv (read only)",
      "PCM files       \(AudioFileType.allCases.map(\.rawValue).joined(separator: " "))",
      "raw samples     \(SampleFormat.names)",
      "codecs          \(CodecKind.available.map(\.rawValue).joined(separator: " "))",
      "audio backends  \(AudioBackends.standard.names.joined(separator: " "))",
    ]
    return lines.joined(separator: "\n")
  }
}
