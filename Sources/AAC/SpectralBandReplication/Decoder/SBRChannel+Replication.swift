import DSP

/// What all channels replicate with.
struct SBRWork: Sendable {
  /// α0 and α1 of the low bands.
  var predictions = [Float](repeating: 0, count: 4 * ReplicationKernels.coefficientStride)
  /// The same for the replicated bands, with the chirp factors.
  var coefficients = [Float](repeating: 0, count: 4 * ReplicationKernels.coefficientStride)
  var gains = SBRGains()
  var smoothGains: [Float] = []
  var smoothLevels: [Float] = []

  init(_ shape: SBRFrameShape) {
    smoothGains = [Float](repeating: 0, count: (shape.slots + shape.lookahead) * SBRGains.room)
    smoothLevels = smoothGains
  }

  static let noise: [Float] = {
    let overlap = ReplicationKernels.noiseOverlap
    return SBRNoiseTable.real + SBRNoiseTable.real.prefix(overlap) + SBRNoiseTable.imaginary
      + SBRNoiseTable.imaginary.prefix(overlap)
  }()

  static let smoothing: [Float] = [
    0.03183050093751, 0.11516383427084, 0.21816949906249, 0.30150283239582, 0.33333333333333,
  ]
}

extension SBRChannel {
  /// Makes the frame of the low bands and the replicated ones. `levels` have to be those of the frame.
  func replicate(
    _ data: SBRChannelData, _ header: SBRHeader, _ bands: SBRBands, hasReset: Bool, _ work: inout SBRWork
  ) {
    if hasReset {
      forget()
      noiseIndex = 0
    }
    let grid = data.grid
    let slots = shape.slots
    ReplicationKernels.copyLow(low, bands: bands.first, rows: filled..<slots + shape.lookahead, to: &high)
    updateChirps(data, bands)
    ReplicationKernels.predict(
      low, rows: ReplicationKernels.delay..<slots + shape.history, bands: bands.range.start,
      into: &work.predictions)
    spread(bands, &work)
    let rows = shape.step * grid.start..<shape.step * grid.end
    var offset = 0
    for patch in bands.patches {
      ReplicationKernels.copyUp(
        low, source: patch.source, width: patch.width, coefficients: work.coefficients, first: bands.first,
        offset: offset, rows: rows, to: &high)
      offset += patch.width
    }
    // Bands without a patch, and those that the kernel touched beyond the last patch.
    ReplicationKernels.clearBands(
      &high, rows: rows, first: bands.first + offset, count: 64 - bands.first - offset)
    adjust(data, header, bands, &work)
    filled = max(0, rows.upperBound - slots)
    endsWithTransient = grid.transient == grid.envelopeCount
    inverseFilters = data.inverseFilters
  }

  /// Rows: bs_invf_mode of the frame before; columns: of this frame.
  private static let newChirps: [[Float]] = [
    [0, 0.6, 0.9, 0.98], [0.6, 0.75, 0.9, 0.98], [0, 0.75, 0.9, 0.98], [0, 0.75, 0.9, 0.98],
  ]

  private func updateChirps(_ data: SBRChannelData, _ bands: SBRBands) {
    for band in 0..<bands.noiseCount {
      let new = Self.newChirps[Int(inverseFilters[band] & 3)][Int(data.inverseFilters[band] & 3)]
      let old = chirps[band]
      var chirp = new < old ? 0.75 * new + 0.25 * old : 0.90625 * new + 0.09375 * old
      if chirp < 0.015625 { chirp = 0 }
      chirps[band] = min(chirp, 0.99609375)
    }
  }

  /// From coefficients of the low bands to those of the bands they are copied to.
  private func spread(_ bands: SBRBands, _ work: inout SBRWork) {
    let stride = ReplicationKernels.coefficientStride
    var band = 0
    var noiseBand = 0
    for patch in bands.patches {
      for source in patch.source..<patch.source + patch.width {
        while noiseBand < bands.noiseCount - 1, bands.first + band >= bands.noise[noiseBand + 1] {
          noiseBand += 1
        }
        let chirp = chirps[noiseBand]
        work.coefficients[band] = chirp * work.predictions[source]
        work.coefficients[stride + band] = chirp * work.predictions[stride + source]
        work.coefficients[2 * stride + band] = chirp * chirp * work.predictions[2 * stride + source]
        work.coefficients[3 * stride + band] = chirp * chirp * work.predictions[3 * stride + source]
        band += 1
      }
    }
  }
}
