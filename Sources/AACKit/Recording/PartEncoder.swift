import AAC
import PCM

/// Encodes the sound of a recording, file by file, and cuts between two samples where a file is full.
struct PartEncoder {
  private let settings: EncoderSettings
  private let pipe: PacketPipe
  private let onPacket: (@Sendable (Packet) -> Void)?
  private let splitFrames: Int64?
  private let splitBytes: Int64?
  private let limit: Int64?
  private var encoder: AACEncoder?
  private var partFrames: Int64 = 0
  private var partBytes: Int64 = 0
  private var packetCount: Int64 = 0
  private var slice: PCMBuffer
  /// Frames of sound in all files so far.
  private(set) var frames: Int64 = 0
  /// Whether the other side of the pipe still takes packets.
  private(set) var isWriting = true

  init(_ settings: EncoderSettings, _ recorder: RecorderSettings, _ pipe: PacketPipe) {
    self.settings = settings
    self.pipe = pipe
    onPacket = recorder.onPacket
    let rate = Double(settings.sampleRate)
    func frames(_ seconds: Double?) -> Int64? { seconds.map { max(1, Int64(($0 * rate).rounded())) } }
    splitFrames = frames(recorder.splitSeconds)
    limit = frames(recorder.duration)
    splitBytes = recorder.splitBytes
    slice = PCMBuffer(format: PCMFormat(sampleRate: settings.sampleRate, layout: settings.layout))
  }

  var seconds: Double { Double(frames) / Double(settings.sampleRate) }

  /// Whether the whole recording has the length that was asked for.
  var isFull: Bool { limit.map { frames >= $0 } ?? false }

  /// Encodes what there is room for.
  mutating func add(_ buffer: PCMBuffer) throws(AACKitError) {
    var taken = 0
    while taken < buffer.frameCount, !isFull, isWriting {
      var count = Int64(buffer.frameCount - taken)
      if let limit { count = min(count, limit - frames) }
      if let splitFrames { count = min(count, splitFrames - partFrames) }
      // A packet at a time where its size decides.
      if splitBytes != nil { count = min(count, 1024) }
      slice.frameCount = 0
      slice.append(buffer, taken..<taken + Int(count))
      try encode(slice)
      taken += Int(count)
      if partFrames == splitFrames || isAtByteLimit { try endPart() }
    }
  }

  private mutating func encode(_ buffer: PCMBuffer) throws(AACKitError) {
    let encoder: AACEncoder
    if let open = self.encoder {
      encoder = open
    } else {
      do { encoder = try AACEncoder(settings) } catch { throw AACKitError(.codec(error)) }
      self.encoder = encoder
      isWriting = pipe.push(.begin(encoder.configuration))
    }
    let packets: [Packet]
    do { packets = try encoder.encode(buffer) } catch { throw AACKitError(.codec(error), time: seconds) }
    frames += Int64(buffer.frameCount)
    partFrames += Int64(buffer.frameCount)
    push(packets)
  }

  /// Ends the file at hand, if there is one. The next sound begins another one.
  mutating func endPart() throws(AACKitError) {
    guard let encoder else { return }
    self.encoder = nil
    let packets: [Packet]
    do { packets = try encoder.finish() } catch { throw AACKitError(.codec(error), time: seconds) }
    push(packets)
    if isWriting { isWriting = pipe.push(.end(frames: partFrames)) }
    partFrames = 0
    partBytes = 0
    packetCount = 0
  }

  private mutating func push(_ packets: [Packet]) {
    for packet in packets {
      onPacket?(packet)
      partBytes += Int64(packet.data.count)
      packetCount += 1
      if isWriting { isWriting = pipe.push(.packet(packet)) }
    }
  }

  /// Whether the packets that end the file now would still fit, but not another one.
  private var isAtByteLimit: Bool {
    guard let splitBytes, encoder != nil else { return false }
    // What is still inside comes in up to three packets, and one more is to be held off.
    let packet = Int64(6144 / 8 * settings.layout.channelCount)
    // A header, and eight bytes a packet for tables or frame headers.
    let container = 4096 + 8 * packetCount
    return partBytes + 4 * packet + container >= splitBytes
  }
}
