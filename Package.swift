// swift-tools-version: 6.2
import PackageDescription

/// Every module but `DSP`: memory safety is checked by the compiler.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error, .when(configuration: .release)),
]

/// `DSP` holds the kernels: the one codec module with unsafe pointers.
let kernels: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error, .when(configuration: .release)),
]

let package = Package(
  name: "swift-aac",
  products: [
    .library(name: "PCM", targets: ["PCM"]),
    .library(name: "AAC", targets: ["AAC"]),
    .library(name: "AACContainers", targets: ["AACContainers"]),
    .library(name: "AudioFiles", targets: ["AudioFiles"]),
    .library(name: "AudioDevices", targets: ["AudioDevices"]),
    .library(name: "AACStreaming", targets: ["AACStreaming"]),
    .library(name: "AACKit", targets: ["AACKit"]),
    .executable(name: "aac", targets: ["AACCommand"]),
    // For the benchmarks only: no promise is made about its API.
    .library(name: "_DSP", targets: ["DSP"]),
  ],
  targets: [
    .target(name: "PCM", swiftSettings: strict),
    .target(name: "DSP", swiftSettings: kernels),
    .target(name: "AAC", dependencies: ["PCM", "DSP"], swiftSettings: strict),
    .target(name: "AACContainers", dependencies: ["AAC", "PCM"], swiftSettings: strict),
    .systemLibrary(name: "CSndFile", pkgConfig: "sndfile", providers: [.apt(["libsndfile1-dev"])]),
    .systemLibrary(name: "CSoxr", pkgConfig: "soxr", providers: [.apt(["libsoxr-dev"])]),
    .systemLibrary(name: "CEbur128", pkgConfig: "libebur128", providers: [.apt(["libebur128-dev"])]),
    .target(
      name: "AudioFiles", dependencies: ["PCM", "DSP", "CSndFile", "CSoxr", "CEbur128"], swiftSettings: strict
    ),
    // No pkgConfig: its flags are ones that packages may not have, and headers and library are where all look.
    .systemLibrary(name: "CPulse", providers: [.apt(["libpulse-dev"])]),
    // What the live modules share: threads, waking them, a lock.
    .target(name: "Threads", swiftSettings: strict),
    .target(
      name: "AudioDevices",
      dependencies: ["PCM", "Threads", .target(name: "CPulse", condition: .when(platforms: [.linux]))],
      swiftSettings: strict),
    // Swift cannot call libcurl's functions of variable argument lists: a few lines of C give them fixed ones.
    .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl")]),
    .target(
      name: "AACStreaming", dependencies: ["AACContainers", "CCurl", "Threads"], swiftSettings: strict),
    .target(
      name: "AACKit",
      dependencies: [
        "PCM", "AAC", "AACContainers", "AudioFiles", "AudioDevices", "AACStreaming", "Threads",
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "AACCommand",
      dependencies: [
        "AACKit", "AACStreaming", "AudioFiles", "AudioDevices", "AACContainers", "AAC", "PCM",
      ],
      path: "Sources/aac", swiftSettings: strict),
    .executableTarget(
      name: "encode-tone", dependencies: ["AAC", "AACContainers", "PCM"], path: "Examples/EncodeTone",
      swiftSettings: strict),
    .executableTarget(
      name: "decode-mono", dependencies: ["AACKit", "AudioFiles", "PCM"], path: "Examples/DecodeMono",
      swiftSettings: strict),
    .executableTarget(
      name: "demo-piece", dependencies: ["AACKit", "AudioFiles", "PCM"], path: "Examples/DemoPiece",
      swiftSettings: strict),
    .executableTarget(
      name: "encoder-and-decoder", dependencies: ["AACKit"], path: "Examples/EncoderAndDecoder",
      swiftSettings: strict),
    .executableTarget(
      name: "captured-player", dependencies: ["AACKit"], path: "Examples/CapturedPlayer",
      swiftSettings: strict),
    .executableTarget(
      name: "capture-and-encode", dependencies: ["AACKit"], path: "Examples/CaptureAndEncode",
      swiftSettings: strict),
    .executableTarget(
      name: "capture-to-adts", dependencies: ["AACKit"], path: "Examples/CaptureToADTS", swiftSettings: strict
    ),
    .executableTarget(
      name: "long-recording", dependencies: ["AACKit"], path: "Examples/LongRecording", swiftSettings: strict),
    .executableTarget(
      name: "live-latency", dependencies: ["AACKit"], path: "Examples/LiveLatency", swiftSettings: strict),
    .testTarget(name: "PCMTests", dependencies: ["PCM"], swiftSettings: strict),
    .testTarget(name: "DSPTests", dependencies: ["DSP"], swiftSettings: kernels),
    .testTarget(
      name: "AACTests", dependencies: ["AAC", "AACContainers", "PCM", "DSP"], swiftSettings: strict),
    .testTarget(
      name: "AACContainersTests", dependencies: ["AACContainers", "AAC", "PCM"],
      swiftSettings: strict),
    .testTarget(
      name: "AudioFilesTests", dependencies: ["AudioFiles", "PCM"], swiftSettings: strict),
    .target(
      name: "TestServers", dependencies: ["Threads"], path: "Tests/TestServers", swiftSettings: strict),
    .testTarget(
      name: "AACStreamingTests", dependencies: ["AACStreaming", "AACContainers", "TestServers"],
      swiftSettings: strict),
    .testTarget(
      name: "AudioDevicesTests", dependencies: ["AudioDevices", "PCM", "TestServers", "Threads"],
      swiftSettings: strict),
    .testTarget(
      name: "AACKitTests",
      dependencies: [
        "AACKit", "AACStreaming", "AudioFiles", "AudioDevices", "AACContainers", "AAC", "PCM", "TestServers",
        "Threads",
      ], swiftSettings: strict),
    .testTarget(
      name: "CommandTests",
      dependencies: ["AACCommand", "AACKit", "AudioFiles", "AACContainers", "AAC", "PCM", "TestServers"],
      swiftSettings: strict),
    // What needs a sound server and real time.
    .testTarget(
      name: "LiveTests",
      dependencies: [
        "AACKit", "AudioDevices", "AudioFiles", "AACContainers", "AAC", "PCM", "TestServers", "Threads",
      ], swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
