import AAC
import AACContainers
import AACKit
import Foundation
import PCM
import Testing

/// Encoded noise, with priming and padding.
func packets(
  seconds: Double, layout: ChannelLayout = .stereo, rate: Int = 44100, seed: UInt64 = 1
) throws -> (configuration: AudioSpecificConfig, packets: [Packet]) {
  var settings = EncoderSettings(
    sampleRate: rate, layout: layout, rate: .constant(32000 * max(1, layout.channelCount)))
  settings.effort = .min
  let encoder = try AACEncoder(settings)
  var sound = noise(frames: Int(seconds * Double(rate)), layout: layout, seed: seed, rate: rate)
  for channel in sound.channels.indices {
    for frame in 0..<sound.frameCount { sound.channels[channel][frame] *= frame / 3000 % 3 == 0 ? 0.02 : 0.3 }
  }
  return (encoder.configuration, try encoder.encode(sound) + encoder.finish())
}

/// A recording in fragments of so many packets.
func fragments(
  _ packets: [Packet], _ configuration: AudioSpecificConfig, tags: Tags = Tags(), perFragment: Int = 10
) throws -> [UInt8] {
  let sink = MemorySink(seekable: false)
  var options = FragmentedMP4Writer.Options(tags: tags)
  options.packetsPerFragment = perFragment
  let writer = try FragmentedMP4Writer(sink, configuration: configuration, options: options)
  for packet in packets { try writer.write(packet) }
  try writer.finish()
  return sink.bytes
}

/// The packets that a reader gives until it ends or throws.
func wholePackets(_ bytes: [UInt8]) -> [Packet] {
  var packets: [Packet] = []
  guard let reader = try? openPacketReader(MemorySource(bytes)) else { return [] }
  while let packet = try? reader.nextPacket() { packets.append(packet) }
  return packets
}

extension Folder {
  func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: file(name)))) }

  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(filePath: file(name)))
  }
}

/// Whether a command line ended well.
@discardableResult
func command(_ words: String...) -> Bool {
  let process = Process()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = words
  process.standardInput = FileHandle.nullDevice
  process.standardError = FileHandle.nullDevice
  guard (try? process.run()) != nil else { return false }
  process.waitUntilExit()
  return process.terminationStatus == 0
}

/// What a program prints; `nil` where it cannot be run.
func output(_ words: String...) -> String? {
  let process = Process()
  let pipe = Pipe()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = words
  process.standardInput = FileHandle.nullDevice
  process.standardOutput = pipe
  process.standardError = FileHandle.nullDevice
  guard (try? process.run()) != nil else { return nil }
  let data = pipe.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return String(decoding: data, as: UTF8.self)
}

/// A small file system of its own, in memory.
final class SmallDisk {
  let folder: Folder

  /// `nil` where this machine mounts none.
  init?(kilobytes: Int) throws {
    folder = try Folder()
    guard command("mount", "-t", "tmpfs", "-o", "size=\(kilobytes)k", "tmpfs", folder.path) else {
      return nil
    }
  }

  deinit { command("umount", folder.path) }
}

/// Numbers that are the same for the same seed.
struct Random: RandomNumberGenerator {
  private(set) var state: UInt64

  /// A seed of the environment's (`AAC_SEED`) or a new one.
  static var seed: UInt64 {
    ProcessInfo.processInfo.environment["AAC_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...(.max))
  }

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
