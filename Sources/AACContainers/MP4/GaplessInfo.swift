/// `iTunSMPB`: priming, padding and length as text in the tags.
struct GaplessInfo: Equatable {
  static let name = "iTunSMPB"

  var priming: Int
  var padding: Int
  var validFrames: Int64

  init(priming: Int, padding: Int, validFrames: Int64) {
    self.priming = priming
    self.padding = padding
    self.validFrames = validFrames
  }

  /// Words of hexadecimal digits: nothing, priming, padding, length, and more that does not matter.
  init?(parsing text: String) {
    let words = text.split(separator: " ").prefix(4)
    guard words.count == 4 else { return nil }
    let numbers = words.compactMap { Int64($0, radix: 16) }
    guard numbers.count == 4, (0...0xFF_FFFF).contains(numbers[1]), (0...0xFF_FFFF).contains(numbers[2]),
      (0...1 << 48).contains(numbers[3])
    else { return nil }
    priming = Int(numbers[1])
    padding = Int(numbers[2])
    validFrames = numbers[3]
  }

  var text: String {
    func hex(_ value: Int64, _ width: Int) -> String {
      let digits = String(value, radix: 16, uppercase: true)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    let words = [hex(0, 8), hex(Int64(priming), 8), hex(Int64(padding), 8), hex(validFrames, 16)]
    return " " + (words + [String](repeating: hex(0, 8), count: 8)).joined(separator: " ")
  }

  /// The same in frames at `ratio` times the rate.
  func scaled(by ratio: Int) -> GaplessInfo {
    GaplessInfo(priming: priming * ratio, padding: padding * ratio, validFrames: validFrames * Int64(ratio))
  }

  /// Priming, sound and padding together.
  var total: Int64 { Int64(priming) + validFrames + Int64(padding) }
}
