/// All streams of a transport stream, program by program, in the order of the tables.
struct StreamListing {
  private struct Stream: Equatable {
    var choice: ProgramTable.Choice
    var language: String?
  }

  private static let iso639 = 0x0A
  private static let readable: Set<Int> = [0x0F, 0x11]
  private static let largestProgramCount = 256

  /// Numbers of the programs, as the association table has them.
  private var programs: [Int] = []
  private var streams: [Int: [Stream]] = [:]

  private var all: [Stream] { programs.flatMap { streams[$0] ?? [] } }

  /// program_association_section
  mutating func take(programs section: [UInt8]) {
    if section[6] == 0 { programs = [] }
    for index in stride(from: 8, to: section.count - 7, by: 4) {
      let program = Int(section[index]) << 8 | Int(section[index + 1])
      guard program != 0, programs.count < Self.largestProgramCount, !programs.contains(program) else {
        continue
      }
      programs.append(program)
    }
  }

  /// TS_program_map_section, at least 16 bytes.
  mutating func take(map section: [UInt8]) {
    let program = Int(section[3]) << 8 | Int(section[4])
    guard programs.contains(program) else { return }
    var index = 12 + (Int(section[10] & 0x0F) << 8 | Int(section[11]))  // program_info_length
    var found: [Stream] = []
    while index + 5 <= section.count - 4 {
      let pid = Int(section[index + 1] & 0x1F) << 8 | Int(section[index + 2])
      let length = Int(section[index + 3] & 0x0F) << 8 | Int(section[index + 4])  // ES_info_length
      let choice = ProgramTable.Choice(pid: pid, program: program, type: Int(section[index]))
      let end = min(index + 5 + length, section.count - 4)
      found.append(
        Stream(choice: choice, language: Self.language(section[(index + 5)..<max(index + 5, end)])))
      index += 5 + length
    }
    streams[program] = found
  }

  /// Of an ISO_639_language_descriptor.
  private static func language(_ descriptors: ArraySlice<UInt8>) -> String? {
    var index = descriptors.startIndex
    while index + 2 <= descriptors.endIndex {
      let end = index + 2 + Int(descriptors[index + 1])
      if Int(descriptors[index]) == iso639, index + 5 <= min(end, descriptors.endIndex) {
        let letters = descriptors[index + 2..<index + 5]
        let isTold = letters.allSatisfy { (0x61...0x7A).contains($0) } && !letters.elementsEqual("und".utf8)
        return isTold ? String(decoding: letters, as: UTF8.self) : nil
      }
      index = end
    }
    return nil
  }

  /// The stream of a number, counted from 1.
  subscript(number: Int) -> ProgramTable.Choice? {
    let all = all
    return all.indices.contains(number - 1) ? all[number - 1].choice : nil
  }

  func number(of choice: ProgramTable.Choice) -> Int? {
    all.firstIndex { $0.choice.pid == choice.pid && $0.choice.program == choice.program }.map { $0 + 1 }
  }

  /// For people. A stream that is read is AAC, whatever its type is.
  func tracks(read choice: ProgramTable.Choice?) -> [TrackInfo] {
    all.enumerated().map { index, stream in
      let type = stream.choice.type
      let isRead = stream.choice.pid == choice?.pid
      let isReadable = isRead || Self.readable.contains(type)
      var info = TrackInfo(
        number: index + 1, id: stream.choice.pid, kind: isReadable ? .audio : Self.kind(type),
        codec: isRead && !Self.readable.contains(type) ? "AAC" : ProgramTable.name(type))
      info.language = stream.language
      info.isReadable = isReadable
      return info
    }
  }

  private static func kind(_ type: Int) -> TrackInfo.Kind {
    switch type {
    case 0x01, 0x02, 0x10, 0x1B, 0x24: .video
    case 0x03, 0x04, 0x81, 0x87: .audio
    default: .other
    }
  }
}
