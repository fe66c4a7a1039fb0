import DSP

/// The window slopes of one frame length: N long, N/8 short.
struct FilterbankSlopes: Sendable {
  private let longSine: [Float]
  private let longKaiserBessel: [Float]
  private let shortSine: [Float]
  private let shortKaiserBessel: [Float]

  init(frameLength: Int) {
    longSine = Window.sine(length: frameLength)
    longKaiserBessel = Window.kaiserBesselDerived(length: frameLength, alpha: 4)
    shortSine = Window.sine(length: frameLength / 8)
    shortKaiserBessel = Window.kaiserBesselDerived(length: frameLength / 8, alpha: 6)
  }

  func long(_ shape: WindowShape) -> [Float] { shape == .sine ? longSine : longKaiserBessel }
  func short(_ shape: WindowShape) -> [Float] { shape == .sine ? shortSine : shortKaiserBessel }

  /// The rising slope of a block that is not eight short ones.
  func left(_ sequence: WindowSequence, _ shape: WindowShape) -> [Float] {
    sequence == .longStop ? short(shape) : long(shape)
  }

  /// The falling slope (given rising) of a block that is not eight short ones.
  func right(_ sequence: WindowSequence, _ shape: WindowShape) -> [Float] {
    sequence == .longStart ? short(shape) : long(shape)
  }
}
