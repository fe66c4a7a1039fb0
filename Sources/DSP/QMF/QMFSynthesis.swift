/// The synthesis filterbank of 64 complex bands, or of 32 for down-sampled output: one sample of each band
/// gives 64 or 32 samples (ISO/IEC 14496-3, 4.6.18.4.2 and 4.6.18.4.3), or that of low delay.
///
/// Holds tables and scratch; a channel's memory is its caller's. Use it from one thread at a time.
public final class QMFSynthesis {
  /// Slots that a slot's output reaches back to.
  private static let historySlots = 9

  public let bands: Int
  private let transform: QMFTransform
  private let taps: FloatStore
  /// cos and sin of each band's turn.
  private let turnsIn: FloatStore
  /// The gain times cos and sin of πm/(2·bands).
  private let turnsOut: FloatStore
  private let columns: FloatStore

  /// Floats that a channel's memory has to have for frames of `slots` slots; zeros at the start.
  public func memoryCount(slots: Int) -> Int { (slots + Self.historySlots) * 2 * bands }

  /// - Parameters:
  ///   - bands: 64, or 32, which ignores the upper half of the bands and gives half the samples.
  ///   - prototype: the 640 taps of the prototype filter.
  ///   - gain: what the samples are multiplied with.
  public init(bands: Int, prototype: [Float], gain: Double, modulation: QMFModulation = .symmetric) {
    precondition(bands == 64 || bands == 32, "64 or 32 bands")
    precondition(prototype.count == 640, "640 taps")
    self.bands = bands
    transform = QMFTransform(size: bands)
    taps = FloatStore(modulation.taps(prototype, bands: bands))
    let turn = modulation.synthesisTurn(bands: bands)
    let inner = (0..<bands).map { Elementary.root(-(2 * $0 + 1) * turn, of: 512) }
    turnsIn = FloatStore(inner.map(\.re) + inner.map(\.im))
    let outer = (0..<bands).map { Elementary.root(-$0, of: 4 * bands) }
    turnsOut = FloatStore(outer.map { gain / 64 * $0.re } + outer.map { gain / 64 * $0.im })
    columns = FloatStore(count: 16 * bands)
  }

  /// Synthesises `slots` (eight or more) slots into the first `bands`·`slots` samples of `output`.
  ///
  /// - Parameters:
  ///   - source: rows of 64 bands, read from `row` on.
  ///   - memory: `memoryCount(slots:)` floats.
  public func synthesize(
    _ source: [Float], row: Int, slots: Int, memory: inout [Float], into output: inout [Float]
  ) {
    precondition(slots >= 8 && output.count >= bands * slots, "room for the samples")
    precondition(
      row >= 0 && source.count >= (row + slots) * QMFLayout.stride, "enough rows")
    precondition(memory.count >= memoryCount(slots: slots), "room in the memory")
    source.withUnsafeBufferPointer { source in
      memory.withUnsafeMutableBufferPointer { memory in
        output.withUnsafeMutableBufferPointer { output in
          guard let source = source.baseAddress, let memory = memory.baseAddress,
            let output = output.baseAddress
          else { return }
          let rows = memory + 2 * bands * Self.historySlots
          var slot = 0
          while slot < slots {
            let start = min(slot, slots - 8)
            transformRows(source + (row + start) * QMFLayout.stride)
            spread(rows + 2 * bands * start)
            slot += 8
          }
          for slot in 0..<slots { window(rows + 2 * bands * slot, output + bands * slot) }
          memory.update(from: memory + 2 * bands * slots, count: 2 * bands * Self.historySlots)
        }
      }
    }
  }

  /// Eight rows to the columns' 2·`bands` values.
  private func transformRows(_ source: UnsafePointer<Float>) {
    let columns = self.columns.pointer
    let bands = self.bands
    for part in 0..<bands / 8 {
      Transposition.run(source + 8 &* part, QMFLayout.stride, columns + 64 &* part, 8)
      Transposition.run(
        source + (8 &* part &+ QMFLayout.imaginary), QMFLayout.stride, columns + 8 &* (8 &* part &+ bands),
        8)
    }
    let input = transform.input
    let turns = UnsafePointer(turnsIn.pointer)
    for r in 0..<bands {
      // The bands beyond half stand for conjugates of the odd ones.
      let isMirrored = 2 &* r >= bands
      let k = isMirrored ? 2 &* bands &- 1 &- 2 &* r : 2 &* r
      let re = load(UnsafePointer(columns) + 8 &* k)
      let im = load(UnsafePointer(columns) + 8 &* (bands &+ k))
      let cosine = Lanes8(repeating: turns[k])
      let sine = Lanes8(repeating: turns[bands &+ k])
      let turned = Lanes.multiplyAdd(im, cosine, re * sine)
      store(isMirrored ? Lanes8(repeating: 0) - turned : turned, input + 16 &* r)
      store(Lanes.multiplySubtract(re, cosine, im * sine), input + (16 &* r &+ 8))
    }
    let result = transform.run()
    let turnsOut = UnsafePointer(self.turnsOut.pointer)
    for m in 0..<bands {
      let re = load(result + (16 &* m &+ 8))
      let im = load(result + 16 &* m)
      let cosine = Lanes8(repeating: turnsOut[m])
      let sine = Lanes8(repeating: turnsOut[bands &+ m])
      store(Lanes.multiplySubtract(im, sine, re * cosine), columns + 8 &* m)
      store(Lanes.multiplyAdd(im, cosine, re * sine), columns + 8 &* (bands &+ m))
    }
  }

  private func spread(_ target: UnsafeMutablePointer<Float>) {
    let columns = UnsafePointer(self.columns.pointer)
    for part in 0..<bands / 4 {
      Transposition.run(columns + 64 &* part, 8, target + 8 &* part, 2 &* bands)
    }
  }

  private func window(_ row: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>) {
    let taps = UnsafePointer(self.taps.pointer)
    let bands = self.bands
    let across = 2 &* bands
    var k = 0
    while k < bands {
      let here = row + k
      // The second half of the slot before.
      let other = row + (k &- bands)
      let weights = taps + k
      var sum = load(here) * load(weights)
      var second = load(other) * load(weights + bands)
      for n in 1..<5 {
        let back = -2 &* n &* across
        let weight = weights + n &* across
        sum = Lanes.multiplyAdd(load(here + back), load(weight), sum)
        second = Lanes.multiplyAdd(load(other + back), load(weight + bands), second)
      }
      store(sum + second, output + k)
      k &+= 8
    }
  }
}
