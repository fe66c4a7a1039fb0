#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension SBRBands {
  /// Which low bands the high ones are copied from (4.6.18.6.3).
  static func patches(
    _ master: [Int], _ range: SBRFrequencyRange, _ high: [Int], _ rate: Int
  ) throws(AACError) -> [Patch] {
    let first = high[0]
    let end = high[high.count - 1]
    let goal = SBRFrequencyRange.nearest(2_048_000 / Double(rate))
    let last = master.count - 1
    var top = goal < end ? master.firstIndex { $0 >= goal } ?? last : last
    var sourceEnd = range.start
    var covered = first
    var patches: [Patch] = []
    for _ in 0..<64 {
      var index = top
      // The highest border whose bands have sources below; the parity of the shift is kept.
      while index > 0, master[index] > range.start - 1 + sourceEnd - parity(master[index], range.start) {
        index -= 1
      }
      let border = master[index]
      let odd = parity(border, range.start)
      let width = max(border - covered, 0)
      if width > 0 {
        let source = range.start - odd - width
        guard source >= 0, patches.count < largestPatchCount else {
          throw AACError(.inconsistent("bands that cannot be patched"))
        }
        patches.append(Patch(source: source, width: width))
        covered = border
        sourceEnd = border
      } else {
        sourceEnd = first
      }
      if master[top] - border < 3 { top = last }
      if border == end {
        if patches.count > 1, patches[patches.count - 1].width < 3 { patches.removeLast() }
        guard !patches.isEmpty else { break }
        return patches
      }
    }
    throw AACError(.inconsistent("bands that cannot be patched"))
  }

  private static func parity(_ border: Int, _ start: Int) -> Int { (border - 2 + start) & 1 }

  /// The bands whose gains are limited together (4.6.18.3.2.3).
  static func limiter(_ low: [Int], _ patches: [Patch], index: Int) -> [Int] {
    guard index > 0 else { return [low[0], low[low.count - 1]] }
    let perOctave = [1.2, 2, 3][min(index, 3) - 1]
    var patchBorders = [low[0]]
    for patch in patches { patchBorders.append(patchBorders[patchBorders.count - 1] + patch.width) }
    var borders = (low + patchBorders.dropFirst().dropLast()).sorted()
    var place = 1
    while place < borders.count {
      let octaves = log2(Double(borders[place]) / Double(borders[place - 1]))
      if octaves * perOctave < 0.49 {
        if borders[place] == borders[place - 1] || !patchBorders.contains(borders[place]) {
          borders.remove(at: place)
          continue
        }
        if !patchBorders.contains(borders[place - 1]) {
          borders.remove(at: place - 1)
          continue
        }
      }
      place += 1
    }
    return borders
  }
}
