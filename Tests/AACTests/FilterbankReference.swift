@testable import AAC

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The synthesis filterbank as its definition says, in double precision.
enum FilterbankReference {
  static func cosine(_ x: Double) -> Float { Float(cos(x)) }

  static func slope(_ length: Int, _ shape: WindowShape, alpha: Double) -> [Double] {
    if shape == .sine {
      return (0..<length).map { sin(Double.pi / Double(2 * length) * (Double($0) + 0.5)) }
    }
    let kernel = (0...length).map { index -> Double in
      let x = 2 * Double(index) / Double(length) - 1
      let half = Double.pi * alpha * (1 - x * x).squareRoot() / 2
      var term = 1.0
      var sum = 1.0
      for order in 1...60 {
        term *= half / Double(order)
        sum += term * term
      }
      return sum
    }
    let total = kernel.reduce(0, +)
    var sum = 0.0
    return (0..<length).map { index in
      sum += kernel[index]
      return (sum / total).squareRoot()
    }
  }

  static func rise(_ lines: Int, _ slope: [Double]) -> [Double] {
    let flat = (lines - slope.count) / 2
    return [Double](repeating: 0, count: flat) + slope + [Double](repeating: 1, count: flat)
  }

  /// The 2N samples of one block before overlapping, full scale ±1.0.
  static func block(
    _ spectrum: [Float], _ sequence: WindowSequence, _ shape: WindowShape, _ previous: WindowShape
  ) -> [Double] {
    let lines = spectrum.count
    let short = lines / 8
    var result = [Double](repeating: 0, count: 2 * lines)
    guard sequence == .eightShort else {
      let left =
        sequence == .longStop ? slope(short, previous, alpha: 6) : slope(lines, previous, alpha: 4)
      let right = sequence == .longStart ? slope(short, shape, alpha: 6) : slope(lines, shape, alpha: 4)
      add(spectrum[...], rise(lines, left) + rise(lines, right).reversed(), &result, 0)
      return result
    }
    for window in 0..<8 {
      let left = slope(short, window == 0 ? previous : shape, alpha: 6)
      let right = slope(short, shape, alpha: 6)
      add(
        spectrum[(window * short)..<((window + 1) * short)], left + right.reversed(), &result,
        (lines - short) / 2 + window * short)
    }
    return result
  }

  private static func add(
    _ spectrum: ArraySlice<Float>, _ window: [Double], _ result: inout [Double], _ offset: Int
  ) {
    let lines = spectrum.count
    for (line, value) in spectrum.enumerated() where value != 0 {
      for n in 0..<(2 * lines) {
        let angle = (2 * n + lines + 1) * (2 * line + 1) % (8 * lines)
        result[offset + n] +=
          Double(value) * cos(2 * Double.pi * Double(angle) / Double(8 * lines)) * window[n]
          / Double(lines) / 32768
      }
    }
  }
}
