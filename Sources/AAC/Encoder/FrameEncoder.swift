/// Encodes frame after frame: analysis of all elements, one price for the whole frame, bits.
final class FrameEncoder {
  private var model: FrameModel
  private var bandwidth: BandwidthChoice
  private let elements: [ElementEncoder]
  private let inputs: [ChannelInput]
  private var control: RateControl
  private var writer = BitWriter()
  /// Bits of sections, headers and masks, which the search does not see (a running mean).
  private var overhead: Double
  /// A price this far (in octaves) from the measured one asks for new candidates.
  private static let measuredRange: Float = 1
  private static let bisections = 9
  /// At this price no band is worth coding.
  private static let highestPrice: Float = 0x1p40
  private var measuredPrice: Float = 1
  /// The price that filled the frame before without padding.
  private var filledPrice = Float.infinity
  /// Logarithm of the price at which a frame is filled at most: the noise is far below all that is heard.
  private static let lowestPrice: Float = -24
  private static let interpolations = 5
  private static let fillTolerance = 0.02

  init(
    model: FrameModel, elements: [ElementEncoder], inputs: [ChannelInput], control: RateControl,
    bandwidth: BandwidthChoice
  ) {
    self.bandwidth = bandwidth
    self.model = model
    self.elements = elements
    self.inputs = inputs
    self.control = control
    overhead = 90 * Double(inputs.count)
  }

  /// Looks for attacks in the block at `start`, without encoding anything.
  func lookAhead(at start: Int) {
    for element in elements { element.lookAhead(inputs, at: start, model: model) }
  }

  /// Encodes the frame at the inputs' first two blocks.
  func encode() -> [UInt8] {
    var price = control.price
    lookAhead(at: 2 * model.frameLength)
    if let edge = bandwidth.next(price: price) {
      model.setBandwidth(edge, sampleRate: bandwidth.sampleRate)
    }
    // Sound that fills its frames with less noise is likely to go on.
    let expectedPrice = min(price, filledPrice)
    for element in elements { element.analyze(inputs, model: model, price: expectedPrice) }
    measure(expectedPrice)
    var bits = choose(price)
    if model.effort.searches, bits + overhead > control.most { bits = raise(&price) }
    var size = quantize()
    overhead = 0.8 * overhead + 0.2 * (Double(size) - bits)
    // The estimate was low: ask more of each bit until the frame fits.
    while Self.wholeBytes(size) > control.most, price < Self.highestPrice {
      price *= Self.rise(excess: Double(size) / max(control.most, 1))
      _ = choose(price)
      size = quantize()
    }
    // What stands in the place of padding says nothing about what the sound needs.
    let neededSize = size
    filledPrice = .infinity
    if model.effort.searches, Double(size) < control.fewest { size = fill(size, price: price) }
    write(size)
    control.spend(Double(neededSize), padded: Double(writer.bitCount), price: price)
    return writer.bytes
  }

  /// Bits of a frame as it will go out.
  private static func wholeBytes(_ size: Int) -> Double { Double((size + 7) / 8 * 8) }

  private func measure(_ price: Float) {
    for element in elements { element.measure(price: price) }
    measuredPrice = price
  }

  /// Chooses for a price; returns the bits that lines and scale factors will take.
  private func choose(_ price: Float) -> Double {
    if abs(Math.log2(price / measuredPrice)) > Self.measuredRange { measure(price) }
    var bits: Float = 0
    for element in elements { bits += element.choose(price: price) }
    return Double(bits)
  }

  /// Finds the lowest price above the present one whose frame fits, by bisection of its logarithm.
  private func raise(_ price: inout Float) -> Double {
    var low = Math.log2(price)
    var high = Math.log2(Self.highestPrice)
    for _ in 0..<Self.bisections {
      let middle = 0.5 * (low + high)
      if choose(Math.exp2(middle)) + overhead > control.most { low = middle } else { high = middle }
    }
    price = Math.exp2(high)
    return choose(price)
  }

  /// Makes a frame that has to be larger than its `size` about as large, with less noise: padding would be of no use to
  /// anybody. Returns its bits.
  private func fill(_ size: Int, price: Float) -> Int {
    func take(_ logarithm: Float) -> Double {
      filledPrice = Math.exp2(logarithm)
      _ = choose(filledPrice)
      return Double(quantize())
    }
    var small = (price: Math.log2(price), size: Double(size))
    guard small.price > Self.lowestPrice else { return size }
    var large = (price: Self.lowestPrice, size: take(Self.lowestPrice))
    if large.size <= control.fewest { return Int(large.size) }
    for _ in 0..<Self.interpolations {
      let part = (control.fewest - small.size) / max(large.size - small.size, 1)
      let middle = small.price + Float(min(max(part, 0.05), 0.95)) * (large.price - small.price)
      let bits = take(middle)
      if bits > control.fewest { large = (middle, bits) } else { small = (middle, bits) }
      let missing = control.fewest - bits
      if missing >= 0, missing < Self.fillTolerance * control.mean { return Int(bits) }
    }
    // What the reservoir holds is for sound that needs it.
    return Int(take(small.price))
  }

  /// Quantises all elements; returns the bits of the frame without padding.
  private func quantize() -> Int {
    var bits = SyntaxElementID.bits
    for element in elements { bits += element.quantize() }
    return bits
  }

  /// Writes the frame of `size` bits, filled up to what the reservoir cannot hold and to a whole byte.
  private func write(_ size: Int) {
    writer.removeAll()
    for element in elements { element.write(to: &writer, bands: model.bands) }
    assert(writer.bitCount + SyntaxElementID.bits == size, "the frame has the size that was counted")
    let missing = Int(control.fewest.rounded(.up)) - size
    if missing > 0 {
      // Fill elements leave up to fifteen bits; one byte more keeps the reservoir from running over.
      Fill.write(bitCount: min(missing + 8, Int(control.most) / 8 * 8 - size), to: &writer)
    }
    SyntaxElementID.end.write(to: &writer)
    writer.alignToByte()
  }

  /// How much dearer a bit has to become where the frame is too large by a factor: half of what its excess asks
  /// for, at least a quarter and at most eight times, since bits fall the faster the fewer they are.
  private static func rise(excess: Double) -> Float {
    Math.exp2(Float(min(max(0.5 * Double(Math.log2(Float(excess))) / RateControl.sensitivity, 0.32), 3)))
  }
}
