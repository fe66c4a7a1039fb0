@testable import AAC

/// Writes SBR payloads for tests.
enum SBRPayload {
  /// Bands 13 to 46 at 44.1 kHz.
  static let header: SBRHeader = {
    var header = SBRHeader()
    header.startFrequency = 5
    header.stopFrequency = 9
    return header
  }()

  /// bs_extended_data with a level difference, the same in all bands.
  static func stereo(_ intensity: Int) -> [UInt8] {
    var bits = BitWriter()
    bits.put(2, 2)  // EXTENSION_ID_PS
    bits.put(true)  // enable_ps_header
    bits.put(0b1_000_0_0, 6)  // enable_iid, iid_mode, enable_icc, enable_ext
    bits.put(0b0_01, 3)  // frame_class, num_env_idx
    bits.put(false)  // iid_dt
    let book = PSCodebook.iidCoarseFreq
    for band in 0..<10 {
      let index = (band == 0 ? intensity : 0) + book.offset
      bits.put(Int(book.codewords[index]), Int(book.lengths[index]))
    }
    bits.alignToByte()
    return bits.bytes
  }

  static func put(_ value: Int, _ book: SBRCodebook, _ bits: inout BitWriter) {
    let index = value + book.largest
    bits.put(Int(book.codewords[index]), Int(book.lengths[index]))
  }

  /// A grid of low delay.
  static func putLowDelay(_ grid: SBRGrid, to bits: inout BitWriter) {
    let count = grid.envelopeCount
    if grid.frameClass == .fixed {
      bits.put(0, 1)
      bits.put(count == 4 ? 2 : count - 1, 2)
      if count == 1 { bits.put(grid.isCoarseAlone) }
      bits.put(grid.isHigh(0))
    } else {
      bits.put(1, 1)
      bits.put(grid.pointer, 4)
      for envelope in 0..<count { bits.put(grid.isHigh(envelope)) }
    }
  }

  static func put(_ grid: SBRGrid, slots: Int, to bits: inout BitWriter) {
    let count = grid.envelopeCount
    bits.put(grid.frameClass.rawValue, 2)
    let pointerBits = count + 1 <= 2 ? 1 : count + 1 <= 4 ? 2 : 3
    func width(_ envelope: Int) -> Int { (grid.borders[envelope + 1] - grid.borders[envelope] - 2) / 2 }
    switch grid.frameClass {
    case .fixed, .transient:
      bits.put(count == 4 ? 2 : count - 1, 2)
      bits.put(grid.isHigh(0))
      return
    case .fixedVariable:
      bits.put(grid.end - slots, 2)
      bits.put(count - 1, 2)
      for envelope in (1..<max(count, 1)).reversed() { bits.put(width(envelope), 2) }
    case .variableFixed:
      bits.put(grid.start, 2)
      bits.put(count - 1, 2)
      for envelope in 0..<count - 1 { bits.put(width(envelope), 2) }
    case .variable:
      // All inner borders count from the end.
      bits.put(grid.start, 2)
      bits.put(grid.end - slots, 2)
      let leading = max(0, count - 4)
      bits.put(leading, 2)
      bits.put(count - 1 - leading, 2)
      for envelope in 0..<leading { bits.put(width(envelope), 2) }
      for envelope in (leading + 1..<max(count, leading + 1)).reversed() { bits.put(width(envelope), 2) }
    }
    bits.put(grid.pointer, pointerBits)
    let order = grid.frameClass == .fixedVariable ? Array((0..<count).reversed()) : Array(0..<count)
    for envelope in order { bits.put(grid.isHigh(envelope)) }
  }

  static func putEnvelopes(
    _ data: SBRChannelData, _ bands: SBRBands, previous: SBRChannelData, balance: Bool,
    to bits: inout BitWriter
  ) {
    let step = balance ? 2 : 1
    let fine: (SBRCodebook, SBRCodebook) =
      balance ? (.timeFineBalance, .frequencyFineBalance) : (.timeFine, .frequencyFine)
    let coarse: (SBRCodebook, SBRCodebook) =
      balance ? (.timeCoarseBalance, .frequencyCoarseBalance) : (.timeCoarse, .frequencyCoarse)
    let books = data.isCoarse ? coarse : fine
    for envelope in 0..<data.grid.envelopeCount {
      let isHigh = data.grid.isHigh(envelope)
      let borders = bands.borders(isHigh: isHigh)
      let values = (0..<borders.count - 1).map { Int(data.envelopes[envelope * 48 + $0]) / step }
      if data.timeEnvelopes >> UInt8(envelope) & 1 == 0 {
        bits.put(values[0], (balance ? 6 : 7) - (data.isCoarse ? 1 : 0))
        for band in 1..<max(values.count, 1) { put(values[band] - values[band - 1], books.1, &bits) }
        continue
      }
      let source = envelope > 0 ? data : previous
      let last = envelope > 0 ? envelope - 1 : previous.grid.envelopeCount - 1
      let others = bands.borders(isHigh: source.grid.isHigh(last))
      for band in values.indices {
        // The band that holds this one's lower border.
        let place = others.lastIndex { $0 <= borders[band] } ?? 0
        put(values[band] - Int(source.envelopes[last * 48 + place]) / step, books.0, &bits)
      }
    }
  }

  static func putNoises(
    _ data: SBRChannelData, _ bands: SBRBands, previous: SBRChannelData, balance: Bool,
    to bits: inout BitWriter
  ) {
    let step = balance ? 2 : 1
    for floor in 0..<data.grid.noiseCount {
      let values = (0..<bands.noiseCount).map { Int(data.noises[floor * 5 + $0]) / step }
      if data.timeNoises >> UInt8(floor) & 1 == 0 {
        bits.put(values[0], 5)
        for band in 1..<max(values.count, 1) {
          put(values[band] - values[band - 1], balance ? .frequencyCoarseBalance : .frequencyCoarse, &bits)
        }
        continue
      }
      let source = floor > 0 ? data : previous
      let last = floor > 0 ? 0 : previous.grid.noiseCount - 1
      for band in values.indices {
        put(
          values[band] - Int(source.noises[last * 5 + band]) / step,
          balance ? .timeNoiseBalance : .timeNoise, &bits)
      }
    }
  }

  /// sbr_data() up to bs_extended_data.
  static func put(
    _ data: SBRData, _ bands: SBRBands, slots: Int, isLowDelay: Bool = false, previous: SBRData,
    to bits: inout BitWriter
  ) {
    let isPair = data.channels.count == 2
    bits.put(0, 1)
    if isPair { bits.put(data.isCoupled) }
    for (index, channel) in data.channels.enumerated() where index == 0 || !data.isCoupled {
      if isLowDelay {
        putLowDelay(channel.grid, to: &bits)
      } else {
        put(channel.grid, slots: slots, to: &bits)
      }
    }
    for channel in data.channels {
      for envelope in 0..<channel.grid.envelopeCount {
        bits.put(Int(channel.timeEnvelopes >> UInt8(envelope) & 1), 1)
      }
      for floor in 0..<channel.grid.noiseCount { bits.put(Int(channel.timeNoises >> UInt8(floor) & 1), 1) }
    }
    for (index, channel) in data.channels.enumerated() where index == 0 || !data.isCoupled {
      for band in 0..<bands.noiseCount { bits.put(Int(channel.inverseFilters[band]), 2) }
    }
    let envelopes = { (index: Int, bits: inout BitWriter) in
      putEnvelopes(
        data.channels[index], bands, previous: previous.channels[index],
        balance: data.isCoupled && index == 1,
        to: &bits)
    }
    let noises = { (index: Int, bits: inout BitWriter) in
      putNoises(
        data.channels[index], bands, previous: previous.channels[index],
        balance: data.isCoupled && index == 1,
        to: &bits)
    }
    if data.isCoupled {
      for index in 0..<2 {
        envelopes(index, &bits)
        noises(index, &bits)
      }
    } else {
      for index in data.channels.indices { envelopes(index, &bits) }
      for index in data.channels.indices { noises(index, &bits) }
    }
    for channel in data.channels {
      bits.put(channel.harmonics != 0)
      guard channel.harmonics != 0 else { continue }
      for band in 0..<bands.highCount { bits.put(Int(channel.harmonics >> UInt64(band) & 1), 1) }
    }
  }

  /// One envelope, all bands of it at one level, one noise floor.
  static func flat(_ channelCount: Int, level: Int, noise: Int) -> SBRData {
    var data = SBRData(channelCount: channelCount)
    for channel in 0..<channelCount {
      data.channels[channel].grid.borders[1] = 16
      data.channels[channel].grid.resolutions = 0xFF
      for index in 0..<5 * 48 { data.channels[channel].envelopes[index] = Int16(level) }
      for index in 0..<10 { data.channels[channel].noises[index] = Int16(noise) }
    }
    return data
  }

  /// A whole payload in the bytes of a fill element.
  ///
  /// - Parameter extra: bytes of bs_extended_data, its id included.
  static func bytes(
    _ data: SBRData, header: SBRHeader?, _ bands: SBRBands, slots: Int = 16, checksum: Bool = false,
    extra: [UInt8] = []
  ) -> [UInt8] {
    var rest = BitWriter()
    rest.put(header != nil)
    header?.write(to: &rest)
    put(data, bands, slots: slots, previous: SBRData(channelCount: data.channels.count), to: &rest)
    rest.put(!extra.isEmpty)
    if !extra.isEmpty {
      rest.put(extra.count, 4)
      for byte in extra { rest.put(Int(byte), 8) }
    }
    // The whole fills bytes.
    let head = checksum ? 14 : 4
    rest.put(0, (8 - (rest.bitCount + head) % 8) % 8)
    let count = rest.bitCount
    rest.alignToByte()
    var bits = BitWriter()
    bits.put(checksum ? 14 : 13, 4)
    if checksum { bits.put(self.checksum(rest.bytes, count), 10) }
    put(rest.bytes, count, to: &bits)
    return bits.bytes
  }

  /// The checksum of the first `count` bits.
  static func checksum(_ bytes: [UInt8], _ count: Int) -> Int {
    var sum: UInt32 = 0
    for place in 0..<count {
      let bit = UInt32(bytes[place / 8]) >> UInt32(7 - place % 8) & 1
      sum = (sum << 1) ^ ((sum >> 9 & 1) != bit ? 0x233 : 0)
      sum &= 0x3FF
    }
    return Int(sum)
  }

  static func put(_ bytes: [UInt8], _ count: Int, to bits: inout BitWriter) {
    for place in 0..<count { bits.put(Int(bytes[place / 8] >> UInt8(7 - place % 8)) & 1, 1) }
  }

  /// A payload of a low-delay stream, which ends with its last bit.
  static func putLowDelay(
    _ data: SBRData, header: SBRHeader?, _ bands: SBRBands, slots: Int, previous: SBRData? = nil,
    checksum: Bool, extra: [UInt8] = [], to bits: inout BitWriter
  ) {
    var rest = BitWriter()
    rest.put(header != nil)
    header?.write(to: &rest)
    put(
      data, bands, slots: slots, isLowDelay: true,
      previous: previous ?? SBRData(channelCount: data.channels.count), to: &rest)
    rest.put(!extra.isEmpty)
    if !extra.isEmpty {
      rest.put(min(extra.count, 15), 4)
      if extra.count >= 15 { rest.put(extra.count - 15, 8) }
      for byte in extra { rest.put(Int(byte), 8) }
    }
    let count = rest.bitCount
    rest.alignToByte()
    if checksum { bits.put(self.checksum(rest.bytes, count), 10) }
    put(rest.bytes, count, to: &bits)
  }
}
