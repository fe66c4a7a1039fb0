/// The DCT-IV, which both directions of the MDCT are made of:
/// y[n] = gain·Σ_{k<size} x[k]·cos(π/size·(n + ½)(k + ½)), by a complex transform of size/2 points.
///
/// With the windowing and folding of the MDCT before it or after it in the same step, where the slopes allow.
final class CosineTransform {
  typealias Source = UnsafePointer<Float>
  typealias Target = UnsafeMutablePointer<Float>

  let size: Int
  private let transform: ComplexTransform
  /// cos and sin of π/size·(k + ⅛): size/2 cosines, then as many sines.
  private let turnsIn: FloatStore
  /// The same in the order of the transform's results.
  private let turnsOut: FloatStore

  init(size: Int, gain: Double) {
    self.size = size
    let half = size / 2
    transform = ComplexTransform(size: half, gain: gain, order: .mirrored)
    let pairs = transform.order.pairs
    canUnfold = pairs.count * 2 * ResultOrder.width == half
    let turns = (0..<half).map { Elementary.root(8 * $0 + 1, of: 16 * size) }
    turnsIn = FloatStore(turns.map(\.re) + turns.map { -$0.im })
    turnsOut = FloatStore(
      pairs.flatMap { near -> [Double] in
        let rising = (0..<ResultOrder.width).map { turns[near + $0] }
        let falling = (0..<ResultOrder.width).map { turns[half - 1 - near - $0] }
        return rising.map(\.re) + rising.map { -$0.im } + falling.map(\.re) + falling.map { -$0.im }
      })
  }

  /// `source` and `target` may be the same block.
  func run(_ source: Source, _ target: Target) {
    CosineKernels.rotateIn(source, size, turnsIn.pointer, transform.input, transform.order.lanes)
    CosineKernels.rotateOut(transform.run(), transform.order, turnsOut.pointer, target)
  }

  /// The transform's first steps take sixteen values, all from one half of the block.
  var canFold: Bool { size % 32 == 0 }

  /// Of 2·size samples, windowed with slopes of `size` values each and folded. See `WindowKernels.fold`.
  func runFolding(_ samples: Source, _ left: Source, _ right: Source, _ target: Target) {
    CosineKernels.foldIn(samples, size, left, right, turnsIn.pointer, transform.input, transform.order.lanes)
    CosineKernels.rotateOut(transform.run(), transform.order, turnsOut.pointer, target)
  }

  /// The steps' results overlap for some sizes; what is added to must then not be done in steps.
  let canUnfold: Bool

  /// To 2·size samples, windowed with slopes of `size` values each: the first half added to `overlap` goes to
  /// `output`, the second half becomes `overlap`. See `WindowKernels.addLeft` and `setRight`.
  func runUnfolding(_ source: Source, _ left: Source, _ right: Source, _ overlap: Target, _ output: Target) {
    CosineKernels.rotateIn(source, size, turnsIn.pointer, transform.input, transform.order.lanes)
    CosineKernels.unfoldOut(
      transform.run(), transform.order, turnsOut.pointer, left, right, overlap, output)
  }
}
