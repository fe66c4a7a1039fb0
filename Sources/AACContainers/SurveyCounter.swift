/// Adds up packet sizes for a `StreamSurvey`.
struct SurveyCounter {
  private(set) var survey = StreamSurvey()
  private var rate: BitRateMeter

  init(packetsPerSecond: Int) { rate = BitRateMeter(packetsPerSecond: packetsPerSecond) }

  mutating func add(_ size: Int) {
    survey.smallestPacket = survey.packetCount == 0 ? size : min(survey.smallestPacket, size)
    survey.largestPacket = max(survey.largestPacket, size)
    survey.packetCount += 1
    survey.byteCount += Int64(size)
    rate.add(size)
    survey.peakBitsPerSecond = Int(rate.maximum)
  }

  func finish(frames: Int64, priming: Int = 0, padding: Int = 0) -> StreamSurvey {
    var survey = survey
    survey.priming = priming
    survey.padding = padding
    survey.validFrames = max(0, frames - Int64(priming) - Int64(padding))
    return survey
  }
}
