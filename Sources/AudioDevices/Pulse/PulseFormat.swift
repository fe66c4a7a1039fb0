#if canImport(CPulse)
  import CPulse
  import PCM

  extension Speaker {
    /// Every speaker and PulseAudio's word for it.
    fileprivate static let pulsePositions: [(Speaker, pa_channel_position_t)] = [
      (.frontLeft, PA_CHANNEL_POSITION_FRONT_LEFT), (.frontRight, PA_CHANNEL_POSITION_FRONT_RIGHT),
      (.frontCenter, PA_CHANNEL_POSITION_FRONT_CENTER), (.lowFrequency, PA_CHANNEL_POSITION_LFE),
      (.backLeft, PA_CHANNEL_POSITION_REAR_LEFT), (.backRight, PA_CHANNEL_POSITION_REAR_RIGHT),
      (.frontLeftOfCenter, PA_CHANNEL_POSITION_FRONT_LEFT_OF_CENTER),
      (.frontRightOfCenter, PA_CHANNEL_POSITION_FRONT_RIGHT_OF_CENTER),
      (.backCenter, PA_CHANNEL_POSITION_REAR_CENTER), (.sideLeft, PA_CHANNEL_POSITION_SIDE_LEFT),
      (.sideRight, PA_CHANNEL_POSITION_SIDE_RIGHT), (.topCenter, PA_CHANNEL_POSITION_TOP_CENTER),
      (.topFrontLeft, PA_CHANNEL_POSITION_TOP_FRONT_LEFT),
      (.topFrontCenter, PA_CHANNEL_POSITION_TOP_FRONT_CENTER),
      (.topFrontRight, PA_CHANNEL_POSITION_TOP_FRONT_RIGHT),
      (.topBackLeft, PA_CHANNEL_POSITION_TOP_REAR_LEFT),
      (.topBackCenter, PA_CHANNEL_POSITION_TOP_REAR_CENTER),
      (.topBackRight, PA_CHANNEL_POSITION_TOP_REAR_RIGHT),
    ]

    fileprivate init?(_ position: pa_channel_position_t) {
      if position == PA_CHANNEL_POSITION_MONO {
        self = .frontCenter
        return
      }
      guard let pair = Self.pulsePositions.first(where: { $0.1 == position }) else { return nil }
      self = pair.0
    }
  }

  extension ChannelLayout {
    /// The places of a device's channels, in WAVE order where all have one: asked for in this order, the server
    /// puts the channels there. Else as many channels without places.
    init(_ map: pa_channel_map) {
      let count = min(Int(map.channels), Int(PA_CHANNELS_MAX))
      var map = map
      let positions = unsafe withUnsafeBytes(of: &map.map) { bytes in
        // unsafe: the field is an array of as many positions as the library allows.
        unsafe Array(bytes.bindMemory(to: pa_channel_position_t.self).prefix(count))
      }
      let speakers = positions.compactMap { Speaker($0) }
      guard speakers.count == count, Set(speakers).count == count else {
        self = .discrete(count)
        return
      }
      self.init(speakers.sorted())
    }

    /// PulseAudio's form of the layout: a single channel is its mono, channels without place are auxiliary.
    var pulseMap: pa_channel_map {
      var map = pa_channel_map()
      map.channels = UInt8(clamping: min(channelCount, Int(PA_CHANNELS_MAX)))
      var auxiliary = PA_CHANNEL_POSITION_AUX0.rawValue
      var positions: [pa_channel_position_t] = []
      for speaker in speakers.prefix(Int(PA_CHANNELS_MAX)) {
        if channelCount == 1 {
          positions.append(PA_CHANNEL_POSITION_MONO)
        } else if let pair = Speaker.pulsePositions.first(where: { $0.0 == speaker }) {
          positions.append(pair.1)
        } else {
          positions.append(pa_channel_position_t(rawValue: auxiliary))
          auxiliary += 1
        }
      }
      unsafe withUnsafeMutableBytes(of: &map.map) { bytes in
        // unsafe: as above; there are no more positions than the field has room for.
        let field = unsafe bytes.bindMemory(to: pa_channel_position_t.self)
        for (index, position) in positions.enumerated() { unsafe field[index] = position }
      }
      return map
    }
  }

  extension PCMFormat {
    init(_ spec: pa_sample_spec, _ map: pa_channel_map) {
      self.init(sampleRate: Int(spec.rate), layout: ChannelLayout(map))
    }

    /// Native floats at this rate: what 16 bits survive unchanged, in both directions.
    var pulseSpec: pa_sample_spec {
      pa_sample_spec(
        format: PA_SAMPLE_FLOAT32LE, rate: UInt32(clamping: sampleRate),
        channels: UInt8(clamping: channelCount))
    }
  }
#endif
