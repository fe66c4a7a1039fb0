import Foundation
import PCM

@testable import AAC

/// The large test set of sounds: FLAC files, read by FFmpeg.
enum SharedSounds {
  static let names = """
    accordion_gm applause_syn attack_gm bass_gm brushes_gm castanets_gm cc0_breaks cc0_guitar cc0_metal cc0_pad \
    cc0_tabla cello_gm choir_gm decorrelated_syn drumkit_gm electronic_gm glockenspiel_gm guitar_gm \
    harpsichord_gm impulses_syn multitone_syn nearmono_gm orchestra_gm organ_gm outofphase_gm piano_gm pitchpipe \
    pop_gm pop_hot_gm quietfade_gm real_castanets real_contrabassoon real_glock real_guitar real_harpsichord \
    real_moonlight real_ravel real_sopr real_strauss speech_female_es speech_male_es speech_real_alsa sweep_syn \
    triangle_gm trumpet_gm violin_gm wide_gm
    """.split(separator: " ").map(String.init)

  enum Failure: Error {
    case missing(String)
    case unreadable(String)
  }

  /// A missing file is a failure; no folder leaves the tests out.
  static func read(_ name: String, seconds: Int? = nil) throws -> PCMBuffer? {
    guard let folder = sharedFolder else { return nil }
    let file = folder.appendingPathComponent("audio/\(name).flac")
    guard let header = try? FileHandle(forReadingFrom: file).read(upToCount: 22), header.count == 22 else {
      throw Failure.missing(file.path)
    }
    // STREAMINFO: 20 bits of rate and 3 of channels less one, from byte 18 on.
    let bytes = [UInt8](header)
    let rate = Int(bytes[18]) << 12 | Int(bytes[19]) << 4 | Int(bytes[20]) >> 4
    let count = Int(bytes[20] >> 1 & 7) + 1
    guard let samples = Opponent.decode(file) else { throw Failure.unreadable(file.path) }
    let whole = samples.count / count
    let frames = seconds.map { min(whole, $0 * rate) } ?? whole
    let channels = (0..<count).map { channel in
      (0..<frames).map { samples[$0 * count + channel] }
    }
    return PCMBuffer(channels, rate: rate, layout: count == 1 ? .mono : .stereo)
  }
}
