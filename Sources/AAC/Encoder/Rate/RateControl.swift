/// Decides from frame to frame what a bit is worth, so that the rate comes out as asked.
///
/// The price is the noise-to-mask ratio that one bit must save. A constant price is constant quality; it
/// rises while more bits are spent than come in, and falls while some are left over.
struct RateControl: Sendable {
  enum Mode: Equatable, Sendable {
    /// A reservoir of this many bits at most bounds every frame.
    case constant(reservoir: Double)
    /// Frames may be of any size; savings and debts stay below a few frames.
    case average
    /// The price never changes.
    case fixed
  }

  /// The best quantiser's weighted noise in a line is the price over this (2 ln 2).
  static let linesPerPrice: Float = 1.386_294_4

  /// Bits that one octave of price saves, as a part of the mean.
  static let sensitivity = 0.2
  /// Frames over which savings and debts are worked off.
  private static let constantReaction = 5.0
  private static let averageReaction = 12.0
  /// Frames over which the price follows the sound.
  private static let constantMemory = 25.0
  private static let averageMemory = 40.0
  /// The mean rate of sounds of at least so many seconds is within this part of the asked.
  static let tolerance = 0.01
  static let leastSeconds = 8.0
  /// Mean frames that the average mode's account may be off by at the start. From there the allowance shrinks
  /// to what the tolerance leaves after `leastSeconds`, and then grows with the time up to `mostSeconds`.
  private static let firstAllowance = 5.0
  private static let mostSeconds = 30.0
  /// There are up to two packets more than blocks of sound. That the rate is right by the packets and by the sound,
  /// the average mode's account begins with this debt in mean frames; where 8 s are few frames, with this part.
  private static let extraFrames = 1.0
  private static let extraPart = 0.4
  /// Logarithms (base 2) of the prices in use: below, noise is 60 dB under the mask; above, nothing is left.
  private static let range = -24.0...24.0

  let mode: Mode
  /// Bits that come in with each frame.
  let mean: Double
  /// What a decoder's buffer holds: no frame is larger.
  let largestFrame: Double
  /// Bits saved so far (constant mode: between 0 and the reservoir's size).
  private(set) var saved: Double
  private let framesPerSecond: Double
  private var frameCount = 0.0
  /// Average mode: what the account began with.
  private let debtAtFirst: Double
  /// Logarithm of the price at which the sound of the last seconds takes the mean.
  private var settled: Double
  /// Weight of what `settled` has seen, in frames.
  private var experience = 1.0

  init(mode: Mode, bitsPerFrame: Double, framesPerSecond: Double, largestFrame: Double, price: Double) {
    mean = bitsPerFrame
    self.framesPerSecond = framesPerSecond
    self.largestFrame = largestFrame
    settled = Double(Math.log2(Float(price)))
    let tolerated = Self.tolerance * Self.leastSeconds * framesPerSecond
    switch mode {
    case .constant(let reservoir):
      // It begins half full: half of it is what the rate can be off by.
      let size = min(reservoir, 2 * tolerated * mean)
      self.mode = .constant(reservoir: size)
      saved = size / 2
    case .average:
      self.mode = mode
      saved = -min(Self.extraFrames, Self.extraPart * tolerated) * mean
    case .fixed:
      self.mode = mode
      saved = 0
    }
    debtAtFirst = -saved
  }

  /// Price for the next frame.
  var price: Float {
    let correction =
      switch mode {
      case .constant(let reservoir):
        (reservoir / 2 - saved) / (Self.constantReaction * Self.sensitivity * mean)
      case .average: -saved / (Self.averageReaction * Self.sensitivity * mean)
      case .fixed: 0.0
      }
    return Math.exp2(Float(Self.limit(settled + min(max(correction, -6), 6))))
  }

  /// Most bits that the next frame may take.
  var most: Double {
    switch mode {
    case .constant: min(largestFrame, mean + saved)
    case .average: min(largestFrame, mean + saved + allowance)
    case .fixed: largestFrame
    }
  }

  /// Fewest bits that the next frame has to take; the rest is padding.
  var fewest: Double {
    switch mode {
    case .constant(let reservoir): max(0, mean + saved - reservoir)
    case .average: max(0, mean + saved - allowance)
    case .fixed: 0
    }
  }

  /// Bits that the average mode's account may be off by after the next frame.
  private var allowance: Double {
    let least = Self.leastSeconds * framesPerSecond
    let frames = min(max(frameCount + 1, least), Self.mostSeconds * framesPerSecond)
    let allowed = Self.tolerance * frames * mean - debtAtFirst
    let early = max(0, 1 - (frameCount + 1) / least)
    return allowed + early * max(0, Self.firstAllowance * mean - allowed)
  }

  /// Takes note of a frame: its size without and with padding, and the price that led to it.
  mutating func spend(_ bits: Double, padded: Double, price: Float) {
    saved += mean - padded
    frameCount += 1
    guard mode != .fixed else { return }
    // Frames with next to nothing in them say little about the price of sound.
    let weight = min(max((bits / mean - 0.2) * 2, 0), 1)
    let memory = mode == .average ? Self.averageMemory : Self.constantMemory
    experience = min(experience + weight, memory)
    let step = min(max((bits / mean - 1) / Self.sensitivity, -3), 3)
    let suitable = Double(Math.log2(price)) + step
    settled = Self.limit(settled + (suitable - settled) * weight / experience)
  }

  private static func limit(_ logarithm: Double) -> Double {
    min(max(logarithm, range.lowerBound), range.upperBound)
  }
}
