// swift-tools-version: 6.2
import PackageDescription

let containers: [Target.Dependency] = [
  .product(name: "AACContainers", package: "swift-aac"), .product(name: "AAC", package: "swift-aac"),
  .product(name: "PCM", package: "swift-aac"),
]

/// Fuzz targets, built by `Fuzzing/run` with libFuzzer and the address sanitizer in every module. They are
/// libraries because libFuzzer brings the main program.
let package = Package(
  name: "swift-aac-fuzzing",
  products: [
    .library(name: "AccessUnits", type: .static, targets: ["AccessUnits"]),
    .library(name: "FuzzADTS", type: .static, targets: ["FuzzADTS"]),
    .library(name: "FuzzADIF", type: .static, targets: ["FuzzADIF"]),
    .library(name: "FuzzMP4", type: .static, targets: ["FuzzMP4"]),
    .library(name: "FuzzEditor", type: .static, targets: ["FuzzEditor"]),
    .library(name: "FuzzLostTables", type: .static, targets: ["FuzzLostTables"]),
    .library(name: "FuzzLOAS", type: .static, targets: ["FuzzLOAS"]),
    .library(name: "FuzzTransportStream", type: .static, targets: ["FuzzTransportStream"]),
    .library(name: "FuzzFLV", type: .static, targets: ["FuzzFLV"]),
    .library(name: "FuzzICY", type: .static, targets: ["FuzzICY"]),
    .library(name: "FuzzSoundFileTags", type: .static, targets: ["FuzzSoundFileTags"]),
    .library(name: "FuzzProbe", type: .static, targets: ["FuzzProbe"]),
  ],
  dependencies: [.package(name: "swift-aac", path: "..")],
  targets: [
    .target(
      name: "AccessUnits",
      dependencies: [
        .product(name: "AAC", package: "swift-aac"), .product(name: "PCM", package: "swift-aac"),
      ]),
    .target(name: "FuzzSupport", dependencies: containers),
    .target(name: "FuzzADTS", dependencies: containers + ["FuzzSupport"]),
    .target(name: "FuzzADIF", dependencies: containers + ["FuzzSupport"]),
    .target(name: "FuzzMP4", dependencies: containers + ["FuzzSupport"]),
    .target(name: "FuzzEditor", dependencies: containers + ["FuzzSupport"]),
    .target(name: "FuzzLostTables", dependencies: containers + ["FuzzSupport"]),
    .target(name: "FuzzLOAS", dependencies: containers + ["FuzzSupport"]),
    .target(name: "FuzzTransportStream", dependencies: containers + ["FuzzSupport"]),
    .target(name: "FuzzFLV", dependencies: containers + ["FuzzSupport"]),
    .target(
      name: "FuzzICY", dependencies: [.product(name: "AACStreaming", package: "swift-aac"), "FuzzSupport"]),
    .target(name: "FuzzSoundFileTags", dependencies: containers + ["FuzzSupport"]),
    .target(name: "FuzzProbe", dependencies: containers + ["FuzzSupport"]),
  ],
  swiftLanguageModes: [.v6]
)
