import AACKit
import Foundation
import PCM
import Testing

/// Recordings that wait for sound, or do something in silence. Windows are 960 frames at 48 kHz.
@Suite("Sound and silence") struct SoundTriggerTests {
  @Test("begins with the sound, and what was just before it")
  func start() throws {
    let folder = try Folder()
    let sound = stretches([(48000, 0.0001), (48000, 0.2)])
    let take = try Take(
      sound, to: .file(folder.file("x.aac")),
      quick(.adts) {
        $0.start = SoundLevel(decibels: -40)
        $0.preRoll = 0.5
      })
    #expect(take.summary.frames == 24000 + 48000)
    #expect(take.times { if case .soundBegan(let time) = $0 { time } else { nil } } == [0])
  }

  @Test("without sound there is no file")
  func silence() throws {
    let folder = try Folder()
    let take = try Take(
      stretches([(48000, 0.0001)]), to: .file(folder.file("x.aac")),
      quick(.adts) { $0.start = SoundLevel(decibels: -40) })
    #expect(take.summary.frames == 0 && take.summary.files.isEmpty && take.summary.error == nil)
    #expect(folder.names.isEmpty)
  }

  @Test("ends in silence")
  func stop() throws {
    let folder = try Folder()
    let take = try Take(
      stretches([(48000, 0.2), (9600, 0), (48000, 0.2), (96000, 0), (48000, 0.2)]),
      to: .file(folder.file("x.aac")), quick(.adts) { $0.silence = SilenceRule(.stop, after: 1) })
    #expect(take.summary.frames == 48000 + 9600 + 48000 + 48000)
    #expect(take.times { if case .silenceBegan(let time) = $0 { time } else { nil } } == [3.2])
  }

  @Test("leaves silence out")
  func skip() throws {
    let folder = try Folder()
    let take = try Take(
      stretches([(48000, 0.2), (96000, 0), (48000, 0.2), (96000, 0)]), to: .file(folder.file("x.aac")),
      quick(.adts) {
        $0.silence = SilenceRule(.skip, after: 1)
        $0.preRoll = 0.1
      })
    #expect(take.summary.files.count == 1)
    #expect(take.summary.frames == 48000 + 48000 + 4800 + 48000 + 48000)
  }

  @Test("a file for each stretch of sound")
  func split() throws {
    let folder = try Folder()
    let take = try Take(
      stretches([(48000, 0.2), (96000, 0), (48000, 0.2), (96000, 0), (4800, 0.2)]),
      to: .file(folder.file("x.m4a")),
      quick(.m4a) {
        $0.silence = SilenceRule(.split, after: 1)
        $0.preRoll = 0.1
      })
    #expect(take.summary.files.map(\.frames) == [96000, 4800 + 96000, 4800 + 4800])
    #expect(folder.names == ["x-001.m4a", "x-002.m4a", "x-003.m4a"])
  }

  @Test("waits to be told, and has heard what was before")
  func armed() throws {
    let folder = try Folder()
    let backend = NullBackend(signal: .sine(frequency: 997, amplitude: 0.5), pacing: .clock(speed: 1))
    var seconds = 0.0
    let take = try Take(
      .input(of: backend), to: .file(folder.file("x.aac")),
      quick(.adts) {
        $0.isArmed = true
        $0.preRoll = 0.2
        $0.encoding.channelCount = 1
      }
    ) { recorder in
      Thread.sleep(forTimeInterval: 0.6)
      let begin = MonotonicTime.now
      recorder.begin()
      Thread.sleep(forTimeInterval: 0.3)
      recorder.stop()
      seconds = MonotonicTime.now.seconds(since: begin)
    }
    // A machine that is busy elsewhere stretches the sleep, and the recording with it.
    #expect(abs(take.summary.seconds - seconds - 0.2) < 0.1, "\(take.summary.seconds) s, \(seconds) s")
  }
}
