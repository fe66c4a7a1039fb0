/// sign(q)·|q|^(4/3) for every quantised value, computed at the first use.
struct PowerTable: @unchecked Sendable {
  static let fourThirds = PowerTable()

  private let storage: FloatStore
  /// The entry of 0; −8191…8191 may be indexed.
  let centre: UnsafePointer<Float>

  private init() {
    let largest = SpectralKernels.largestQuantized
    let powers = (0...largest).map { Double($0) * Elementary.cubeRoot(Double($0)) }
    storage = FloatStore(powers[1...].reversed().map { -$0 } + powers)
    centre = UnsafePointer(storage.pointer) + largest
  }
}
