import DSP

extension SBRChannel {
  /// Gives the copied bands their energies, noise and sinusoids (4.6.18.7).
  func adjust(_ data: SBRChannelData, _ header: SBRHeader, _ bands: SBRBands, _ work: inout SBRWork) {
    let grid = data.grid
    let transient = grid.transient
    let before = sinusoids
    for envelope in 0..<grid.envelopeCount {
      let rows = shape.step * grid.borders[envelope]..<shape.step * grid.borders[envelope + 1]
      let isTransient = envelope == transient || envelope == 0 && endsWithTransient
      measure(rows, bands, &work.gains)
      if !header.interpolates { work.gains.average(over: bands.borders(isHigh: grid.isHigh(envelope))) }
      map(data, envelope, bands, before, &work.gains)
      work.gains.compute(
        limiter: bands.limiters[header.limiterBands & 3], limiterGains: header.limiterGains,
        isTransient: isTransient)
      assemble(rows, bands, header, isTransient, &work)
      startsOver = false
    }
    // The last four rows are the past of the next frame.
    keepRows(from: shape.step * grid.end)
  }

  private func measure(_ rows: Range<Int>, _ bands: SBRBands, _ gains: inout SBRGains) {
    ReplicationKernels.energies(
      high, rows: rows, first: bands.first, count: bands.count, into: &gains.current)
    let scale = 1 / Float(rows.count)
    for index in 0..<bands.count { gains.current[index] *= scale }
  }

  /// Spreads the envelope, its noise floor and the sinusoids over the QMF bands (4.6.18.7.2).
  private func map(
    _ data: SBRChannelData, _ envelope: Int, _ bands: SBRBands, _ before: UInt64, _ gains: inout SBRGains
  ) {
    let grid = data.grid
    let first = bands.first
    let isHigh = grid.isHigh(envelope)
    let borders = bands.borders(isHigh: isHigh)
    var now: UInt64 = 0
    for band in 0..<bands.highCount where data.harmonics >> UInt64(band) & 1 != 0 {
      let center: UInt64 = 1 << UInt64((bands.high[band] + bands.high[band + 1]) / 2)
      if envelope >= grid.transient || before & center != 0 { now |= center }
    }
    sinusoids = now
    for band in 0..<borders.count - 1 {
      let level = levels.envelopes[envelope * SBRChannelData.stride + band]
      let range = borders[band]..<borders[band + 1]
      let isNear = now & ((1 << UInt64(range.upperBound)) &- (1 << UInt64(range.lowerBound))) != 0
      for index in range {
        gains.original[index - first] = level
        gains.nearSinusoid[index - first] = isNear
        gains.hasSinusoid[index - first] = now >> UInt64(index) & 1 != 0
      }
    }
    let isSecond = grid.noiseCount > 1 && envelope >= grid.noiseBorder
    let base = isSecond ? SBRChannelData.noiseStride : 0
    for band in 0..<bands.noiseCount {
      let level = levels.noises[base + band]
      for index in bands.noise[band]..<bands.noise[band + 1] { gains.noise[index - first] = level }
    }
  }

  private func assemble(
    _ rows: Range<Int>, _ bands: SBRBands, _ header: SBRHeader, _ isTransient: Bool, _ work: inout SBRWork
  ) {
    if startsOver { fillRows(rows.lowerBound..<rows.lowerBound + 4, with: work.gains, count: bands.count) }
    fillRows(rows.lowerBound + 4..<rows.upperBound + 4, with: work.gains, count: bands.count)
    let isSmoothed = header.smooths && !isTransient
    let what = ReplicationKernels.Adjustment(
      rows: rows, first: bands.first, count: bands.count, step: isSmoothed ? SBRGains.room : 0,
      offset: isSmoothed ? rows.lowerBound * SBRGains.room : 0, noiseIndex: noiseIndex + 1,
      addsNoise: !isTransient, phase: phase, addsSinusoids: work.gains.addsSinusoids)
    if isSmoothed {
      ReplicationKernels.smooth(
        gainRows, weights: SBRWork.smoothing, rows: rows, step: SBRGains.room, count: bands.count,
        into: &work.smoothGains)
      ReplicationKernels.smooth(
        levelRows, weights: SBRWork.smoothing, rows: rows, step: SBRGains.room, count: bands.count,
        into: &work.smoothLevels)
      ReplicationKernels.adjust(
        &high, what, gains: work.smoothGains, levels: work.smoothLevels, mask: work.gains.mask,
        sinusoids: work.gains.sinusoids, noise: SBRWork.noise)
    } else {
      ReplicationKernels.adjust(
        &high, what, gains: work.gains.gains, levels: work.gains.levels, mask: work.gains.mask,
        sinusoids: work.gains.sinusoids, noise: SBRWork.noise)
    }
    noiseIndex = (noiseIndex + rows.count * bands.count) & (ReplicationKernels.noiseCount - 1)
    phase = (phase + rows.count) & 3
  }

  private func fillRows(_ rows: Range<Int>, with gains: SBRGains, count: Int) {
    for row in rows {
      SpectralKernels.copy(gains.gains, range: 0..<count, to: &gainRows, at: row * SBRGains.room)
      SpectralKernels.copy(gains.levels, range: 0..<count, to: &levelRows, at: row * SBRGains.room)
    }
  }

  /// Moves the four rows before `row` (in the frame's count) to where the next frame's past stands: its rows
  /// begin `slots` later.
  private func keepRows(from row: Int) {
    let past = max(0, row - shape.slots)
    ReplicationKernels.moveRows(
      &gainRows, from: row, to: past, count: 4, stride: SBRGains.room)
    ReplicationKernels.moveRows(
      &levelRows, from: row, to: past, count: 4, stride: SBRGains.room)
  }
}
