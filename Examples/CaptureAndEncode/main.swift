// A capture module and an encoder module, chained to a file: each tells its errors, packets can be watched on their way.
//
//     swift run capture-and-encode [OUT.m4a [SECONDS [DEVICE]]]

import AACKit
import Foundation

/// Takes sound from a device, in the format that the device has.
struct CaptureModule {
  let stream: CaptureStream

  init(device: String?) throws(AudioDeviceError) {
    stream = try AudioBackends.standard.open().backend.openCapture(
      StreamRequest(device: device, latency: .milliseconds(40)))
  }

  /// Calls `body` with each stretch of sound until it returns false. Between two there is no gap that is not told.
  func run(_ body: (PCMBuffer, CaptureStream.Block) throws -> Bool) throws {
    try stream.start()
    defer { stream.stop() }
    var buffer = PCMBuffer(format: stream.format)
    while true {
      let wait = stream.wait(forFrames: 1024, timeout: .seconds(1))
      while let event = stream.nextEvent() { print("device: \(event.kind) at frame \(event.position)") }
      while let block = stream.read(4096, into: &buffer) { guard try body(buffer, block) else { return } }
      if wait == .ended { throw AudioDeviceError(.deviceGone) }
    }
  }
}

/// Turns sound into packets, and packets into a file that plays whatever happens to this program.
final class EncoderModule {
  let encoder: AACEncoder
  private let writer: any PacketWriter
  private let sink: FileSink
  var (packetCount, byteCount) = (0, 0)

  init(_ format: PCMFormat, bitRate: Int, to path: String) throws {
    encoder = try AACEncoder(
      EncoderSettings(sampleRate: format.sampleRate, layout: format.layout, rate: .constant(bitRate)))
    sink = try FileSink(path: path)
    writer = try FragmentedMP4Writer(sink, configuration: encoder.configuration)
  }

  /// nil ends the file.
  func encode(_ buffer: PCMBuffer?) throws {
    for packet in try buffer.map(encoder.encode) ?? encoder.finish() {
      (packetCount, byteCount) = (packetCount + 1, byteCount + packet.data.count)
      try writer.write(packet)
    }
    guard buffer == nil else { return }
    try writer.finish()
    try sink.close(synchronize: true)
  }
}

func run(_ path: String, _ seconds: Double, _ device: String?) throws {
  let capture = try CaptureModule(device: device)
  let module = try EncoderModule(capture.stream.format, bitRate: 128_000, to: path)
  try capture.run { buffer, block in
    if block.lostBefore > 0 { print("\(block.lostBefore) frames lost before frame \(block.position)") }
    try module.encode(buffer)
    return Double(block.position) < seconds * Double(capture.stream.format.sampleRate)
  }
  try module.encode(nil)
  print("\(module.packetCount) packets, \(module.byteCount) bytes")
}

do {
  let arguments = CommandLine.arguments.dropFirst()
  let seconds = arguments.dropFirst().first.flatMap(Double.init) ?? 5
  try run(arguments.first ?? "take.m4a", seconds, arguments.dropFirst(2).first)
} catch {
  print("failed: \(error)")
  exit(1)
}
