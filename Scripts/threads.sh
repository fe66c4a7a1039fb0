#!/bin/sh
# Runs the tests of the device module under the thread sanitizer, in a package of that module alone: the whole package
# would take minutes to build once more. Fails on any race.
set -eu
cd "$(dirname "$0")/.."
package=$PWD
folder=$package/.build/threads
mkdir -p "$folder/Sources" "$folder/Tests"
for module in PCM CPulse AudioDevices; do ln -sfn "$package/Sources/$module" "$folder/Sources/$module"; done
for tests in TestServers AudioDevicesTests; do ln -sfn "$package/Tests/$tests" "$folder/Tests/$tests"; done
cat >"$folder/Package.swift" <<'END'
// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"), .strictMemorySafety(),
]
let package = Package(
  name: "threads",
  targets: [
    .target(name: "PCM", swiftSettings: settings),
    .systemLibrary(name: "CPulse"),
    .target(name: "AudioDevices", dependencies: ["PCM", "CPulse"], swiftSettings: settings),
    .target(name: "TestServers", path: "Tests/TestServers", swiftSettings: settings),
    .testTarget(
      name: "AudioDevicesTests", dependencies: ["AudioDevices", "PCM", "TestServers"], swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
END
cd "$folder"
TSAN_OPTIONS="halt_on_error=1 exitcode=66 ${TSAN_OPTIONS:-}" ${SWIFT:-swift} test --sanitize=thread
