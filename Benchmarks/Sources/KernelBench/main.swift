import DSP

/// Prints nanoseconds per call of each kernel: `kernel-bench [part of a name]`.
func benchmark() {
  var measurement = Measurement(filter: CommandLine.arguments.dropFirst().first)
  var state: UInt64 = 88_172_645_463_325_252
  func random() -> Float {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Float(Int32(truncatingIfNeeded: state >> 20)) / 2_147_483_648
  }
  let noise = (0..<4096).map { _ in random() }

  for lines in MDCT.supportedLines {
    let transform = MDCT(lines: lines)
    let slope = Window.sine(length: lines)
    var spectrum = [Float](repeating: 0, count: lines)
    var output = spectrum
    var overlap = spectrum
    measurement.run("mdct.forward \(lines)") {
      transform.forward(noise, at: 0, into: &spectrum, at: 0)
    }
    measurement.run("mdct.forward windowed \(lines)") {
      transform.forward(noise, at: 0, leftSlope: slope, rightSlope: slope, into: &spectrum, at: 0)
    }
    measurement.run("mdct.inverseHalf \(lines)") {
      transform.inverseHalf(noise, at: 0, into: &output, at: 0)
    }
    measurement.run("mdct.inverse windowed \(lines)") {
      transform.inverse(
        noise, at: 0, leftSlope: slope, rightSlope: slope, overlap: &overlap, into: &output, at: 0)
    }
  }

  do {
    let transform = MDCT(lines: 1024)
    let tiny = noise.map { $0 * .leastNonzeroMagnitude * 65536 }
    var output = [Float](repeating: 0, count: 1024)
    measurement.run("mdct.inverseHalf subnormal 1024") {
      transform.inverseHalf(tiny, at: 0, into: &output, at: 0)
    }
  }

  for size in RealFFT.supportedSizes {
    let transform = RealFFT(size: size)
    var power = [Float](repeating: 0, count: size / 2 + 1)
    measurement.run("realFFT.powerSpectrum \(size)") { transform.powerSpectrum(noise, into: &power) }
  }

  for count in [4, 16, 32, 96, 512, 1024] {
    let range = 0..<count
    var q = [Int16](repeating: 0, count: 1024)
    var target = [Float](repeating: 0, count: 1024)
    var other = target
    let magnitudes = noise.map { abs($0) * 40 }
    var powers = magnitudes
    measurement.run("powerThreeQuarters \(count)") {
      SpectralKernels.powerThreeQuarters(magnitudes, range: range, into: &target)
    }
    SpectralKernels.powerThreeQuarters(magnitudes, range: 0..<4096, into: &powers)
    measurement.run("quantize \(count)") {
      keep(SpectralKernels.quantize(powers, range: range, multiplier: 0.5, rounding: 0.4, into: &q))
    }
    measurement.run("quantizationError \(count)") {
      keep(SpectralKernels.quantizationError(magnitudes, quantized: q, range: range, step: 2.52))
    }
    for (name, multiplier) in [("", Float(0.5)), (" zeros", 0.02), (" large", 40)] {
      measurement.run("quantizeMeasuringError\(name) \(count)") {
        keep(
          SpectralKernels.quantizeMeasuringError(
            magnitudes, powers: powers, range: range, multiplier: multiplier, rounding: 0.4, step: 2.52,
            into: &q))
      }
    }
    for (name, gain) in [("", Float(6)), (" sparse", 1.2), (" zeros", 0.1), (" large", 900)] {
      for index in 0..<1024 { q[index] = Int16(noise[index] * noise[index + 1] * gain) }
      measurement.run("dequantize\(name) \(count)") {
        SpectralKernels.dequantize(q, range: range, scale: 2.5, into: &target, at: 0)
      }
    }
    measurement.run("energy \(count)") { keep(SpectralKernels.energy(noise, range: range)) }
    measurement.run("peak \(count)") { keep(SpectralKernels.peak(noise, range: range)) }
    measurement.run("midSide \(count)") {
      SpectralKernels.midSide(&target, &other, range: range)
    }
    measurement.run("scale \(count)") { SpectralKernels.scale(&target, range: range, by: 1) }
    measurement.run("addScaled \(count)") {
      SpectralKernels.addScaled(noise, range: range, gain: 1e-9, to: &target, at: 0)
    }
    let window = Array(noise[range])
    measurement.run("multiply \(count)") {
      SpectralKernels.multiply(noise, by: window, into: &target)
    }
    measurement.run("firstNonFinite \(count)") {
      keep(SpectralKernels.firstNonFinite(noise, count: count))
    }
  }
}

benchmark()
