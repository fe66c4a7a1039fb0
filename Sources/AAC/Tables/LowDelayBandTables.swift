/// Scale factor band edges of the low-delay types (ISO/IEC 14496-3, 4.5.4), by frame length and family of
/// sampling rates, and the limits of their temporal noise shaping.
///
/// The standard has tables for 22.05 to 48 kHz. Other rates use the nearest family, as the encoders that
/// make such streams do.
enum LowDelayBandTables {
  /// Table family of each samplingFrequencyIndex.
  static let family: [Int] = [48, 48, 48, 48, 48, 32, 24, 24, 24, 24, 24, 24, 24]
  /// TNS_MAX_BANDS of each samplingFrequencyIndex, 512 lines.
  static let tnsMaxBands512: [Int] = [31, 31, 31, 31, 32, 37, 31, 31, 31, 31, 31, 31, 31]
  /// TNS_MAX_BANDS of each samplingFrequencyIndex, 480 lines.
  static let tnsMaxBands480: [Int] = [31, 31, 31, 31, 32, 37, 30, 30, 30, 30, 30, 30, 30]

  static func offsets512(family: Int) -> [Int] {
    switch family {
    case 48:
      [
        0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 68, 76, 84, 92, 100, 112, 124, 136,
        148, 164, 184, 208, 236, 268, 300, 332, 364, 396, 428, 460, 512,
      ]
    case 32:
      [
        0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 64, 72, 80, 88, 96, 108, 120, 132, 144,
        160, 176, 192, 212, 236, 260, 288, 320, 352, 384, 416, 448, 480, 512,
      ]
    default:
      [
        0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 52, 60, 68, 80, 92, 104, 120, 140, 164, 192, 224,
        256, 288, 320, 352, 384, 416, 448, 480, 512,
      ]
    }
  }

  static func offsets480(family: Int) -> [Int] {
    switch family {
    case 48:
      [
        0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 64, 72, 80, 88, 96, 108, 120, 132, 144,
        156, 172, 188, 212, 240, 272, 304, 336, 368, 400, 432, 480,
      ]
    case 32:
      [
        0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 72, 80, 88, 96, 104, 112, 124,
        136, 148, 164, 180, 200, 224, 256, 288, 320, 352, 384, 416, 448, 480,
      ]
    default:
      [
        0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 52, 60, 68, 80, 92, 104, 120, 140, 164, 192, 224,
        256, 288, 320, 352, 384, 416, 448, 480,
      ]
    }
  }
}
