#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// How the sound s and its decorrelated copy d make left and right (8.6.4.6.2):
/// left = h11·s + h21·d, right = h12·s + h22·d.
struct PSMatrix: Equatable, Sendable {
  var h11: Float = 0
  var h12: Float = 0
  var h21: Float = 0
  var h22: Float = 0

  /// By mixing procedure, level difference (coarse, then fine) and coherence.
  static let all: [PSMatrix] = [false, true].flatMap { rotates in
    (PSTables.coarseIntensities + PSTables.fineIntensities).flatMap { level in
      PSTables.coherences.map { rotates ? rotating(level, $0) : plain(level, $0) }
    }
  }

  /// Place of a matrix in `all`.
  static func index(intensity: Int, isFine: Bool, coherence: Int, rotates: Bool) -> Int {
    let level =
      isFine ? 15 + min(max(intensity + 15, 0), 30) : min(max(intensity + 7, 0), 14)
    return ((rotates ? 46 : 0) + level) * 8 + min(max(coherence, 0), 7)
  }

  /// R_a.
  static func plain(_ decibels: Double, _ coherence: Double) -> PSMatrix {
    let ratio = pow(10, decibels / 20)
    let right = 2.0.squareRoot() / (1 + ratio * ratio).squareRoot()
    let left = ratio * right
    let alpha = 0.5 * acos(coherence)
    let beta = alpha * (right - left) / 2.0.squareRoot()
    return PSMatrix(
      h11: Float(left * cos(beta + alpha)), h12: Float(right * cos(beta - alpha)),
      h21: Float(left * sin(beta + alpha)), h22: Float(right * sin(beta - alpha)))
  }

  /// R_b.
  static func rotating(_ decibels: Double, _ coherence: Double) -> PSMatrix {
    let ratio = pow(10, decibels / 20)
    let rho = max(coherence, 0.05)
    var alpha = 0.5 * atan2(2 * ratio * rho, ratio * ratio - 1)
    if alpha < 0 { alpha += Double.pi / 2 }
    let both = ratio + 1 / ratio
    let mu = (1 + (4 * rho * rho - 4) / (both * both)).squareRoot()
    let gamma = atan(((1 - mu) / (1 + mu)).squareRoot())
    let scale = 2.0.squareRoot()
    return PSMatrix(
      h11: Float(scale * cos(alpha) * cos(gamma)), h12: Float(scale * sin(alpha) * cos(gamma)),
      h21: Float(-scale * sin(alpha) * sin(gamma)), h22: Float(scale * cos(alpha) * sin(gamma)))
  }
}
