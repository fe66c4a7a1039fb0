import Foundation
import Testing

@testable import AACKit

/// A sender whose clock is off, over hours: the amount that waits neither runs out nor grows.
@Suite struct DriftTests {
  private struct Run {
    var least = Double.infinity
    var most = 0.0
    var largestBend = 0.0
    var lastBends: [Double] = []
    var last = 0.0
  }

  /// - Parameters:
  ///   - skew: how much faster than the device's the sender's clock is.
  ///   - jitter: seconds of sound that come in one go at most.
  private func simulate(hours: Double, skew: Double, jitter: Double, seed: UInt64) -> Run {
    var controller = DriftController(least: 2)
    var random = seed | 1
    var run = Run()
    var waiting = 4.0
    var onTheWay = 0.0
    var bend = 0.0
    let step = 0.5
    for tick in 0..<Int(hours * 3600 / step) {
      onTheWay += step * (1 + skew)
      random ^= random << 13
      random ^= random >> 7
      random ^= random << 17
      // Comes when enough is together.
      if onTheWay >= jitter * Double(random >> 11) * 0x1p-53 {
        waiting += onTheWay
        onTheWay = 0
      }
      waiting -= step * (1 + bend)
      bend = controller.bend(amount: waiting, seconds: step, isHeld: false)
      run.largestBend = max(run.largestBend, abs(bend))
      if tick > Int(60 / step) {
        run.least = min(run.least, waiting)
        run.most = max(run.most, waiting)
      }
      if Double(tick) * step > hours * 3600 - 600 { run.lastBends.append(bend) }
    }
    run.last = waiting
    return run
  }

  @Test(arguments: [0.0, 0.00002, -0.0001, 0.001, -0.001, 0.003, -0.003])
  func amountStays(skew: Double) {
    let seed = UInt64.random(in: 1...UInt64.max)
    let run = simulate(hours: 6, skew: skew, jitter: 1.2, seed: seed)
    #expect(run.least > 0.5, "seed \(seed): \(run.least)")
    #expect(run.most < 8, "seed \(seed): \(run.most)")
    #expect(run.largestBend <= 0.005)
    let mean = run.lastBends.reduce(0, +) / Double(run.lastBends.count)
    #expect(abs(mean - skew) < 0.0003, "seed \(seed): \(mean)")
  }

  /// The converter and the controller together, for an hour, against a device that is faster or slower.
  @Test(arguments: [0.001, -0.002]) func converterFollows(skew: Double) throws {
    let rate = 8000
    let converter = try VariableRateConverter(from: rate, to: rate, layout: .mono)
    var controller = DriftController(least: 1)
    let input = PCMBuffer(format: PCMFormat(sampleRate: rate, layout: .mono), frameCount: 500)
    var output = input
    var (sent, waiting, ring, written) = (0.0, 3 * rate, 0, 0)
    var amounts: [Double] = []
    for tick in 0..<7200 {
      // Half a second by the device's clock.
      sent += Double(rate / 2) * (1 + skew)
      waiting += Int(sent)
      sent -= sent.rounded(.down)
      ring = max(0, ring - rate / 2)
      while ring < rate / 2, waiting >= input.frameCount {
        try converter.convert(input, into: &output)
        waiting -= input.frameCount
        ring += output.frameCount
        written += output.frameCount
        guard written >= rate / 2 else { continue }
        let amount = Double(waiting + ring) / Double(rate)
        let bend = controller.bend(amount: amount, seconds: Double(written) / Double(rate), isHeld: false)
        converter.setSpeed(1 + bend, within: rate)
        written = 0
      }
      if tick > 120 { amounts.append(Double(waiting + ring) / Double(rate)) }
    }
    // Without control it would be 3.6 or 7.2 s.
    let (least, most) = (amounts.min() ?? 0, amounts.max() ?? 0)
    #expect(least > 2 && most < 4.2, "\(least)…\(most)")
    let late = amounts.suffix(1200)
    #expect((late.max() ?? 9) - (late.min() ?? 0) < 0.2)
  }

  @Test func bendsSlowly() {
    var controller = DriftController(least: 1)
    for _ in 0..<60 { #expect(controller.bend(amount: 3, seconds: 0.5, isHeld: false) == 0) }
    #expect(controller.target == 3)
    // A jump of the amount by a second: no jump of the speed.
    let first = controller.bend(amount: 4, seconds: 0.5, isHeld: false)
    #expect(first > 0 && first < 0.0002)
    // A sender that waits has no clock.
    #expect(controller.bend(amount: 40, seconds: 0.5, isHeld: true) == 0)
    #expect(abs(controller.bend(amount: 1e9, seconds: 0.5, isHeld: false)) <= 0.005)
    #expect(abs(controller.bend(amount: .nan, seconds: 0.5, isHeld: false)) <= 0.005)
    controller.restart()
    #expect(controller.target == nil)
    #expect(abs(controller.bend(amount: 2, seconds: 0.5, isHeld: false)) <= 0.005)
  }
}

@Suite struct VolumeRampTests {
  @Test func slope() {
    var buffer = PCMBuffer(format: PCMFormat(sampleRate: 10_000, layout: .mono), frameCount: 1000)
    func fill() { for frame in 0..<1000 { buffer.channels[0][frame] = 1 } }
    var ramp = VolumeRamp(1)
    fill()
    ramp.apply(1, to: &buffer)
    #expect(buffer.channels[0].allSatisfy { $0 == 1 })
    ramp.apply(0.5, to: &buffer)
    let slope = buffer.channels[0]
    #expect(slope[0] < 1 && slope[0] > 0.99 && slope[100] > 0.7 && slope[300] == 0.5)
    #expect(zip(slope, slope.dropFirst()).allSatisfy { $1 <= $0 })
    fill()
    ramp.apply(1, to: &buffer)
    #expect(buffer.channels[0][0] < 0.51 && buffer.channels[0][999] == 1)
    fill()
    ramp.apply(1, to: &buffer)
    #expect(buffer.channels[0].allSatisfy { $0 == 1 })
  }
}

@Suite struct TimelineTests {
  private let info = PlayerItemInfo(
    name: "x", format: PCMFormat(sampleRate: 1000, layout: .mono), duration: 10, isSeekable: true,
    isLive: false)

  @Test func marksCome() {
    var timeline = PlayerTimeline()
    #expect(timeline.heard(at: 0) == nil && timeline.position(at: 5, rate: 1000) == 0)
    func heard(_ index: Int, _ frame: Int64, _ seconds: Double) -> PlayerTimeline.Heard {
      PlayerTimeline.Heard(index: index, info: info, frame: frame, seconds: seconds)
    }
    timeline.add(.begin(heard(0, 0, 2)), at: 0)
    timeline.add(.end(0), at: 500)
    timeline.add(.begin(heard(1, 500, 0)), at: 500)
    #expect(timeline.pass(0).isEmpty)
    #expect(timeline.heard(at: 0)?.index == 0)
    #expect(timeline.pass(1).count == 1)
    #expect(timeline.position(at: 250, rate: 1000) == 2.25)
    // By the marks, whether they were taken or not.
    #expect(timeline.heard(at: 600)?.index == 1 && timeline.position(at: 600, rate: 1000) == 0.1)
    #expect(timeline.pass(500).count == 1)
    #expect(timeline.pass(501).count == 1)
    #expect(timeline.position(at: 100_000, rate: 1000) == 10)
    timeline.jump(to: heard(0, 700, 5), after: 600)
    #expect(timeline.position(at: 650, rate: 1000) == 5 && timeline.position(at: 800, rate: 1000) == 5.1)
    // Of two that follow the one is heard, but was not told of: it still is, the other one not.
    timeline.add(.end(0), at: 900)
    timeline.add(.begin(heard(1, 900, 0)), at: 900)
    timeline.add(.end(1), at: 1000)
    timeline.add(.begin(heard(2, 1000, 0)), at: 1000)
    timeline.jump(to: heard(1, 1100, 3), after: 950)
    #expect(timeline.pass(950).count == 2)
    #expect(timeline.pass(.max).isEmpty)
    #expect(timeline.position(at: 950, rate: 1000) == 3 && timeline.position(at: 1200, rate: 1000) == 3.1)
  }

  @Test func titlesAreBounded() {
    var timeline = PlayerTimeline()
    for number in 0..<100_000 { timeline.add(.title("\(number)"), at: Int64(number)) }
    #expect(timeline.pass(.max).count == 256)
    timeline.add(.title("x"), at: 0)
    #expect(timeline.pass(.max).count == 1)
  }
}
