// From the microphone to an ADTS file that every player reads, with the codec chosen by preference.
//
//     swift run capture-to-adts OUT.aac SECONDS [DEVICE [hardware|software]]

import AACKit
import Foundation

func record(to path: String, seconds: Double, device: String?, codecs: [CodecKind]) async throws {
  // The device is asked what it has; the file gets that format, or another one that is asked for here.
  let choice = try AudioBackends.standard.open()
  for refusal in choice.refused { print("not \(refusal.name): \(refusal.reason)") }
  var request = RecordingSource.usualRequest
  request.device = device

  var settings = RecorderSettings()
  settings.duration = seconds
  settings.encoding.rate = .constant(96_000)
  settings.encoding.effort = .high
  settings.encoding.codecPreference = codecs
  let recorder = try Recorder(from: .input(of: choice.backend, request), to: .file(path), settings: settings)
  print(
    "\(recorder.device.name), \(recorder.deviceFormat.sampleRate) Hz \(recorder.deviceFormat.layout.name)"
      + " → \(recorder.encoding.sampleRate) Hz \(recorder.encoding.layout.name)"
      + ", \(recorder.effective.bitRate) bit/s by the \(recorder.effective.codec.rawValue) codec")
  try recorder.start()

  for await event in recorder.events {
    switch event {
    case .levels(let levels): print("\(levels.time) s: \(levels.loudness.momentary) LUFS")
    case .lost(let frames, let time): print("\(frames) frames lost at \(time) s")
    case .device(let event, let time): print("\(event.kind) at \(time) s")
    case .finished(let summary):
      if let error = summary.error { throw error }
      print("\(summary.seconds) s in \(summary.files.compactMap(\.path))")
    default: break
    }
  }
}

let arguments = CommandLine.arguments.dropFirst().map { $0 }
guard arguments.count >= 2, let seconds = Double(arguments[1]) else {
  print("usage: capture-to-adts OUT.aac SECONDS [DEVICE [hardware|software]]")
  exit(2)
}
let kinds = arguments.dropFirst(3).compactMap(CodecKind.init(rawValue:))
do {
  try await record(
    to: arguments[0], seconds: seconds, device: arguments.dropFirst(2).first,
    codecs: kinds.isEmpty ? [.hardware, .software] : kinds)
} catch {
  print("failed: \(error)")
  exit(1)
}
