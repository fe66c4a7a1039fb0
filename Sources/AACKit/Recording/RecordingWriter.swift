import AAC
import AACContainers
import AudioDevices

/// The recorder's other thread: writes packets to files, and waits for disks.
///
/// Everything here belongs to that thread once it runs.
final class RecordingWriter: @unchecked Sendable {
  private let target: RecordingTarget
  private let output: PacketOutput
  private let isSplit: Bool
  private let syncInterval: Double
  private let pipe: PacketPipe
  private let events: EventChannel<RecorderEvent>
  /// The file of the first part, which was made before anything was recorded.
  private var first: RecordingFile?
  private var part: Part?
  private var number = 0
  private(set) var files: [RecordedFile] = []

  private struct Part {
    var file: RecordedFile
    var sink: any ByteSink
    var writer: any PacketWriter
    var recording: RecordingFile?
    var synchronized = MonotonicTime.now
  }

  /// Makes the first file.
  /// - Throws: `exists`, `cannotWrite`, `isDirectory`; `unsupported` for a container that cannot grow.
  init(
    _ target: RecordingTarget, _ settings: RecorderSettings, _ pipe: PacketPipe,
    _ events: EventChannel<RecorderEvent>
  ) throws(AACKitError) {
    self.target = target
    self.pipe = pipe
    self.events = events
    var output = settings.encoding.output
    output.container = settings.container ?? target.container ?? .m4a
    self.output = output
    syncInterval = settings.synchronizeInterval
    isSplit =
      settings.splitSeconds != nil || settings.splitBytes != nil || settings.silence?.action == .split
    guard output.container != .raw else {
      throw AACKitError(
        .unsupported("raw access units cannot be recorded: a crash would cost what describes them"))
    }
    first = try makeFile()
  }

  private func makeFile() throws(AACKitError) -> RecordingFile? {
    guard case .file(let path, let replacing) = target.kind else { return nil }
    number += 1
    guard isSplit || number > 1 else {
      return try RecordingFile(path, replacing: replacing)
    }
    while true {
      do {
        return try RecordingFile(RecordingTarget.numbered(path, number), replacing: replacing)
      } catch {
        guard error.reason == .exists, number < 1_000_000 else { throw error }
        number += 1
      }
    }
  }

  /// Removes the file that was made for a recording that never began.
  func discard() { first = nil }

  /// Writes until there is no more. What ended it before that.
  func run() -> AACKitError? {
    var failure: AACKitError?
    do {
      while let item = pipe.next() { try write(item) }
    } catch {
      failure = error
      pipe.giveUp()
    }
    finishPart(frames: nil, failure)
    first = nil
    return failure
  }

  private func write(_ item: PacketPipe.Item) throws(AACKitError) {
    switch item {
    case .begin(let configuration): part = try begin(configuration)
    case .packet(let packet):
      guard var part else { return }
      do throws(ContainerError) {
        try part.writer.write(packet)
        if output.container != .m4a, output.container != .fmp4 { try part.sink.flush() }
      } catch {
        self.part = part
        throw AACKitError(.container(error), path: part.file.path)
      }
      part.file.packetCount += 1
      part.file.payloadBytes += Int64(packet.data.count)
      part.file.frames += Int64(packet.validFrames)
      if part.synchronized.advanced(bySeconds: syncInterval) < .now {
        try part.recording?.synchronize()
        part.synchronized = .now
      }
      self.part = part
    case .end(let frames): finishPart(frames: frames, nil)
    }
  }

  private func begin(_ configuration: AudioSpecificConfig) throws(AACKitError) -> Part {
    let recording: RecordingFile?
    if first != nil {
      recording = first
    } else {
      recording = try makeFile()
    }
    first = nil
    let sink: any ByteSink
    switch (target.kind, recording) {
    case (_, let recording?): sink = recording
    case (.descriptor(let number), nil): sink = CancellableSink(descriptor: number, cancellation: nil)
    case (.file(let path, _), nil): throw AACKitError(.cannotWrite("no file"), path: path)
    }
    var output = output
    if output.container == .m4a { output.container = .fmp4 }
    if output.packetsPerFragment == nil {
      output.packetsPerFragment = max(1, configuration.samplingRate.hertz / 4 / 1024)
    }
    let writer: any PacketWriter
    do { writer = try output.open(sink, configuration: configuration) } catch {
      throw AACKitError(.container(error), path: recording?.path)
    }
    let file = RecordedFile(
      number: files.count + 1, path: recording?.path, frames: 0, packetCount: 0, payloadBytes: 0)
    events.post(.fileStarted(number: file.number, path: file.path))
    return Part(file: file, sink: sink, writer: writer, recording: recording)
  }

  /// Completes the file at hand, if there is one, as well as it goes.
  private func finishPart(frames: Int64?, _ failure: AACKitError?) {
    guard var part else { return }
    self.part = nil
    if let frames { part.file.frames = frames }
    part.file.problem = failure
    if failure == nil {
      do throws(ContainerError) {
        try part.writer.finish()
      } catch {
        part.file.problem = AACKitError(.container(error), path: part.file.path)
      }
    }
    do throws(AACKitError) {
      let outcome = try part.recording?.finish(makesPlain: output.container == .m4a)
      if case .fragments(let reason) = outcome { part.file.problem = part.file.problem ?? reason }
    } catch {
      part.file.problem = part.file.problem ?? error
    }
    files.append(part.file)
    events.post(.fileFinished(part.file))
  }
}
