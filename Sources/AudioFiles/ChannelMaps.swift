import CSndFile
import PCM

/// libsndfile's channel names beside ours.
private let names: [(map: Int, speaker: Speaker)] = [
  (SF_CHANNEL_MAP_LEFT, .frontLeft),
  (SF_CHANNEL_MAP_RIGHT, .frontRight),
  (SF_CHANNEL_MAP_CENTER, .frontCenter),
  (SF_CHANNEL_MAP_FRONT_LEFT, .frontLeft),
  (SF_CHANNEL_MAP_FRONT_RIGHT, .frontRight),
  (SF_CHANNEL_MAP_FRONT_CENTER, .frontCenter),
  (SF_CHANNEL_MAP_REAR_CENTER, .backCenter),
  (SF_CHANNEL_MAP_REAR_LEFT, .backLeft),
  (SF_CHANNEL_MAP_REAR_RIGHT, .backRight),
  (SF_CHANNEL_MAP_LFE, .lowFrequency),
  (SF_CHANNEL_MAP_FRONT_LEFT_OF_CENTER, .frontLeftOfCenter),
  (SF_CHANNEL_MAP_FRONT_RIGHT_OF_CENTER, .frontRightOfCenter),
  (SF_CHANNEL_MAP_SIDE_LEFT, .sideLeft),
  (SF_CHANNEL_MAP_SIDE_RIGHT, .sideRight),
  (SF_CHANNEL_MAP_TOP_CENTER, .topCenter),
  (SF_CHANNEL_MAP_TOP_FRONT_LEFT, .topFrontLeft),
  (SF_CHANNEL_MAP_TOP_FRONT_RIGHT, .topFrontRight),
  (SF_CHANNEL_MAP_TOP_FRONT_CENTER, .topFrontCenter),
  (SF_CHANNEL_MAP_TOP_REAR_LEFT, .topBackLeft),
  (SF_CHANNEL_MAP_TOP_REAR_RIGHT, .topBackRight),
  (SF_CHANNEL_MAP_TOP_REAR_CENTER, .topBackCenter),
]

extension ChannelLayout {
  /// The layout of a file that libsndfile reads.
  init(of file: SoundFile) {
    let count = Int(file.info.channels)
    let isFLAC = file.info.format & Int32(SF_FORMAT_TYPEMASK) == Int32(SF_FORMAT_FLAC)
    if isFLAC, let layout = Self.flac(channelCount: count) {
      self = layout
      return
    }
    if let map = file.channelMap {
      let speakers = map.map { number -> Speaker? in
        if number == Int32(SF_CHANNEL_MAP_MONO) { return .frontCenter }
        return names.first { $0.map == Int(number) }?.speaker
      }
      if speakers.contains(where: { $0 != nil }) {
        self.init(speakers)
        return
      }
    }
    self = Self.standard(channelCount: count) ?? .discrete(count)
  }

  /// FLAC's own channel assignments, where they differ from the standard ones here.
  private static func flac(channelCount: Int) -> ChannelLayout? {
    switch channelCount {
    case 4: .quad
    case 7:
      ChannelLayout([
        .frontLeft, .frontRight, .frontCenter, .lowFrequency, .backCenter, .sideLeft, .sideRight,
      ])
    default: nil
    }
  }

  /// One SF_CHANNEL_MAP_… a channel; `nil` where a channel has no place.
  var soundFileMap: [Int32]? {
    if self == .mono { return [Int32(SF_CHANNEL_MAP_MONO)] }
    var map: [Int32] = []
    for speaker in speakers {
      guard let entry = names.first(where: { $0.speaker == speaker }) else { return nil }
      map.append(Int32(entry.map))
    }
    return map
  }
}
