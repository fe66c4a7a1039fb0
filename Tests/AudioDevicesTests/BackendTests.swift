import PCM
import Testing

@testable import AudioDevices

@Suite struct BackendTests {
  private func failing(_ name: String) -> AudioBackends.Entry {
    AudioBackends.Entry(name: name) { () throws(AudioDeviceError) -> any AudioBackend in
      throw AudioDeviceError(.noServer("away"), backend: name)
    }
  }

  private var null: AudioBackends.Entry {
    AudioBackends.Entry(name: "null", isAutomatic: false) {
      () throws(AudioDeviceError) -> any AudioBackend in NullBackend()
    }
  }

  @Test func firstThatWorksIsChosenAndTold() throws {
    let backends = AudioBackends([failing("one"), failing("two"), null])
    let choice = try backends.open(preferring: ["two", "hardware", "null", "one"])
    #expect(choice.backend.name == "null")
    #expect(choice.refused.map(\.name) == ["two", "hardware"])
    #expect(choice.refused.first?.reason.contains("away") == true)
  }

  @Test func whatStandsForHardwareIsNotTakenUnasked() {
    let error = #expect(throws: AudioDeviceError.self) {
      try AudioBackends([failing("one"), failing("two"), null]).open()
    }
    guard case .noBackend(let asked, let existing, let refused)? = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(asked == ["one", "two"])
    #expect(existing == ["one", "two", "null"])
    #expect(refused.count == 2)
    #expect(error?.advice == "ask for one of: one, two, null")
    let single = #expect(throws: AudioDeviceError.self) { try AudioBackends([failing("one")]).open() }
    #expect(single?.reason == .noServer("away"))
    #expect(throws: AudioDeviceError.self) { try AudioBackends([]).open() }
  }

  @Test func standardListHasWhatThisSystemHas() {
    #if os(Linux)
      #expect(AudioBackends.standard.names == ["pulse", "null"])
    #else
      #expect(AudioBackends.standard.names == ["null"])
    #endif
  }

  @Test func changesOfAListAreFound() {
    let format = PCMFormat(sampleRate: 48_000, layout: .stereo)
    func device(_ id: String, _ isDefault: Bool = false, _ rate: Int = 48_000) -> DeviceInfo {
      DeviceInfo(
        id: id, name: id, direction: .output, format: PCMFormat(sampleRate: rate, layout: .stereo),
        isDefault: isDefault)
    }
    #expect(DeviceEvent.changes(from: [device("a")], to: [device("a")]).isEmpty)
    #expect(
      DeviceEvent.changes(
        from: [device("a", true), device("b")], to: [device("b", true, 44_100), device("c")])
        == [
          .removed(device("a", true)), .changed(device("b", true, 44_100)), .added(device("c")),
          .defaultChanged(.output, device("b", true, 44_100)),
        ])
    #expect(DeviceEvent.changes(from: [device("a", true)], to: []).last == .defaultChanged(.output, nil))
    let input = DeviceInfo(id: "a", name: "a", direction: .input, format: format)
    #expect(DeviceEvent.changes(from: [device("a")], to: [device("a"), input]) == [.added(input)])
  }

  @Test func errorsTellWhatToDo() {
    let error = AudioDeviceError(.noDevice("x", existing: ["a", "b"]), backend: "pulse")
    #expect(error.description == "pulse: there is no device x")
    #expect(error.advice == "name one of: a, b")
    #expect(
      AudioDeviceError(.deviceGone, position: 7).description == "the device is gone (at frame 7)")
  }

  @Test func requestsAreChecked() {
    let backend = NullBackend()
    #expect(throws: AudioDeviceError.self) {
      try backend.openCapture(StreamRequest(latency: .milliseconds(1)))
    }
    #expect(throws: AudioDeviceError.self) {
      try backend.openCapture(StreamRequest(bufferLength: .seconds(100)))
    }
    #expect(throws: AudioDeviceError.self) {
      try backend.openCapture(StreamRequest(layout: .discrete(40)))
    }
    #expect(throws: AudioDeviceError.self) {
      try backend.openCapture(StreamRequest(sampleRate: 8000, conversion: .server))
    }
    #expect(throws: AudioDeviceError.self) {
      try NullBackend(pacing: .clock(speed: .nan)).openCapture(StreamRequest())
    }
  }

  #if canImport(CPulse)
    /// Every layout that the server can have comes back from its form.
    @Test func layoutsGoToTheServersFormAndBack() {
      let layouts: [ChannelLayout] = [
        .mono, .stereo, .surround30, .surround40, .quad, .surround50, .surround51, .surround61, .surround71,
        .surround71Front, .surround512, .discrete(3), .discrete(12),
        ChannelLayout(Speaker.allCases.map { $0 }),
      ]
      for layout in layouts { #expect(ChannelLayout(layout.pulseMap) == layout, "\(layout.name)") }
      // Another order is asked for in WAVE order.
      let mixed = ChannelLayout([.backLeft, .frontRight, .frontLeft])
      #expect(ChannelLayout(mixed.pulseMap) == ChannelLayout([.frontLeft, .frontRight, .backLeft]))
    }
  #endif
}
