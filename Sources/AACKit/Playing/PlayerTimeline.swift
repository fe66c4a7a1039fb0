/// Which frames of the device's stream belong to what, so that events come when they are heard.
struct PlayerTimeline {
  enum Mark {
    /// An item begins.
    case begin(Heard)
    case end(Int)
    case failure(Int, AACKitError)
    case title(String)
  }

  /// What is heard.
  struct Heard {
    var index: Int
    var info: PlayerItemInfo
    /// The frame of the stream that is `seconds` of the item.
    var frame: Int64
    var seconds: Double
  }

  /// A server may send titles without end.
  private static let titleRoom = 256

  private var marks: [(frame: Int64, mark: Mark)] = []
  private var current: Heard?
  private var titleCount = 0

  mutating func add(_ mark: Mark, at frame: Int64) {
    if case .title = mark {
      guard titleCount < Self.titleRoom else { return }
      titleCount += 1
    }
    marks.append((frame, mark))
  }

  /// Takes the marks up to a frame: they are heard now.
  mutating func pass(_ frame: Int64) -> [Mark] {
    let count = marks.prefix { isPassed($0, at: frame) }.count
    guard count > 0 else { return [] }
    let passed = marks.prefix(count)
    marks.removeFirst(count)
    for (_, mark) in passed {
      switch mark {
      case .begin(let heard): current = heard
      case .title: titleCount -= 1
      case .end, .failure: break
      }
    }
    return passed.map(\.mark)
  }

  /// An item begins with its first frame, when that has been played.
  private func isPassed(_ entry: (frame: Int64, mark: Mark), at frame: Int64) -> Bool {
    if case .begin = entry.mark { entry.frame < frame } else { entry.frame <= frame }
  }

  /// Something has been heard.
  var hasBegun: Bool { current != nil }

  /// Goes to another place of the item that is heard while `played` frames have been: what was to come is forgotten,
  /// what is heard already is still to be told.
  mutating func jump(to heard: Heard, after played: Int64) {
    marks = [(frame: Int64, mark: Mark)](marks.prefix { $0.frame <= played })
    titleCount = marks.count { if case .title = $0.mark { true } else { false } }
    var isTold = true
    for index in marks.indices {
      guard case .begin(let other) = marks[index].mark, other.index == heard.index else { continue }
      marks[index].mark = .begin(heard)
      isTold = false
    }
    if isTold { current = heard }
  }

  /// The item that is heard with a frame, whether its mark was taken or not.
  func heard(at frame: Int64) -> Heard? {
    var heard = current
    for (place, mark) in marks {
      guard place <= frame else { break }
      if case .begin(let begun) = mark { heard = begun }
    }
    return heard
  }

  /// Seconds of the item that is heard with a frame.
  func position(at frame: Int64, rate: Int) -> Double {
    guard let heard = heard(at: frame) else { return 0 }
    let seconds = heard.seconds + Double(max(0, frame - heard.frame)) / Double(max(1, rate))
    return heard.info.duration.map { min($0, seconds) } ?? seconds
  }
}
