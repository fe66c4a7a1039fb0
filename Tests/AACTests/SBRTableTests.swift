import DSP
import Testing

@testable import AAC

/// Tables of spectral band replication and parametric stereo.
@Suite struct SBRTableTests {
  @Test(arguments: SBRBandsExample.all) func bandsAreThoseOfTheExamples(_ example: SBRBandsExample) throws {
    let bands = try SBRBands(example.header, outputRate: example.rate)
    #expect([bands.range.start, bands.range.stop] == example.range)
    #expect(bands.master == example.master)
    #expect(bands.high == example.high)
    #expect(bands.low == example.low)
    #expect(bands.noise == example.noise)
    #expect(bands.patches.map { [$0.source, $0.width] } == example.patches)
    #expect(bands.limiters == example.limiters)
  }

  /// Every header at every rate is either refused or gives tables that fit into the bands there are.
  @Test(arguments: [16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000, 192_000])
  func tablesFit(rate: Int) {
    var accepted = 0
    for code in 0..<16 * 16 * 8 {
      var header = SBRHeader()
      header.startFrequency = code & 15
      header.stopFrequency = code >> 4 & 15
      header.crossoverBand = code >> 8
      header.frequencyScale = code % 4
      header.altersScale = code % 3 == 0
      header.noiseBands = code % 5 & 3
      guard let bands = try? SBRBands(header, outputRate: rate) else { continue }
      accepted += 1
      for table in [bands.master, bands.high, bands.low, bands.noise] + bands.limiters {
        for (border, next) in zip(table, table.dropFirst()) where border >= next { Issue.record("\(table)") }
      }
      #expect(bands.first <= 32 && bands.first + bands.count <= 64 && bands.highCount <= 48)
      #expect(bands.noiseCount <= 5 && bands.patches.count <= 6)
      for patch in bands.patches where patch.source < 0 || patch.source + patch.width > bands.range.start {
        Issue.record("a patch of bands that are not there")
      }
      #expect(bands.patches.map(\.width).reduce(0, +) <= bands.count)
    }
    #expect(accepted > 100)
  }

  static let sbrBooks: [SBRCodebook] = [
    .timeFine, .frequencyFine, .timeFineBalance, .frequencyFineBalance, .timeCoarse, .frequencyCoarse,
    .timeCoarseBalance, .frequencyCoarseBalance, .timeNoise, .timeNoiseBalance,
  ]
  static let psBooks: [PSCodebook] = [
    .iidCoarseFreq, .iidCoarseTime, .iidFineFreq, .iidFineTime, .iccFreq, .iccTime, .ipdFreq, .ipdTime,
    .opdFreq,
    .opdTime,
  ]

  /// Complete prefix codes, and every codeword decodes to its index.
  @Test func codebooksAreComplete() throws {
    let books =
      Self.sbrBooks.map { ($0.lengths, $0.codewords) } + Self.psBooks.map { ($0.lengths, $0.codewords) }
    #expect(
      books.map(\.0.count) == [121, 121, 49, 49, 63, 63, 25, 25, 63, 25, 29, 29, 61, 61, 15, 15, 8, 8, 8, 8])
    for (lengths, codewords) in books {
      #expect(lengths.count == codewords.count)
      #expect(lengths.reduce(0) { $0 + 1 << (24 - Int($1)) } == 1 << 24)
      let table = HuffmanCodebook(
        lengths: lengths, codewords: codewords, meaning: lengths.indices.map { UInt32($0) })
      var bits = BitWriter()
      for index in lengths.indices { bits.put(Int(codewords[index]), Int(lengths[index])) }
      bits.alignToByte()
      var reader = BitReader(bits.bytes)
      for index in lengths.indices { #expect(try table.decode(&reader) == index) }
    }
  }

  @Test func noiseHasUnitPower() {
    #expect(SBRNoiseTable.real.count == 512 && SBRNoiseTable.imaginary.count == 512)
    let power = zip(SBRNoiseTable.real, SBRNoiseTable.imaginary).reduce(0) { $0 + $1.0 * $1.0 + $1.1 * $1.1 }
    #expect(abs(power / 512 - 1) < 0.05)
    #expect(SBRNoiseTable.real[0] == -0.99948153278296 && SBRNoiseTable.imaginary[511] != 0)
  }

  /// |c[n]| = |c[640 − n]|.
  @Test func prototypeIsSymmetric() {
    let taps = QMFPrototype.taps
    #expect(taps.count == 640 && taps[0] == 0)
    for tap in 1..<640 { #expect(abs(taps[tap]) == abs(taps[640 - tap])) }
  }

  /// Both mixings keep the energy; R_a gives the coherence that was sent.
  @Test func matricesKeepEnergyAndCoherence() {
    #expect(PSMatrix.all.count == 2 * 46 * 8)
    for matrix in PSMatrix.all {
      let left = matrix.h11 * matrix.h11 + matrix.h21 * matrix.h21
      let right = matrix.h12 * matrix.h12 + matrix.h22 * matrix.h22
      #expect(abs(left + right - 2) < 1e-5)
    }
    for (index, decibels) in PSTables.coarseIntensities.enumerated() {
      for (place, coherence) in PSTables.coherences.enumerated() {
        let matrix = PSMatrix.all[
          PSMatrix.index(intensity: index - 7, isFine: false, coherence: place, rotates: false)]
        let left = Double(matrix.h11 * matrix.h11 + matrix.h21 * matrix.h21).squareRoot()
        let right = Double(matrix.h12 * matrix.h12 + matrix.h22 * matrix.h22).squareRoot()
        let cross = Double(matrix.h11 * matrix.h12 + matrix.h21 * matrix.h22)
        #expect(abs(cross / (left * right) - coherence) < 1e-5)
        #expect(abs(left / right / PSMatrixReference.ratio(decibels) - 1) < 1e-5)
      }
    }
  }

  /// The filters of each split band add up to a pure delay of six samples.
  @Test func splitsAddUp() {
    for split in PSShape.of20.splits + PSShape.of34.splits {
      for tap in 0..<13 {
        let re = split.taps.reduce(0) { $0 + $1[tap].re }
        let im = split.taps.reduce(0) { $0 + $1[tap].im }
        #expect(abs(re - (tap == 6 ? 1 : 0)) < 1e-9 && abs(im) < 1e-9)
      }
    }
  }

  @Test func parametersAreMapped() {
    var result = [Int](repeating: 0, count: 34)
    let values = (0..<34).map { Int8($0) }
    PSMapping.map(values, at: 0, count: 10, family: 0, to34: false, into: &result)
    #expect(result.prefix(20) == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9])
    PSMapping.map(values, at: 0, count: 20, family: 1, to34: true, into: &result)
    #expect(result.prefix(6) == [0, 0, 1, 2, 2, 3] && result[33] == 19)
    PSMapping.map([-1, -2, 0], at: 0, count: 3, family: 2, to34: false, into: &result)
    // (2·−1 + −2)/3 and (−2 + 2·0)/3, towards zero.
    #expect(result.prefix(3) == [-1, 0, 0])
  }
}

private enum PSMatrixReference {
  /// 10^(decibels/20) by repeated multiplication, the decibels being whole.
  static func ratio(_ decibels: Double) -> Double {
    let step = 1.1220184543019633
    var ratio = 1.0
    for _ in 0..<Int(abs(decibels)) { ratio *= step }
    return decibels < 0 ? 1 / ratio : ratio
  }
}
