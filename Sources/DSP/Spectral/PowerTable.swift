/// sign(q)·|q|^(4/3) for every quantised value, computed at the first use.
struct PowerTable: @unchecked Sendable {
  static let fourThirds = PowerTable()

  private let storage: FloatStore
  /// The entry of 0; −8191…8191 may be indexed.
  let centre: UnsafePointer<Float>
  /// The powers of 0…7.
  let small: Lanes8

  private init() {
    let largest = SpectralKernels.largestQuantized
    let powers = (0...largest).map { Double($0) * Elementary.cubeRoot(Double($0)) }
    storage = FloatStore(powers[1...].reversed().map { -$0 } + powers)
    centre = UnsafePointer(storage.pointer) + largest
    small = load(centre)
  }

  /// q^(4/3) = q·(a + q·(b + q·c)) for q = 0…3: the parabola through the cube roots of 1, 2 and 3.
  static let cubic: (a: Float, b: Float, c: Float) = {
    let two = Elementary.cubeRoot(2)
    let three = Elementary.cubeRoot(3)
    let c = (three - 2 * two + 1) / 2
    let b = two - 1 - 3 * c
    return (Float(1 - b - c), Float(b), Float(c))
  }()
}
