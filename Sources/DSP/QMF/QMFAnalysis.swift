/// The analysis filterbank of 32 complex bands: 32 samples give one sample of each band
/// (ISO/IEC 14496-3, 4.6.18.4.1), or that of low delay.
///
/// Holds tables and scratch; a channel's memory is its caller's. Use it from one thread at a time.
public final class QMFAnalysis {
  public static let bands = 32
  /// Samples beyond ±`largestSample` count as that: squares of squares of the bands must not overflow.
  public static let largestSample: Float = 65536
  /// Samples that a slot reaches back beyond its own 32.
  public static let historyCount = 288

  private let transform = QMFTransform(size: 32)
  /// For j in 0..<5 and m in 0..<64: the tap that sample m of block j, oldest first, is weighted with.
  private let taps: FloatStore
  /// cos and sin of πm/64.
  private let turnsIn: FloatStore
  /// The gain and each band's turn.
  private let turnsOut: FloatStore
  private let rows = FloatStore(count: 8 * 64)
  private let columns = FloatStore(count: 8 * 64)

  /// - Parameters:
  ///   - prototype: the 640 taps of the prototype filter.
  ///   - gain: what the samples are multiplied with.
  public init(prototype: [Float], gain: Double, modulation: QMFModulation = .symmetric) {
    precondition(prototype.count == 640, "640 taps")
    let all = modulation.taps(prototype, bands: 32)
    taps = FloatStore((0..<320).map { all[63 - $0 % 64 + 64 * ($0 / 64)] })
    let inner = (0..<32).map { Elementary.root(-$0, of: 128) }
    turnsIn = FloatStore(inner.map(\.re) + inner.map(\.im))
    let turn = modulation.analysisTurn
    let outer = (0..<32).map { Elementary.root((2 * $0 + 1) * turn, of: 512) }
    turnsOut = FloatStore(outer.map { 2 * gain * $0.re } + outer.map { 2 * gain * $0.im })
  }

  /// Analyses `slots` (eight or more) slots.
  ///
  /// - Parameters:
  ///   - samples: the first 32·`slots` of them are read.
  ///   - memory: room for `historyCount` + 32·`slots` samples; the first are those before.
  ///   - target: rows of 32 bands, filled from `row` on.
  public func analyze(
    _ samples: [Float], slots: Int, memory: inout [Float], into target: inout [Float], row: Int
  ) {
    let count = 32 * slots
    precondition(slots >= 8 && samples.count >= count, "enough samples")
    precondition(memory.count >= Self.historyCount + count, "room in the memory")
    precondition(
      row >= 0 && target.count >= (row + slots) * QMFLayout.lowStride, "room for the rows")
    samples.withUnsafeBufferPointer { samples in
      memory.withUnsafeMutableBufferPointer { memory in
        target.withUnsafeMutableBufferPointer { target in
          guard let source = samples.baseAddress, let memory = memory.baseAddress,
            let target = target.baseAddress
          else { return }
          Self.copyLimited(source, memory + Self.historyCount, count)
          var slot = 0
          while slot < slots {
            let start = min(slot, slots - 8)
            window(memory + 32 * start)
            transformRows()
            spread(target + (row + start) * QMFLayout.lowStride)
            slot += 8
          }
          memory.update(from: memory + count, count: Self.historyCount)
        }
      }
    }
  }

  private static func copyLimited(
    _ source: UnsafePointer<Float>, _ target: UnsafeMutablePointer<Float>, _ count: Int
  ) {
    let top = Lanes8(repeating: largestSample)
    let bottom = Lanes8(repeating: -largestSample)
    var place = 0
    while place < count {
      let x = load(source + place)
      let limited = x.replacing(with: top, where: x .> top)
      store(limited.replacing(with: bottom, where: limited .< bottom), target + place)
      place &+= 8
    }
  }

  /// Eight rows of 64 weighted sums, the newest sample's last.
  private func window(_ samples: UnsafePointer<Float>) {
    let taps = UnsafePointer(self.taps.pointer)
    let rows = self.rows.pointer
    for slot in 0..<8 {
      // The newest block of 64 ends with the slot's own samples.
      let newest = samples + (32 &* slot &+ 256)
      let row = rows + 64 &* slot
      var m = 0
      while m < 64 {
        var sum = load(newest + m) * load(taps + m)
        sum = Lanes.multiplyAdd(load(newest + (m &- 64)), load(taps + (m &+ 64)), sum)
        sum = Lanes.multiplyAdd(load(newest + (m &- 128)), load(taps + (m &+ 128)), sum)
        sum = Lanes.multiplyAdd(load(newest + (m &- 192)), load(taps + (m &+ 192)), sum)
        sum = Lanes.multiplyAdd(load(newest + (m &- 256)), load(taps + (m &+ 256)), sum)
        store(sum, row + m)
        m &+= 8
      }
    }
  }

  /// From the rows to the columns' bands: 32 vectors of real parts, then 32 of imaginary ones.
  private func transformRows() {
    let rows = UnsafePointer(self.rows.pointer)
    let columns = self.columns.pointer
    for m in 0..<8 { Transposition.run(rows + 8 &* m, 64, columns + 64 &* m, 8) }
    let input = transform.input
    let turns = UnsafePointer(turnsIn.pointer)
    for m in 0..<32 {
      let re = load(UnsafePointer(columns) + 8 &* (63 &- m))
      let im = load(UnsafePointer(columns) + 8 &* (31 &- m))
      let cosine = Lanes8(repeating: turns[m])
      let sine = Lanes8(repeating: turns[32 &+ m])
      store(Lanes.multiplyAdd(im, cosine, re * sine), input + 16 &* m)
      store(Lanes.multiplySubtract(re, cosine, im * sine), input + (16 &* m &+ 8))
    }
    let result = transform.run()
    let turnsOut = UnsafePointer(self.turnsOut.pointer)
    for k in 0..<32 {
      // The odd bands are the conjugates of those beyond the 32nd.
      let isOdd = k & 1 != 0
      let place = result + 16 &* (isOdd ? (63 &- k) >> 1 : k >> 1)
      let re = load(place + 8)
      let im = isOdd ? Lanes8(repeating: 0) - load(place) : load(place)
      let cosine = Lanes8(repeating: turnsOut[k])
      let sine = Lanes8(repeating: turnsOut[32 &+ k])
      store(Lanes.multiplySubtract(re, cosine, im * sine), columns + 8 &* k)
      store(Lanes.multiplyAdd(im, cosine, re * sine), columns + 8 &* (32 &+ k))
    }
  }

  private func spread(_ target: UnsafeMutablePointer<Float>) {
    let columns = UnsafePointer(self.columns.pointer)
    for part in 0..<8 {
      Transposition.run(columns + 64 &* part, 8, target + 8 &* part, QMFLayout.lowStride)
    }
  }
}
