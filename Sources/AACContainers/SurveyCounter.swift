/// Adds up packet sizes for a `StreamSurvey`.
struct SurveyCounter {
  private(set) var survey = StreamSurvey()
  /// The sizes of the last second, as a ring.
  private var ring: [Int]
  private var place = 0
  private var sum = 0

  init(packetsPerSecond: Int) {
    ring = [Int](repeating: 0, count: min(max(1, packetsPerSecond), 1000))
  }

  mutating func add(_ size: Int) {
    survey.smallestPacket = survey.packetCount == 0 ? size : min(survey.smallestPacket, size)
    survey.largestPacket = max(survey.largestPacket, size)
    survey.packetCount += 1
    survey.byteCount += Int64(size)
    sum += size - ring[place]
    ring[place] = size
    place = place + 1 == ring.count ? 0 : place + 1
    survey.peakBitsPerSecond = max(survey.peakBitsPerSecond, sum * 8)
  }

  func finish(frames: Int64, priming: Int = 0, padding: Int = 0) -> StreamSurvey {
    var survey = survey
    survey.priming = priming
    survey.padding = padding
    survey.validFrames = max(0, frames - Int64(priming) - Int64(padding))
    return survey
  }
}
