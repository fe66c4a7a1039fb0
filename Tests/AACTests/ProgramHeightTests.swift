import PCM
import Testing

@testable import AAC

@Suite struct ProgramHeightTests {
  @Test func everyNumberedLayoutHasAConfig() throws {
    for number in ChannelConfiguration.numbers {
      let elements = try #require(ChannelConfiguration.elements(of: number))
      let tags = Array(elements.indices)
      let config = try #require(
        ProgramConfig(elements: elements, tags: tags, samplingRateIndex: 3, profile: 1), "\(number)")
      var bits = BitWriter()
      config.write(to: &bits)
      var reader = BitReader(bits.bytes)
      let back = try ProgramConfig(parsing: &reader)
      #expect(back == config)
      #expect(back.elements.layout == elements.layout, "\(number)")
      #expect((back.heights != nil) == (number == 14))
    }
  }

  @Test func extensionComesBack() {
    let heights = ProgramHeights(front: [.normal, .normal, .top], side: [.bottom], back: [.top])
    let comment = heights.comment
    #expect(comment.count == 4)
    #expect(ProgramHeights(parsing: comment, frontCount: 3, sideCount: 1, backCount: 1) == heights)
    for index in comment.indices {
      var damaged = comment
      damaged[index] ^= 1
      #expect(ProgramHeights(parsing: damaged, frontCount: 3, sideCount: 1, backCount: 1) == nil)
    }
    #expect(
      ProgramHeights(parsing: Array("a comment".utf8), frontCount: 3, sideCount: 1, backCount: 1) == nil)
    #expect(ProgramHeights(parsing: [], frontCount: 0, sideCount: 0, backCount: 0) == nil)
  }

  @Test func unknownPlacesHaveNoConfig() {
    let elements = [ChannelElement(.single, [nil])]
    #expect(ProgramConfig(elements: elements, tags: [0], samplingRateIndex: 3, profile: 1) == nil)
    #expect(ProgramConfig(elements: elements, tags: [], samplingRateIndex: 3, profile: 1) == nil)
  }
}
