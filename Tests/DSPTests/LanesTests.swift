import Testing

@testable import DSP

/// The processor's own spelling against the portable one.
@Suite struct LanesTests {
  private static func eight(_ generator: inout Generator) -> Lanes8 {
    var value = Lanes8(repeating: 0)
    for lane in 0..<8 { value[lane] = Float.random(in: -100...100, using: &generator) }
    return value
  }

  private static func isClose(_ a: Lanes8, _ b: Lanes8) -> Bool {
    (0..<8).allSatisfy { abs(a[$0] - b[$0]) <= 1e-2 }
  }

  @Test func rearrangementsOfEight() {
    var generator = Generator(seed: printedSeed("rearrangements"))
    for _ in 0..<20 {
      let a = Self.eight(&generator)
      let b = Self.eight(&generator)
      #expect(Lanes.reversed(a) == PortableLanes.reversed(a))
      #expect(Lanes.evens(a, b) == PortableLanes.evens(a, b))
      #expect(Lanes.odds(a, b) == PortableLanes.odds(a, b))
      #expect(Lanes.unpackLow(a, b) == PortableLanes.unpackLow(a, b))
      #expect(Lanes.unpackHigh(a, b) == PortableLanes.unpackHigh(a, b))
      #expect(Lanes.unpackLowPairs(a, b) == PortableLanes.unpackLowPairs(a, b))
      #expect(Lanes.unpackHighPairs(a, b) == PortableLanes.unpackHighPairs(a, b))
      #expect(Lanes.reversed(a.lowHalf) == PortableLanes.reversed(a.lowHalf))
      #expect(Lanes.unpackLow(a.lowHalf, b.lowHalf) == PortableLanes.unpackLow(a.lowHalf, b.lowHalf))
      #expect(Lanes.unpackHigh(a.lowHalf, b.lowHalf) == PortableLanes.unpackHigh(a.lowHalf, b.lowHalf))
      #expect(
        Lanes.unpackLowPairs(a.lowHalf, b.lowHalf) == PortableLanes.unpackLowPairs(a.lowHalf, b.lowHalf))
      #expect(
        Lanes.unpackHighPairs(a.lowHalf, b.lowHalf) == PortableLanes.unpackHighPairs(a.lowHalf, b.lowHalf))
    }
  }

  @Test func portableRearrangementsAreWhatTheySay() {
    let a = Lanes8(0, 1, 2, 3, 4, 5, 6, 7)
    let b = a + Lanes8(repeating: 10)
    #expect(PortableLanes.reversed(a) == Lanes8(7, 6, 5, 4, 3, 2, 1, 0))
    #expect(PortableLanes.evens(a, b) == Lanes8(0, 2, 4, 6, 10, 12, 14, 16))
    #expect(PortableLanes.odds(a, b) == Lanes8(1, 3, 5, 7, 11, 13, 15, 17))
    #expect(PortableLanes.unpackLow(a, b) == Lanes8(0, 10, 1, 11, 4, 14, 5, 15))
    #expect(PortableLanes.unpackHigh(a, b) == Lanes8(2, 12, 3, 13, 6, 16, 7, 17))
    #expect(PortableLanes.unpackLowPairs(a, b) == Lanes8(0, 1, 10, 11, 4, 5, 14, 15))
    #expect(PortableLanes.unpackHighPairs(a, b) == Lanes8(2, 3, 12, 13, 6, 7, 16, 17))
  }

  @Test func arithmetic() {
    var generator = Generator(seed: printedSeed("arithmetic"))
    for _ in 0..<20 {
      let a = Self.eight(&generator)
      let b = Self.eight(&generator)
      let c = Self.eight(&generator)
      #expect(Self.isClose(Lanes.multiplyAdd(a, b, c), PortableLanes.multiplyAdd(a, b, c)))
      #expect(Self.isClose(Lanes.multiplySubtract(a, b, c), PortableLanes.multiplySubtract(a, b, c)))
      #expect(Self.isClose(Lanes.negativeMultiplyAdd(a, b, c), PortableLanes.negativeMultiplyAdd(a, b, c)))
      let four = Lanes8(
        lowHalf: Lanes.multiplyAdd(a.lowHalf, b.lowHalf, c.lowHalf),
        highHalf: Lanes.multiplySubtract(a.lowHalf, b.lowHalf, c.lowHalf))
      let portable = Lanes8(
        lowHalf: PortableLanes.multiplyAdd(a.lowHalf, b.lowHalf, c.lowHalf),
        highHalf: PortableLanes.multiplySubtract(a.lowHalf, b.lowHalf, c.lowHalf))
      #expect(Self.isClose(four, portable))
      let negative = Lanes.negativeMultiplyAdd(a.lowHalf, b.lowHalf, c.lowHalf)
      let portableNegative = PortableLanes.negativeMultiplyAdd(a.lowHalf, b.lowHalf, c.lowHalf)
      #expect((0..<4).allSatisfy { abs(negative[$0] - portableNegative[$0]) <= 1e-2 })
      #expect(Lanes.squareRoot(a * a) == PortableLanes.squareRoot(a * a))
    }
  }

  @Test func integers() {
    var generator = Generator(seed: printedSeed("integers"))
    let edges: [Float] = [
      0, 0.999_999_94, 1, 1.999_999_9, 2.5, 3, 8190.999, 8191, 8191.5, 8192, 65536, 3e9, .infinity, .nan,
      .leastNonzeroMagnitude, .greatestFiniteMagnitude,
    ]
    for round in 0..<200 {
      var a = Lanes8(repeating: 0)
      var q = SIMD8<Int16>(repeating: 0)
      var small = q
      for lane in 0..<8 {
        a[lane] =
          round < 20
          ? edges[Int.random(in: 0..<edges.count, using: &generator)]
          : Float.random(in: 0...9000, using: &generator)
        q[lane] = Int16.random(in: .min ... .max, using: &generator)
        small[lane] = Int16.random(in: 0...15, using: &generator)
      }
      let expected = (0..<8).map { a[$0] < 8191 ? Int16(a[$0]) : 8191 }
      #expect(Lanes.truncated(a) == PortableLanes.truncated(a))
      #expect((0..<8).allSatisfy { Lanes.truncated(a)[$0] == expected[$0] })
      #expect(Lanes.floats(q) == PortableLanes.floats(q))
      #expect((0..<8).allSatisfy { Lanes.floats(q)[$0] == Float(q[$0]) })
      let low = Self.eight(&generator)
      let high = Self.eight(&generator)
      #expect(Lanes.lookUp(small, low, high) == PortableLanes.lookUp(small, low, high))
    }
  }

  @Test func partsOfAVector() {
    var generator = Generator(seed: printedSeed("parts"))
    for count in 1...7 {
      let source = generator.floats(8)
      let integers = (0..<8).map { _ in Int16.random(in: .min ... .max, using: &generator) }
      var target = [Float](repeating: 9, count: 8)
      var integerTarget = [Int16](repeating: 9, count: 8)
      source.withUnsafeBufferPointer { source in
        target.withUnsafeMutableBufferPointer { target in
          guard let source = source.baseAddress, let target = target.baseAddress else { return }
          let value = loadPartial(source, count)
          #expect((0..<8).filter { value[$0] != 0 }.count == count)
          storePartial(value, target, count)
        }
      }
      integers.withUnsafeBufferPointer { source in
        integerTarget.withUnsafeMutableBufferPointer { target in
          guard let source = source.baseAddress, let target = target.baseAddress else { return }
          storePartial(loadPartial(source, count), target, count)
        }
      }
      #expect(target == source[..<count] + [Float](repeating: 9, count: 8 - count))
      #expect(integerTarget == integers[..<count] + [Int16](repeating: 9, count: 8 - count))
    }
    #expect(sum(Lanes8(1, 2, 4, 8, 16, 32, 64, 128)) == 255)
  }

  @Test func powersByEveryWay() {
    let values: [Int16] = [0, 1, -1, 2, -3, 7, -8, 15]
    values.withUnsafeBufferPointer { q in
      guard let q = q.baseAddress else { return }
      let table = TableFourThirds().of(q, signed: true)
      #expect(SmallFourThirds().of(q, signed: true) == table)
      #expect(LimitedFourThirds().of(q, signed: true) == table)
      #expect((0..<8).allSatisfy { (table[$0] < 0) == (values[$0] < 0) })
    }
  }
}
