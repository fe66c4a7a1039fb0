import AAC
import AACContainers
import AudioFiles

/// A file to be repaired: what it is, and how its packets are reached.
struct DamagedFile {
  enum Kind: Equatable {
    /// Whatever is wrong is in the packets.
    case container
    /// MP4 in fragments that was never made a plain file.
    case fragments
    /// MP4 without its tables.
    case withoutTables
  }

  let path: String
  let kind: Kind
  let info: StreamInfo
  /// Tracks of the file beside the one that is read.
  var hasOtherTracks = false
  var assumptions: [String] = []
  private let source: any ByteSource
  private var hint = UnfinishedMP4Reader.Hint()

  /// - Throws: what opening throws; `nothingToSave`.
  init(_ path: String, _ options: RepairOptions) throws(AACKitError) {
    self.path = path
    source = try openByteSource(path)
    guard source.isSeekable else {
      throw AACKitError(.unsupported("only files can be repaired: save it first"), path: path)
    }
    if source.length == 0 {
      throw AACKitError(
        .nothingToSave("the file is empty; its recording ended before anything was written"), path: path)
    }
    do throws(AACKitError) {
      let reader = try openPackets(source, path: path)
      info = reader.info
      kind = info.container == .fmp4 ? .fragments : .container
      hasOtherTracks = (reader as? MP4Reader).map { $0.trackCount > 1 } ?? false
    } catch {
      guard Self.mayLackTables(error, source) else { throw error }
      let hint = try Self.hint(options)
      self.hint = hint
      let reader: UnfinishedMP4Reader
      do { reader = try UnfinishedMP4Reader(source, hint: hint) } catch let second {
        throw Self.hopeless(error, second, source, path)
      }
      info = reader.info
      kind = .withoutTables
      if hint.configurationBytes == nil { assumptions = Self.assumptions(reader, hint) }
    }
  }

  /// A new walk over the packets.
  func open() throws(AACKitError) -> any PacketReader {
    guard kind == .withoutTables else {
      return try openPackets(
        source, path: path, PacketReadingOptions(dropsDamagedPackets: true, fillsGaps: true))
    }
    do { return try UnfinishedMP4Reader(source, hint: hint) } catch {
      throw AACKitError(.container(error), path: path)
    }
  }

  /// Where, in a file of fragments, begins what no box of MP4 is: fragments behind it cannot be found.
  func firstStrangeByte() throws(AACKitError) -> Int64? {
    guard kind == .fragments else { return nil }
    do { return try BoxCheck.firstStrangeByte(in: source) } catch {
      throw AACKitError(.container(error), path: path)
    }
  }

  // MARK: Without tables

  /// Whether the sound may be there although the file cannot be opened.
  private static func mayLackTables(_ error: AACKitError, _ source: any ByteSource) -> Bool {
    guard case .container(let fault) = error.reason,
      case .container(.m4a)? = try? Probe.identify(source)
    else { return false }
    switch fault.reason {
    case .malformed, .truncated, .configuration: return true
    default: return false
    }
  }

  private static func hint(_ options: RepairOptions) throws(AACKitError) -> UnfinishedMP4Reader.Hint {
    var hint = UnfinishedMP4Reader.Hint()
    hint.sampleRate = options.sampleRate
    hint.channelCount = options.channelCount
    guard let like = options.like else { return hint }
    let info = try openPackets(try openByteSource(like), path: like).info
    hint.configurationBytes = info.configurationBytes
    hint.timeRate = info.timeRate
    hint.priming = info.priming
    return hint
  }

  private static func hopeless(
    _ first: AACKitError, _ second: ContainerError, _ source: any ByteSource, _ path: String
  ) -> AACKitError {
    switch second.reason {
    case .malformed(let why), .unsupported(let why):
      var endsEarly = !BoxCheck.holdsSound(source)
      if case .container(let fault) = first.reason, case .truncated = fault.reason { endsEarly = true }
      if endsEarly {
        return AACKitError(
          .nothingToSave(
            "the file ends before its first sound; a recording was ended before that was written"),
          path: path)
      }
      return AACKitError(.nothingToSave(why), path: path)
    default: return AACKitError(.container(second), path: path)
    }
  }

  private static func assumptions(
    _ reader: UnfinishedMP4Reader, _ hint: UnfinishedMP4Reader.Hint
  ) -> [String] {
    let configuration = reader.info.configuration
    let layout = configuration.elements.layout.name
    var text = "taken for \(configuration.objectType.name), \(configuration.samplingRate.hertz) Hz, \(layout)"
    if !reader.otherRates.isEmpty {
      let others = reader.otherRates.map(String.init).joined(separator: ", ")
      text += "; \(others) Hz would read as well: name the rate where the pitch is wrong"
    }
    return [text]
  }
}
