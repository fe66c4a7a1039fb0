/// What a transport stream's tables say: which programs there are and where the first AAC stream is.
struct ProgramTable {
  /// An AAC stream. How it is framed its content tells; stream types are wrong at times.
  struct Choice: Equatable {
    var pid: Int
    var program: Int
    /// stream_type: 0x0F ADTS, 0x11 LATM.
    var type: Int
  }

  private static let adts = 0x0F
  private static let latm = 0x11
  private static let privateData = 0x06
  private static let encrypted = 0xCF
  private static let largestProgramCount = 256

  private(set) var choice: Choice?
  /// No stream is chosen by itself: a certain one is wanted.
  var waits = false
  /// All streams, by their programs.
  private(set) var listing = StreamListing()
  /// AAC streams in the chosen program.
  private(set) var candidateCount = 0
  private(set) var hasPrograms = false
  /// Types of the streams seen while none was chosen.
  private(set) var otherTypes: Set<Int> = []
  /// Streams whose type says nothing; some multiplexers call AAC so.
  private(set) var privateStreams: [Choice] = []
  private var seenMaps: Set<Int> = []

  private var programs = SectionAssembler()
  /// The programs' own tables by their PID.
  private var maps: [Int: SectionAssembler] = [:]

  /// The PID has tables that are looked at.
  func concerns(_ pid: Int) -> Bool { pid == 0 || maps[pid] != nil }

  /// Every program told its streams.
  var isComplete: Bool { hasPrograms && maps.keys.allSatisfy(seenMaps.contains) }

  /// Takes a stream, whose content is AAC.
  mutating func choose(_ stream: Choice) {
    choice = stream
    candidateCount = 1
  }

  mutating func take(_ packet: TransportPacket, _ bytes: [UInt8]) {
    var sections: [[UInt8]] = []
    let payload = bytes[packet.payload]
    if packet.pid == 0 {
      programs.take(payload, startsUnit: packet.startsUnit) { sections.append($0) }
      for section in sections { readPrograms(section) }
    } else {
      maps[packet.pid]?.take(payload, startsUnit: packet.startsUnit) { sections.append($0) }
      for section in sections { readMap(section, packet.pid) }
    }
  }

  /// program_association_section
  private mutating func readPrograms(_ section: [UInt8]) {
    guard Self.isCurrent(section, table: 0) else { return }
    var found: [Int: SectionAssembler] = section[6] == 0 ? [:] : maps
    for index in stride(from: 8, to: section.count - 7, by: 4) {
      let program = Int(section[index]) << 8 | Int(section[index + 1])
      let pid = Int(section[index + 2] & 0x1F) << 8 | Int(section[index + 3])
      guard program != 0, pid != 0, found.count < Self.largestProgramCount else { continue }
      found[pid] = maps[pid] ?? SectionAssembler()
    }
    maps = found
    listing.take(programs: section)
    hasPrograms = hasPrograms || !found.isEmpty
  }

  /// TS_program_map_section
  private mutating func readMap(_ section: [UInt8], _ tablePID: Int) {
    guard Self.isCurrent(section, table: 2), section.count >= 16 else { return }
    seenMaps.insert(tablePID)
    let program = Int(section[3]) << 8 | Int(section[4])
    var index = 12 + (Int(section[10] & 0x0F) << 8 | Int(section[11]))  // program_info_length
    var found: [Choice] = []
    var unclear: [Choice] = []
    var types: Set<Int> = []
    listing.take(map: section)
    while index + 5 <= section.count - 4 {
      let type = Int(section[index])
      let pid = Int(section[index + 1] & 0x1F) << 8 | Int(section[index + 2])
      index += 5 + (Int(section[index + 3] & 0x0F) << 8 | Int(section[index + 4]))  // ES_info_length
      types.insert(type)
      let stream = Choice(pid: pid, program: program, type: type)
      if type == Self.adts || type == Self.latm { found.append(stream) }
      if type == Self.privateData { unclear.append(stream) }
    }
    if let choice {
      // Programs change: stay with the stream as long as it is there, else take its successor.
      let isThere = (found + unclear).contains { $0.pid == choice.pid }
      guard choice.program == program || maps.count == 1, !isThere else { return }
    }
    guard !waits || choice != nil else { return }
    guard let first = found.first else {
      guard choice == nil else { return }
      otherTypes.formUnion(types)
      for stream in unclear where privateStreams.count < 16 && !privateStreams.contains(stream) {
        privateStreams.append(stream)
      }
      return
    }
    choice = first
    candidateCount = found.count
  }

  private static func isCurrent(_ section: [UInt8], table: UInt8) -> Bool {
    // table_id, section_syntax_indicator, current_next_indicator
    section.count >= 12 && section[0] == table && section[1] & 0x80 != 0 && section[5] & 1 != 0
  }

  /// Why there is nothing to read.
  func failure(at offset: Int64) -> ContainerError {
    if otherTypes.contains(Self.encrypted) {
      return ContainerError(
        .unsupported("encrypted AAC (SAMPLE-AES) in an MPEG transport stream"), at: offset)
    }
    guard hasPrograms else {
      return ContainerError(.notAAC("an MPEG transport stream without a list of programs"), at: offset)
    }
    let names = otherTypes.sorted().map(Self.name)
    let list = names.isEmpty ? "" : " (\(names.joined(separator: ", ")))"
    return ContainerError(.notAAC("an MPEG transport stream without AAC" + list), at: offset)
  }

  static func name(_ type: Int) -> String {
    switch type {
    case 0x01, 0x02: "MPEG video"
    case 0x03, 0x04: "MPEG audio"
    case 0x06: "private data"
    case adts: "AAC"
    case latm: "AAC (LATM)"
    case 0x10: "MPEG-4 video"
    case 0x1B: "H.264"
    case 0x24: "H.265"
    case 0x81: "AC-3"
    case 0x87: "E-AC-3"
    default: "stream type \(type)"
    }
  }
}
