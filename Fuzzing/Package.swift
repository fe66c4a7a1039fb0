// swift-tools-version: 6.2
import PackageDescription

/// Fuzz targets, built by `Fuzzing/run` with libFuzzer and the address sanitizer in every module. They are
/// libraries because libFuzzer brings the main program.
let package = Package(
  name: "swift-aac-fuzzing",
  products: [.library(name: "AccessUnits", type: .static, targets: ["AccessUnits"])],
  dependencies: [.package(name: "swift-aac", path: "..")],
  targets: [
    .target(
      name: "AccessUnits",
      dependencies: [.product(name: "AAC", package: "swift-aac"), .product(name: "PCM", package: "swift-aac")])
  ],
  swiftLanguageModes: [.v6]
)
