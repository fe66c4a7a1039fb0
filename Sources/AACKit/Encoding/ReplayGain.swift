public import AACContainers
public import AudioFiles
import PCM

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// How loud a sound is, and what players have to know to play all sounds equally loud.
public struct ReplayGain: Sendable, Equatable {
  /// The loudness to which ReplayGain 2 brings everything, in LUFS.
  public static let reference = -18.0

  private var distribution = LoudnessDistribution()
  /// The highest level, also between samples; 1 is full scale.
  public private(set) var peak = 0.0

  /// Of no sound yet: those of sounds are added.
  public init() {}

  /// Measures all that a reader has.
  ///
  /// - Throws: what reading throws; `cancelled`.
  public init(of reader: any AudioReader, cancellation: Cancellation? = nil) throws(AACKitError) {
    do throws(AudioFileError) {
      let meter = try LoudnessMeter(reader.format)
      var buffer = PCMBuffer(format: reader.format)
      while try reader.read(8192, into: &buffer) > 0 {
        if cancellation?.isCancelled == true { throw AudioFileError(.interrupted) }
        try meter.add(buffer)
      }
      distribution = meter.distribution
      peak = min(pow(10, meter.loudness.truePeak / 20), 1e6)
    } catch { throw AACKitError(.audioFile(error)) }
  }

  /// Adds another sound, as of the same album.
  public mutating func add(_ other: ReplayGain) {
    distribution.add(other.distribution)
    peak = max(peak, other.peak)
  }

  /// Loudness by EBU R 128 in LUFS; −infinity for silence and for sounds of less than 400 ms.
  public var integrated: Double { distribution.integrated }

  /// What has to be added to come to the reference, in dB; `nil` for silence.
  public var gain: Double? { integrated.isFinite ? Self.reference - integrated : nil }
}

extension ReplayGain {
  /// ReplayGain 2 and iTunes' Sound Check; none for silence.
  public func tags(album: ReplayGain? = nil) -> Tags {
    var tags = Tags()
    if let gain {
      tags["replaygain_track_gain"] = Self.decibels(gain)
      tags["replaygain_track_peak"] = Self.fixed(peak, decimals: 6)
    }
    if let album, let gain = album.gain {
      tags["replaygain_album_gain"] = Self.decibels(gain)
      tags["replaygain_album_peak"] = Self.fixed(album.peak, decimals: 6)
    }
    if !tags.isEmpty {
      tags["replaygain_reference_loudness"] = "\(Self.fixed(Self.reference, decimals: 2)) LUFS"
    }
    tags["iTunNORM"] = soundCheck
    return tags
  }

  /// `tags` with those of ``tags(album:)`` added where they say nothing of their own. What a source may say of its
  /// loudness is removed.
  public func tags(album: ReplayGain? = nil, changing tags: Tags) -> Tags {
    var tags = tags
    let measured = self.tags(album: album)
    for key in Self.keys where tags[key] == nil { tags[key] = measured[key] ?? "" }
    return tags
  }

  private static let keys = [
    "replaygain_track_gain", "replaygain_track_peak", "replaygain_album_gain", "replaygain_album_peak",
    "replaygain_reference_loudness", "iTunNORM",
  ]

  /// Ten numbers: the gain as a power ratio in thousandths of left and right, the same in 2500ths, and the peaks.
  private var soundCheck: String? {
    guard let gain else { return nil }
    func ratio(_ unit: Double) -> Int { Int(min(max((unit * pow(10, -gain / 10)).rounded(), 1), 65534)) }
    let highest = Int(min((peak * 32768).rounded(), 65535))
    let numbers = [ratio(1000), ratio(1000), ratio(2500), ratio(2500), 0, 0, highest, highest, 0, 0]
    return numbers.map { number in
      let digits = String(number, radix: 16, uppercase: true)
      return " " + String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
  }

  private static func decibels(_ value: Double) -> String { fixed(value, decimals: 2) + " dB" }

  private static func fixed(_ value: Double, decimals: Int) -> String {
    let scale = pow(10, Double(decimals))
    let number = Int64((abs(value) * scale).rounded())
    let fraction = String(number % Int64(scale))
    let zeros = String(repeating: "0", count: decimals - fraction.count)
    return (value < 0 && number > 0 ? "-" : "") + "\(number / Int64(scale)).\(zeros)\(fraction)"
  }
}
