import CSoxr
public import PCM

/// Converts between sample rates with a ratio that may change while it runs, by libsoxr's variable-rate mode: for sound
/// whose clock is another than the device's.
@safe
public final class VariableRateConverter {
  /// How far the speed may be from 1.
  public static let largestBend = 0.01

  public let inputRate: Int
  public let outputRate: Int
  /// How much faster than usual the input is used up: 1 is the usual speed.
  public private(set) var speed = 1.0
  private let layout: ChannelLayout
  /// One converter a channel, so that planar samples need no interleaving.
  private var handles: [OpaquePointer] = unsafe []

  /// - Throws: `invalidSettings` for rates that cannot be.
  public init(from inputRate: Int, to outputRate: Int, layout: ChannelLayout) throws(AudioFileError) {
    self.inputRate = inputRate
    self.outputRate = outputRate
    self.layout = layout
    let failure = AudioFileError(.invalidSettings("no conversion from \(inputRate) to \(outputRate) Hz"))
    guard inputRate > 0, outputRate > 0, layout.channelCount > 0 else { throw failure }
    let ratio = Double(inputRate) / Double(outputRate)
    for _ in 0..<layout.channelCount {
      // unsafe: the specifications are plain structures that soxr_create copies.
      var samples = unsafe soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I)
      var quality = unsafe soxr_quality_spec(UInt(SOXR_HQ), UInt(SOXR_VR))
      var runtime = unsafe soxr_runtime_spec(1)
      // The rates given here are the largest ratio that there will be.
      let handle = unsafe soxr_create(
        ratio * (1 + Self.largestBend), 1, 1, nil, &samples, &quality, &runtime)
      guard let handle = unsafe handle else { throw failure }
      unsafe handles.append(handle)
      guard unsafe soxr_set_io_ratio(handle, ratio, 0) == nil else { throw failure }
    }
  }

  deinit {
    // unsafe: each handle was made by soxr_create and is deleted once.
    for index in 0..<layout.channelCount where unsafe index < handles.count {
      unsafe soxr_delete(handles[index])
    }
  }

  /// Goes over to another speed, within 1 % of the usual one, in the course of so many frames of output.
  public func setSpeed(_ speed: Double, within frames: Int) {
    guard speed.isFinite else { return }
    self.speed = min(max(speed, 1 - Self.largestBend), 1 + Self.largestBend)
    let ratio = Double(inputRate) / Double(outputRate) * self.speed
    for index in 0..<layout.channelCount {
      // unsafe: the handle is valid; the ratio is within what it was made for.
      _ = unsafe soxr_set_io_ratio(handles[index], ratio, max(0, frames))
    }
  }

  /// Converts all of `input` and writes what is complete to `output`, which may stay empty.
  ///
  /// - Throws: `misuse` for another format.
  public func convert(_ input: PCMBuffer, into output: inout PCMBuffer) throws(AudioFileError) {
    guard input.format.sampleRate == inputRate, input.channelCount == layout.channelCount,
      input.channels.allSatisfy({ $0.count >= input.frameCount })
    else { throw AudioFileError(.misuse("a buffer of another format than the rate converter's")) }
    let longest = Double(input.frameCount) * Double(outputRate) / Double(inputRate) * (1 + Self.largestBend)
    let room = Int(longest.rounded(.up)) + 1024
    output.resize(to: room, format: PCMFormat(sampleRate: outputRate, layout: layout))
    var made = 0
    for channel in 0..<layout.channelCount {
      made = try process(channel, input, &output, room)
    }
    output.frameCount = made
  }

  /// Writes what is still inside to `output`. The converter takes no more input then.
  public func finish(into output: inout PCMBuffer) {
    let room = 8192 + 8192 * outputRate / inputRate
    output.resize(to: room, format: PCMFormat(sampleRate: outputRate, layout: layout))
    var made = 0
    for channel in 0..<layout.channelCount {
      var given = 0
      // unsafe: no input means the end of it; soxr writes at most `room` samples.
      let failure = unsafe output.channels[channel].withUnsafeMutableBufferPointer { target in
        unsafe soxr_process(handles[channel], nil, 0, nil, target.baseAddress, room, &given)
      }
      made = unsafe failure == nil ? given : 0
    }
    output.frameCount = min(made, room)
  }

  private func process(
    _ channel: Int, _ input: PCMBuffer, _ output: inout PCMBuffer, _ room: Int
  ) throws(AudioFileError) -> Int {
    var used = 0
    var made = 0
    while true {
      // unsafe: the handle is valid until deinit.
      let step = try unsafe ResamplingStep(
        handles[channel], input.channels[channel], used..<input.frameCount, into: &output.channels[channel],
        behind: made, room: room)
      used += step.taken
      made += step.given
      if used == input.frameCount, step.given < step.space || step.taken == 0 { return made }
      if step.taken == 0 && step.given == 0 { return made }
    }
  }
}
