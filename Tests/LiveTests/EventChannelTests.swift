import AACKit
import Testing

private enum Note: ChannelEvent, Equatable {
  case word(Int)
  case level(Int)
  case lost(Int)

  static func eventsLost(_ count: Int) -> Note { .lost(count) }
  var isOutdatedByNext: Bool { if case .level = self { true } else { false } }
}

@Suite("Event channel")
struct EventChannelTests {
  @Test("events come in order, of unread levels the newest")
  func order() {
    let channel = EventChannel<Note>()
    for note in [Note.word(1), .level(1), .level(2), .word(2), .level(3)] { channel.post(note) }
    channel.finish()
    channel.post(.word(9))
    var notes: [Note] = []
    while let note = channel.next(timeout: .zero) { notes.append(note) }
    #expect(notes == [.word(1), .level(2), .word(2), .level(3)])
    #expect(channel.isAtEnd)
  }

  @Test("what finds no room is counted")
  func overflow() {
    let channel = EventChannel<Note>()
    for number in 0..<1200 { channel.post(.word(number)) }
    var notes: [Note] = []
    while let note = channel.next(timeout: .zero) { notes.append(note) }
    #expect(notes.count == 1001)
    #expect(notes[999] == .word(999))
    #expect(notes.last == .lost(200))
    channel.post(.word(7))
    #expect(channel.next(timeout: .zero) == .word(7))
  }

  @Test("a task hears them too, and ends when it is cancelled")
  func asynchronous() async {
    let channel = EventChannel<Note>()
    let listener = Task {
      var notes: [Note] = []
      for await note in channel { notes.append(note) }
      return notes
    }
    for number in 0..<100 { channel.post(.word(number)) }
    channel.finish()
    #expect(await listener.value == (0..<100).map(Note.word))

    let endless = EventChannel<Note>()
    let waiting = Task { for await _ in endless {} }
    waiting.cancel()
    await waiting.value
  }
}
