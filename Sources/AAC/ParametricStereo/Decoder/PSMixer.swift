import DSP

/// The mixing matrices of all bands as they move from envelope to envelope.
struct PSMixer: Sendable {
  /// A matrix with its phases turned in.
  private struct Entry: Sendable {
    var real = PSMatrix()
    var imaginary = PSMatrix()
  }

  private var entries = [Entry](repeating: Entry(), count: 34)
  private var before = [Entry](repeating: Entry(), count: 34)
  private var intensities = [Int](repeating: 0, count: 34)
  private var coherences = [Int](repeating: 0, count: 34)
  private var differences = [Int](repeating: 0, count: 34)
  private var overalls = [Int](repeating: 0, count: 34)
  /// The two phases before, by band.
  private var pastDifferences = [SIMD2<Int>](repeating: SIMD2(), count: 17)
  private var pastOveralls = [SIMD2<Int>](repeating: SIMD2(), count: 17)
  private var coefficients = [Float](repeating: 0, count: 8 * StereoBank.room)
  private var steps = [Float](repeating: 0, count: 8 * StereoBank.room)
  private var wasComplex = false

  /// Carries the last matrices over to the other division.
  mutating func remap(to34: Bool) {
    let reals = entries.map(\.real)
    let imaginaries = entries.map(\.imaginary)
    let count = to34 ? 34 : 20
    for path in [\PSMatrix.h11, \.h12, \.h21, \.h22] {
      let real = PSMapping.remap(reals, to34: to34, path)
      let imaginary = PSMapping.remap(imaginaries, to34: to34, path)
      for band in 0..<count {
        entries[band].real[keyPath: path] = real[band]
        entries[band].imaginary[keyPath: path] = imaginary[band]
      }
    }
    for band in pastDifferences.indices {
      pastDifferences[band] = SIMD2()
      pastOveralls[band] = SIMD2()
    }
  }

  /// Mixes rows with the matrices as they are.
  mutating func hold(_ bank: StereoBank, _ rows: Range<Int>) {
    run(bank, rows, from: entries, isComplex: wasComplex)
  }

  /// Mixes the rows of one envelope, the matrices moving to those of its parameters.
  mutating func mix(_ bank: StereoBank, _ data: PSData, _ envelope: Int, _ rows: Range<Int>) {
    let is34 = bank.shape.parameterCount == 34
    PSMapping.map(
      data.intensities, at: envelope * PSData.stride, count: data.intensityCount,
      family: data.intensityMode % 3, to34: is34, into: &intensities)
    PSMapping.map(
      data.coherences, at: envelope * PSData.stride, count: data.coherenceCount,
      family: data.coherenceMode % 3, to34: is34, into: &coherences)
    if data.hasPhases {
      PSMapping.map(
        data.phaseDifferences, at: envelope * PSData.phaseStride, count: data.phaseCount,
        family: data.intensityMode % 3, to34: is34, into: &differences)
      PSMapping.map(
        data.overallPhases, at: envelope * PSData.phaseStride, count: data.phaseCount,
        family: data.intensityMode % 3, to34: is34, into: &overalls)
    }
    swap(&entries, &before)
    let all = PSMatrix.all
    let phaseBands = data.hasPhases ? (is34 ? 17 : 11) : 0
    for band in 0..<(is34 ? 34 : 20) {
      entries[band].real =
        all[
          PSMatrix.index(
            intensity: intensities[band], isFine: data.isFine, coherence: coherences[band],
            rotates: data.mixesByRotation)]
      entries[band].imaginary = PSMatrix()
      if band < phaseBands { turn(band) }
    }
    run(bank, rows, from: before, isComplex: data.hasPhases || wasComplex)
    wasComplex = data.hasPhases
  }

  /// Turns the matrix of a band by its smoothed phases.
  private mutating func turn(_ band: Int) {
    let overall = Self.smoothed(overalls[band], &pastOveralls[band])
    let difference = Self.smoothed(differences[band], &pastDifferences[band])
    let right = SIMD2(
      overall.x * difference.x + overall.y * difference.y,
      overall.y * difference.x - overall.x * difference.y)
    let real = entries[band].real
    entries[band].real = PSMatrix(
      h11: real.h11 * overall.x, h12: real.h12 * right.x, h21: real.h21 * overall.x,
      h22: real.h22 * right.x)
    entries[band].imaginary = PSMatrix(
      h11: real.h11 * overall.y, h12: real.h12 * right.y, h21: real.h21 * overall.y,
      h22: real.h22 * right.y)
  }

  private static let eighths: [SIMD2<Float>] = {
    let half = Float(0.5).squareRoot()
    return [
      SIMD2(1, 0), SIMD2(half, half), SIMD2(0, 1), SIMD2(-half, half), SIMD2(-1, 0), SIMD2(-half, -half),
      SIMD2(0, -1), SIMD2(half, -half),
    ]
  }()

  /// The direction of the phase and the two before, which count for a half and a quarter.
  private static func smoothed(_ phase: Int, _ past: inout SIMD2<Int>) -> SIMD2<Float> {
    let sum = 0.25 * eighths[past.y & 7] + 0.5 * eighths[past.x & 7] + eighths[phase & 7]
    past = SIMD2(phase, past.x)
    let square = sum * sum
    let length = (square.x + square.y).squareRoot()
    return length > 0 ? sum / length : SIMD2(1, 0)
  }

  private mutating func run(
    _ bank: StereoBank, _ rows: Range<Int>, from start: [Entry], isComplex: Bool
  ) {
    guard !rows.isEmpty else { return }
    let scale = 1 / Float(rows.count)
    let bands = bank.shape.parameterBands
    let mirrored = bank.shape.parameterCount == 34 ? PSTables.mirrored34 : PSTables.mirrored20
    let room = StereoBank.room
    for hybrid in bands.indices {
      let band = bands[hybrid]
      let from = start[band]
      let to = entries[band]
      Self.set(&coefficients, &steps, hybrid, from.real.h11, to.real.h11, scale)
      Self.set(&coefficients, &steps, hybrid + room, from.real.h12, to.real.h12, scale)
      Self.set(&coefficients, &steps, hybrid + 2 * room, from.real.h21, to.real.h21, scale)
      Self.set(&coefficients, &steps, hybrid + 3 * room, from.real.h22, to.real.h22, scale)
      guard isComplex else { continue }
      let sign: Float = mirrored.contains(hybrid) ? -1 : 1
      let first = hybrid + 4 * room
      Self.set(&coefficients, &steps, first, sign * from.imaginary.h11, sign * to.imaginary.h11, scale)
      Self.set(
        &coefficients, &steps, first + room, sign * from.imaginary.h12, sign * to.imaginary.h12, scale)
      Self.set(
        &coefficients, &steps, first + 2 * room, sign * from.imaginary.h21, sign * to.imaginary.h21, scale)
      Self.set(
        &coefficients, &steps, first + 3 * room, sign * from.imaginary.h22, sign * to.imaginary.h22, scale)
    }
    bank.mix(rows, coefficients: &coefficients, steps: steps, isComplex: isComplex)
  }

  @inline(__always)
  private static func set(
    _ coefficients: inout [Float], _ steps: inout [Float], _ place: Int, _ from: Float, _ to: Float,
    _ scale: Float
  ) {
    coefficients[place] = from
    steps[place] = (to - from) * scale
  }
}
