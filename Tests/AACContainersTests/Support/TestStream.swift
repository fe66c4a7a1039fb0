import AAC
import PCM

@testable import AACContainers

/// Made-up access units: silence with fill elements of any size and content.
enum TestStream {
  static func configuration(
    rate: Int = 44100, layout: ChannelLayout = .stereo
  ) throws -> AudioSpecificConfig {
    try AudioSpecificConfig(samplingRate: SamplingRate(rate), layout: layout)
  }

  /// A valid access unit of about `size` bytes (at least what silence needs).
  ///
  /// - Parameter gainControl: set gain_control_data_present, which LC must not have.
  static func unit(
    _ configuration: AudioSpecificConfig, size: Int, gainControl: Bool = false, random: inout SplitMix
  ) throws -> [UInt8] {
    var bits = BitWriter()
    var tags = [0, 0, 0]
    for element in configuration.elements {
      let kind = element.kind == .single ? 0 : element.kind == .pair ? 1 : 2
      bits.put([0, 1, 3][kind], 3)
      bits.put(tags[kind], 4)
      tags[kind] += 1
      if element.kind == .pair { bits.put(false) }
      for _ in 0..<element.channelCount {
        bits.put(Int(random.next() & 0xFF), 8)
        bits.put(0, 13)
        bits.put(gainControl)
      }
    }
    while bits.bitCount / 8 + 4 < size {
      let count = min(size - bits.bitCount / 8 - 3, 269)
      bits.put(6, 3)
      bits.put(min(count, 15), 4)
      if count >= 15 { bits.put(count - 14, 8) }
      guard count > 0 else { continue }
      // Extension type 0 and noise, in which sync words can occur.
      bits.put(0, 8)
      for _ in 0..<(count - 1) / 4 { bits.put(Int(random.next() & 0xFFFF_FFFF), 32) }
      for _ in 0..<(count - 1) % 4 { bits.put(Int(random.next() & 0xFF), 8) }
    }
    bits.put(7, 3)
    bits.alignToByte()
    return bits.bytes
  }

  /// Packets with the delay marks of an encoder: `priming` in front, `padding` at the end.
  static func packets(
    _ count: Int, _ configuration: AudioSpecificConfig, sizes: ClosedRange<Int> = 20...200, priming: Int = 0,
    padding: Int = 0, seed: UInt64 = 1
  ) throws -> [Packet] {
    var random = SplitMix(seed)
    var packets: [Packet] = []
    let duration = configuration.outputFrameLength
    for index in 0..<count {
      let size = sizes.lowerBound + Int(random.next() % UInt64(sizes.count))
      let time = Int64(index * duration - priming)
      let left = Int(max(0, min(-time, Int64(duration))))
      let end = Int64(count * duration - priming - padding)
      let right = Int(max(0, min(time + Int64(duration) - end, Int64(duration))))
      packets.append(
        Packet(
          data: try unit(configuration, size: size, random: &random), presentationTime: time,
          duration: duration, priming: left, padding: right))
    }
    return packets
  }
}

/// A small generator whose seed tests print.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }
}

extension PacketReader {
  /// All packets up to the end.
  func all() throws -> [Packet] {
    var packets: [Packet] = []
    while let packet = try nextPacket() { packets.append(packet) }
    return packets
  }
}

/// The stream of packets as ADTS.
func adts(
  _ packets: [Packet], _ configuration: AudioSpecificConfig, checksums: Bool = false, mpeg2: Bool = false
) throws -> [UInt8] {
  let sink = MemorySink()
  let writer = try ADTSWriter(
    sink, configuration: configuration, options: .init(checksums: checksums, mpeg2: mpeg2))
  for packet in packets { try writer.write(packet) }
  try writer.finish()
  return sink.bytes
}

/// The stream of packets as M4A.
func m4a(
  _ packets: [Packet], _ configuration: AudioSpecificConfig, options: M4AWriter.Options = .init()
) throws -> [UInt8] {
  let sink = MemorySink()
  let writer = try M4AWriter(sink, configuration: configuration, options: options)
  for packet in packets { try writer.write(packet) }
  try writer.finish()
  return sink.bytes
}

/// The error that `body` throws.
func containerError(_ body: () throws -> Void) -> ContainerError? {
  do {
    try body()
    return nil
  } catch {
    return error as? ContainerError
  }
}

/// The stream of packets as fragmented MP4, through a sink that cannot go back.
func fragmented(
  _ packets: [Packet], _ configuration: AudioSpecificConfig, options: FragmentedMP4Writer.Options = .init()
) throws -> [UInt8] {
  let sink = MemorySink(seekable: false)
  let writer = try FragmentedMP4Writer(sink, configuration: configuration, options: options)
  for packet in packets { try writer.write(packet) }
  try writer.finish()
  return sink.bytes
}
