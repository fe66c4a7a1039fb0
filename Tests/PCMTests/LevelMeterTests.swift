import PCM
import Testing

@Suite struct LevelMeterTests {
  @Test func agreesWithPlainSums() {
    let buffer = noise(.stereo, 1003, seed: 20)
    var meter = LevelMeter(channelCount: 2)
    meter.add(buffer)
    meter.add(buffer)
    for channel in 0..<2 {
      let samples = buffer.channels[channel]
      let peak = samples.map(\.magnitude).max() ?? 0
      let square = samples.reduce(0.0) { $0 + Double($1) * Double($1) } / 1003
      #expect(meter.peaks[channel] == peak)
      #expect(abs(Double(meter.rms(channel)) - square.squareRoot()) < 1e-6)
    }
    #expect(meter.frameCount == 2006)
    meter.reset()
    #expect(meter == LevelMeter(channelCount: 2))
  }

  @Test func negativePeaksCount() {
    let format = PCMFormat(sampleRate: 8000, layout: .mono)
    var meter = LevelMeter(channelCount: 1)
    meter.add(PCMBuffer(format: format, channels: [[0.1, -0.9, 0.2, 0.1, 0, .nan]]))
    #expect(meter.peaks == [0.9])
  }

  @Test func decibels() {
    #expect(LevelMeter.decibels(1) == 0)
    #expect(abs(LevelMeter.decibels(0.5) + 6.0206) < 1e-3)
    #expect(LevelMeter.decibels(0) == -.infinity)
  }
}
