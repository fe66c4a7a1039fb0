extension StereoBank {
  /// Mixes rows of the sound and of its decorrelated copy to left and right.
  ///
  /// - Parameters:
  ///   - coefficients: eight blocks of `room` values by hybrid band: h11, h12, h21, h22 (real), the same
  ///     (imaginary). They are those of the row before; afterwards those of the last row.
  ///   - steps: what is added to them before each row.
  ///   - isComplex: whether the imaginary blocks are used.
  public func mix(_ rows: Range<Int>, coefficients: inout [Float], steps: [Float], isComplex: Bool) {
    precondition(rows.lowerBound >= 0 && rows.upperBound <= slots, "rows of the frame")
    precondition(coefficients.count >= 8 * Self.room && steps.count >= 8 * Self.room, "eight blocks")
    coefficients.withUnsafeMutableBufferPointer { coefficients in
      steps.withUnsafeBufferPointer { steps in
        guard let h = coefficients.baseAddress, let steps = steps.baseAddress else { return }
        var band = 0
        while band < shape.bandCount {
          if isComplex {
            mixComplex(rows, band, h + band, steps + band)
          } else {
            mixReal(rows, band, h + band, steps + band)
          }
          band &+= 8
        }
      }
    }
  }

  /// The frame's rows, which stay where they are when `decorrelate` copies their end to the past.
  private var frame: UnsafeMutablePointer<Float> { input.pointer + Self.longDelay * Self.stride }

  private func mixReal(
    _ rows: Range<Int>, _ band: Int, _ h: UnsafeMutablePointer<Float>, _ steps: UnsafePointer<Float>
  ) {
    let room = Self.room
    var h11 = load(h)
    var h12 = load(h + room)
    var h21 = load(h + 2 * room)
    var h22 = load(h + 3 * room)
    let step11 = load(steps)
    let step12 = load(steps + room)
    let step21 = load(steps + 2 * room)
    let step22 = load(steps + 3 * room)
    let source = UnsafePointer(frame) + band
    for row in rows {
      h11 += step11
      h12 += step12
      h21 += step21
      h22 += step22
      for part in 0..<2 {
        let place = row &* Self.stride &+ part &* room
        let s = load(source + place)
        let other = self.other.pointer + (place &+ band)
        let d = load(other)
        store(Lanes.multiplyAdd(h11, s, h21 * d), left.pointer + (place &+ band))
        store(Lanes.multiplyAdd(h12, s, h22 * d), other)
      }
    }
    store(h11, h)
    store(h12, h + room)
    store(h21, h + 2 * room)
    store(h22, h + 3 * room)
  }

  private func mixComplex(
    _ rows: Range<Int>, _ band: Int, _ h: UnsafeMutablePointer<Float>, _ steps: UnsafePointer<Float>
  ) {
    let room = Self.room
    let source = UnsafePointer(frame) + band
    for row in rows {
      for block in 0..<8 {
        let place = h + block &* room
        store(load(place) + load(steps + block &* room), place)
      }
      let place = row &* Self.stride
      let re = load(source + place)
      let im = load(source + (place &+ room))
      let other = self.other.pointer + (place &+ band)
      let otherRe = load(other)
      let otherIm = load(other + room)
      let left = self.left.pointer + (place &+ band)
      let h11 = load(h)
      let h12 = load(h + room)
      let h21 = load(h + 2 * room)
      let h22 = load(h + 3 * room)
      let i11 = load(h + 4 * room)
      let i12 = load(h + 5 * room)
      let i21 = load(h + 6 * room)
      let i22 = load(h + 7 * room)
      store(h11 * re + h21 * otherRe - i11 * im - i21 * otherIm, left)
      store(h11 * im + h21 * otherIm + i11 * re + i21 * otherRe, left + room)
      store(h12 * re + h22 * otherRe - i12 * im - i22 * otherIm, other)
      store(h12 * im + h22 * otherIm + i12 * re + i22 * otherRe, other + room)
    }
  }

  /// Puts the hybrid bands together again: the first rows of both arrays get the frame's QMF samples.
  public func join(into leftRows: inout [Float], _ rightRows: inout [Float]) {
    join(left.pointer, &leftRows)
    join(other.pointer, &rightRows)
  }

  private func join(_ source: UnsafePointer<Float>, _ rows: inout [Float]) {
    ReplicationKernels.checkRows(rows.count, 0..<slots, QMFLayout.stride)
    let splitCount = shape.splits.count
    let first = shape.bandCount - 64 + splitCount
    rows.withUnsafeMutableBufferPointer { rows in
      guard let rows = rows.baseAddress else { return }
      for row in 0..<slots {
        for part in 0..<2 {
          let hybrid = source + (row &* Self.stride &+ part &* Self.room)
          let target = rows + (row &* QMFLayout.stride &+ part &* QMFLayout.imaginary)
          for (index, split) in shape.splits.enumerated() {
            var sum: Float = 0
            for band in split.first..<split.first + split.taps.count { sum += hybrid[band] }
            target[index] = sum
          }
          (target + splitCount).update(from: hybrid + first, count: 64 &- splitCount)
        }
      }
    }
  }
}
