import AACContainers
import AACStreaming
import AudioFiles
import PCM

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An item that is being read; for the feeder's thread.
final class OpenItem {
  let index: Int
  let item: PlayerItem
  let info: PlayerItemInfo
  let reader: any AudioReader
  /// The source of an address.
  let http: HTTPSource?
  /// Frames read, at the reader's rate.
  private(set) var framesRead: Int64 = 0
  /// Of a pipe that was opened by its name.
  private let ownDescriptor: Int32?

  /// - Parameters:
  ///   - onHTTP: hears of the transfer, on any thread.
  ///   - adopt: is given what cancels the transfer, before there is a wait for it.
  init(
    _ item: PlayerItem, _ index: Int, _ settings: PlayerSettings, _ cancellation: Cancellation,
    onHTTP: @escaping @Sendable (HTTPEvent) -> Void, adopt: (@escaping @Sendable () -> Void) -> Void
  ) throws(AACKitError) {
    self.index = index
    self.item = item
    var response: HTTPResponse?
    var isSeekable = false
    var http: HTTPSource?
    var ownDescriptor: Int32?
    switch item.source {
    case .file(let path) where Self.isPipe(path):
      // What was looked at is gone: it has to be read where it was opened.
      let descriptor = try Self.openPipe(path)
      ownDescriptor = descriptor
      do {
        reader = try AudioFile.open(
          descriptor: descriptor, name: item.name, options: settings.reading, cancellation: cancellation)
      } catch {
        close(descriptor)
        throw error
      }
    case .file(let path):
      isSeekable = true
      reader = try AudioFile.open(path, options: settings.reading, cancellation: cancellation)
    case .descriptor(let descriptor):
      isSeekable = FileSource(descriptor: descriptor).isSeekable
      reader = try AudioFile.open(
        descriptor: descriptor, name: item.name, options: settings.reading, cancellation: cancellation)
    case .address(let address):
      let source: HTTPSource
      do {
        source = try HTTPSource(address, settings: settings.http, onEvent: onHTTP)
        adopt(source.canceller)
        response = try source.open()
      } catch { throw AACKitError(.http(error), path: item.name) }
      http = source
      do {
        reader = try AACReader(
          source, path: item.name, options: settings.reading, cancellation: cancellation)
      } catch { throw source.failure.map { AACKitError(.http($0), path: item.name) } ?? error }
    }
    self.http = http
    self.ownDescriptor = ownDescriptor
    let rate = Double(max(1, reader.format.sampleRate))
    info = PlayerItemInfo(
      name: item.name, format: reader.format, duration: reader.frameCount.map { Double($0) / rate },
      isSeekable: isSeekable, isLive: response?.isEndless ?? false,
      tags: (reader as? AACReader)?.info.tags ?? Tags(), response: response)
  }

  deinit {
    if let ownDescriptor { close(ownDescriptor) }
  }

  /// A named pipe, a terminal or another device.
  private static func isPipe(_ path: String) -> Bool {
    var status = stat()
    // unsafe: fills the structure it is given.
    guard unsafe stat(path, &status) == 0 else { return false }
    let kind = status.st_mode & S_IFMT
    return kind != S_IFREG && kind != S_IFDIR
  }

  private static func openPipe(_ path: String) throws(AACKitError) -> Int32 {
    // unsafe: reads the path up to its zero byte, which Swift provides.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor < 0 else { return descriptor }
    let words = unsafe strerror(errno).map { unsafe String(cString: $0) } ?? "error \(errno)"
    throw AACKitError(.audioFile(AudioFileError(.cannotOpen(words), path: path)), path: path)
  }

  /// Goes forward to a place, right behind opening, and returns it in seconds. Where the item cannot be rewound, what
  /// lies in front is read and dropped; a live stream begins where it is.
  func skip(to seconds: Double) throws(AACKitError) -> Double {
    guard seconds > 0, !info.isLive else { return 0 }
    let rate = Double(max(1, reader.format.sampleRate))
    let wanted = Int64(exactly: (seconds * rate).rounded()) ?? Int64.max
    let frame = min(wanted, reader.frameCount ?? Int64.max)
    if let reader = reader as? AACReader {
      try reader.skip(to: frame)
    } else if (reader as? AudioFileReader)?.seek(to: frame) != true {
      try drop(frame)
    }
    framesRead = frame
    return Double(frame) / rate
  }

  private func drop(_ frames: Int64) throws(AACKitError) {
    var left = frames
    var buffer = PCMBuffer(format: reader.format)
    do {
      while left > 0 {
        let count = try reader.read(Int(min(left, 8192)), into: &buffer)
        if count == 0 { return }
        left -= Int64(count)
      }
    } catch { throw AACKitError(.audioFile(error), path: item.name) }
  }

  /// The next frames; 0 at the end.
  func read(_ frames: Int, into buffer: inout PCMBuffer) throws(AACKitError) -> Int {
    do {
      let count = try reader.read(frames, into: &buffer)
      framesRead += Int64(count)
      return count
    } catch {
      if let failure = http?.failure { throw AACKitError(.http(failure), path: item.name) }
      throw AACKitError(.audioFile(error), path: item.name)
    }
  }

  /// Seconds of sound that have come and wait to be decoded; by the rate so far, else by what the station says.
  var bufferedSeconds: Double {
    guard let http else { return 0 }
    let seconds = Double(framesRead) / Double(max(1, reader.format.sampleRate))
    let used = Double(http.usedBytes)
    let told = Double(info.response?.bitRate ?? 128_000) / 8
    return Double(http.bufferedBytes) / (seconds > 0.5 && used > 0 ? used / seconds : told)
  }
}
