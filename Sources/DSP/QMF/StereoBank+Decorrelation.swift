extension StereoBank {
  private static let peakDecay: Float = 0.76592833836465
  private static let smoothing: Float = 0.25
  private static let impact: Float = 1.5
  private static let allPassDelay = 2

  /// Makes the decorrelated rows of the frame at hand.
  public func decorrelate() {
    for row in 0..<slots {
      let here = UnsafePointer(input.pointer) + (row &+ Self.longDelay) &* Self.stride
      measure(here)
      filter(here, row)
    }
    input.pointer.update(
      from: input.pointer + slots * Self.stride, count: Self.longDelay * Self.stride)
    for link in links {
      link.pointer.update(
        from: link.pointer + slots * Self.linkStride, count: Self.linkHistory * Self.linkStride)
    }
  }

  /// How much each band is damped for a transient in this row (8.6.4.5.3).
  private func measure(_ row: UnsafePointer<Float>) {
    let powers = self.powers.pointer
    var band = 0
    while band < parameterBands.count {
      let re = load(row + band)
      let im = load(row + (band &+ Self.room))
      store(Lanes.multiplyAdd(re, re, im * im), powers + band)
      band &+= 8
    }
    let sums = self.sums.pointer
    sums.update(repeating: 0, count: 40)
    parameterBands.withUnsafeBufferPointer { bands in
      for band in 0..<bands.count { sums[bands[band]] += powers[band] }
      let peaks = envelopes.pointer
      let means = peaks + 40
      let distances = peaks + 80
      for parameter in 0..<shape.parameterCount {
        let power = sums[parameter]
        let decayed = peaks[parameter] * Self.peakDecay
        let peak = decayed > power ? decayed : power
        peaks[parameter] = peak
        means[parameter] += Self.smoothing * (power - means[parameter])
        distances[parameter] += Self.smoothing * (peak - power - distances[parameter])
        let limit = Self.impact * distances[parameter]
        sums[parameter] = limit > means[parameter] ? means[parameter] / limit : 1
      }
      for band in 0..<bands.count { transientGains.pointer[band] = sums[bands[band]] }
    }
  }

  private func filter(_ here: UnsafePointer<Float>, _ row: Int) {
    let target = other.pointer + row &* Self.stride
    let gains = UnsafePointer(transientGains.pointer)
    var band = 0
    // Each kind of delay begins with a whole step and overwrites what the one before did too much.
    while band < shape.allPassCount {
      allPass(here - Self.allPassDelay &* Self.stride, band, row, gains, target)
      band &+= 8
    }
    band = shape.allPassCount
    while band < shape.shortDelayStart {
      delay(here - Self.longDelay &* Self.stride, band, gains, target)
      band &+= 8
    }
    band = shape.shortDelayStart
    while band < shape.bandCount {
      delay(here - Self.stride, band, gains, target)
      band &+= 8
    }
  }

  @inline(__always)
  private func delay(
    _ source: UnsafePointer<Float>, _ band: Int, _ gains: UnsafePointer<Float>,
    _ target: UnsafeMutablePointer<Float>
  ) {
    let gain = load(gains + band)
    store(load(source + band) * gain, target + band)
    store(load(source + (band &+ Self.room)) * gain, target + (band &+ Self.room))
  }

  @inline(__always)
  private func allPass(
    _ source: UnsafePointer<Float>, _ band: Int, _ row: Int, _ gains: UnsafePointer<Float>,
    _ target: UnsafeMutablePointer<Float>
  ) {
    let room = Self.linkRoom
    var table = UnsafePointer(linkTables.pointer) + band
    let linkGains = table + 8 * room
    let sourceRe = load(source + band)
    let sourceIm = load(source + (band &+ Self.room))
    var re = sourceRe * load(table) - sourceIm * load(table + room)
    var im = sourceRe * load(table + room) + sourceIm * load(table)
    for link in 0..<3 {
      table += 2 * room
      let memory = links[link].pointer + ((row &+ Self.linkHistory) &* Self.linkStride &+ band)
      let old = UnsafePointer(memory) - Self.linkDelays[link] &* Self.linkStride
      let oldRe = load(old)
      let oldIm = load(old + room)
      let gain = load(linkGains + link &* room)
      let cosine = load(table)
      let sine = load(table + room)
      let outRe = Lanes.negativeMultiplyAdd(gain, re, oldRe * cosine - oldIm * sine)
      let outIm = Lanes.negativeMultiplyAdd(gain, im, oldRe * sine + oldIm * cosine)
      store(Lanes.multiplyAdd(gain, outRe, re), memory)
      store(Lanes.multiplyAdd(gain, outIm, im), memory + room)
      re = outRe
      im = outIm
    }
    let gain = load(gains + band)
    store(re * gain, target + band)
    store(im * gain, target + (band &+ Self.room))
  }
}
