/// Where `ComplexTransform` puts its results, and in which steps of k it computes them.
///
/// A step joins w neighbouring k of all lanes' transforms (w the lanes of a register) to w results for each of
/// `lanes` butterfly outputs q: result numbers k + length·q.
struct ResultOrder {
  enum Kind {
    /// `size` real parts, then `size` imaginary parts.
    case natural
    /// In pairs of what lies at equal distances from the two ends: for the pair at n (a multiple of w within
    /// its run of `length`), w results rising from n and w results falling from size − 1 − n, each as real,
    /// then imaginary parts: 4·w floats.
    case mirrored
  }

  static let width = RegisterLanes.scalarCount

  let kind: Kind
  let size: Int
  /// Lanes of the transform, and outputs of the last butterfly: 8 or 4.
  let lanes: Int
  /// Points of each lane's transform.
  let length: Int

  /// In mirrored order: steps from each end of 0..<length. Where they meet they may overlap.
  var steps: Int { (length + 2 * ResultOrder.width - 1) / (2 * ResultOrder.width) }

  /// One step covers `length`: its results are turned round for the other end instead of computed again.
  var isSingle: Bool { kind == .mirrored && length == ResultOrder.width }

  /// In mirrored order: the n of each pair, in the order of their places.
  var pairs: [Int] {
    (0..<(isSingle ? lanes / 2 : lanes)).flatMap { q in
      (0..<steps).map { $0 * ResultOrder.width + q * length }
    }
  }

  /// The k of each step, lane by lane, in the order in which the steps are done.
  var joins: [[Int]] {
    let width = ResultOrder.width
    if kind == .natural || isSingle {
      return (0..<(length / width)).map { step in (0..<width).map { step * width + $0 } }
    }
    return (0..<steps).flatMap { step in
      let rising = (0..<width).map { step * width + $0 }
      return [rising, rising.map { length - 1 - $0 }]
    }
  }

  /// Floats of all results, and of what is written on the way to them.
  var floats: Int { kind == .natural ? 2 * size : 4 * ResultOrder.width * steps * lanes }
}
