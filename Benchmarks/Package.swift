// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Benchmarks",
  dependencies: [.package(name: "swift-aac", path: "..")],
  targets: [
    .executableTarget(
      name: "kernel-bench", dependencies: [.product(name: "_DSP", package: "swift-aac")],
      path: "Sources/KernelBench")
  ],
  swiftLanguageModes: [.v6]
)
