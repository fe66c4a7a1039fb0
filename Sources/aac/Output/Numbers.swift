/// Numbers for people.
enum Numbers {
  /// A number with a fixed count of decimals.
  static func fixed(_ value: Double, _ decimals: Int) -> String {
    guard value.isFinite else { return value.isNaN ? "nan" : value < 0 ? "-inf" : "inf" }
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let scaled = (abs(value) * scale).rounded()
    guard scaled < 9e18 else { return "\(value)" }
    let number = Int64(scaled)
    let sign = value < 0 && number != 0 ? "-" : ""
    if decimals == 0 { return sign + String(number) }
    let fraction = String(number % Int64(scale))
    return sign + String(number / Int64(scale)) + "."
      + String(repeating: "0", count: decimals - fraction.count) + fraction
  }

  /// `1:02:03.450`.
  static func time(_ seconds: Double, decimals: Int = 3) -> String {
    guard seconds.isFinite, seconds < 1e12 else { return "?" }
    // Rounded first, so that no 60.000 seconds come out.
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let ticks = Int64((max(0, seconds) * scale).rounded())
    let whole = ticks / Int64(scale)
    let rest = Double(whole % 60) + Double(ticks % Int64(scale)) / scale
    let tail = fixed(rest, decimals)
    let padded = (whole % 60 < 10 ? "0" : "") + tail
    let minutes = whole / 60 % 60
    let hours = whole / 3600
    guard hours > 0 else { return "\(minutes):\(padded)" }
    return "\(hours):\(minutes < 10 ? "0" : "")\(minutes):\(padded)"
  }

  /// `128.0 kbit/s`.
  static func bitRate(_ bits: Double) -> String { "\(fixed(bits / 1000, 1)) kbit/s" }
}
