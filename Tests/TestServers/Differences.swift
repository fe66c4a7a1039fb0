/// Where two sounds differ, in words: a failed test shall not print them.
public func differences(_ left: [[Float]], _ right: [[Float]]) -> [String] {
  guard left.map(\.count) == right.map(\.count) else {
    return ["\(left.map(\.count)) frames instead of \(right.map(\.count))"]
  }
  return left.indices.compactMap { channel in
    let places = left[channel].indices.filter { left[channel][$0] != right[channel][$0] }
    guard let first = places.first, let last = places.last else { return nil }
    return "channel \(channel): \(places.count) samples, from \(first) to \(last)"
  }
}
