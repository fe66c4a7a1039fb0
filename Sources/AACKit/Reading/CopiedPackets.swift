import AAC
import AACContainers
import AudioFiles

/// The packets of a file that are to be copied as they are: silence stands for those that were lost, and another
/// configuration, which the copy could not hold, is refused.
struct CopiedPackets {
  let reader: any PacketReader
  /// Whether the last packet is silence in place of one that was lost.
  private(set) var isReplacement = false

  private let path: String?
  private let cancellation: Cancellation?
  private let silence: [UInt8]?
  private let changes: Int
  private var count: Int64 = 0

  init(_ reader: any PacketReader, path: String?, cancellation: Cancellation?) {
    self.reader = reader
    self.path = path
    self.cancellation = cancellation
    silence = SilentPacket.data(for: reader.info.configuration)
    changes = reader.configurationChanges
  }

  /// The next packet, empty where one was lost for which there is no silence; false at the end.
  mutating func next(into packet: inout Packet) throws(AACKitError) -> Bool {
    if cancellation?.isCancelled == true { throw AACKitError(.cancelled) }
    do {
      guard try reader.nextPacket(into: &packet) else { return false }
    } catch { throw AACKitError(.container(error), path: path) }
    if reader.configurationChanges != changes {
      throw AACKitError(
        .unsupported("the configuration changes at frame \(count), which no file can hold"), path: path)
    }
    count += 1
    isReplacement = packet.data.isEmpty
    if isReplacement, let silence { packet.data = silence }
    return true
  }
}
