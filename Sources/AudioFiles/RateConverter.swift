import CSoxr
public import PCM

/// Converts between sample rates with libsoxr at its very high quality, block by block.
///
/// `n` frames in give round(n · to / from) frames out in all, aligned with the input.
@safe
public final class RateConverter {
  public let inputRate: Int
  public let outputRate: Int
  private let layout: ChannelLayout
  /// One converter a channel, so that planar samples need no interleaving.
  private var handles: [OpaquePointer] = unsafe []
  private var framesIn: Int64 = 0
  private var framesOut: Int64 = 0
  private var isFinished = false

  /// - Throws: `invalidSettings` for rates that cannot be.
  public init(from inputRate: Int, to outputRate: Int, layout: ChannelLayout) throws(AudioFileError) {
    self.inputRate = inputRate
    self.outputRate = outputRate
    self.layout = layout
    guard inputRate > 0, outputRate > 0, layout.channelCount > 0 else {
      throw AudioFileError(.invalidSettings("no conversion from \(inputRate) to \(outputRate) Hz"))
    }
    for _ in 0..<layout.channelCount {
      var failure: soxr_error_t?
      // unsafe: the specifications are plain structures that soxr_create copies.
      var samples = unsafe soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I)
      var quality = unsafe soxr_quality_spec(UInt(SOXR_VHQ), 0)
      var runtime = unsafe soxr_runtime_spec(1)
      let handle = unsafe soxr_create(
        Double(inputRate), Double(outputRate), 1, &failure, &samples, &quality, &runtime)
      guard let handle = unsafe handle else {
        throw AudioFileError(.invalidSettings("no conversion from \(inputRate) to \(outputRate) Hz"))
      }
      unsafe handles.append(handle)
    }
  }

  deinit {
    // unsafe: each handle was made by soxr_create and is deleted once.
    for index in 0..<layout.channelCount where unsafe index < handles.count {
      unsafe soxr_delete(handles[index])
    }
  }

  /// Converts all of `input` and writes what is complete to `output`, which may stay empty.
  ///
  /// - Throws: `misuse` for another format or after `finish(into:)`.
  public func convert(_ input: PCMBuffer, into output: inout PCMBuffer) throws(AudioFileError) {
    guard !isFinished else { throw AudioFileError(.misuse("the rate converter is finished")) }
    guard input.format.sampleRate == inputRate, input.channelCount == layout.channelCount else {
      throw AudioFileError(.misuse("a buffer of another format than the rate converter's"))
    }
    framesIn += Int64(input.frameCount)
    let room = Int((Double(input.frameCount) * Double(outputRate) / Double(inputRate)).rounded(.up)) + 64
    output.resize(to: room, format: PCMFormat(sampleRate: outputRate, layout: layout))
    var made = 0
    for channel in 0..<layout.channelCount {
      made = try process(channel, input, &output, room)
    }
    output.frameCount = made
    framesOut += Int64(made)
  }

  /// Writes what is still inside to `output`. The converter takes no more input then.
  public func finish(into output: inout PCMBuffer) throws(AudioFileError) {
    guard !isFinished else { throw AudioFileError(.misuse("the rate converter is finished")) }
    isFinished = true
    let total = (framesIn * Int64(outputRate) + Int64(inputRate) / 2) / Int64(inputRate)
    let missing = Int(max(0, total - framesOut))
    output.resize(to: missing, format: PCMFormat(sampleRate: outputRate, layout: layout))
    for channel in 0..<layout.channelCount {
      for frame in 0..<missing { output.channels[channel][frame] = 0 }
      drain(channel, &output, missing)
    }
    framesOut += Int64(missing)
  }

  private func process(
    _ channel: Int, _ input: PCMBuffer, _ output: inout PCMBuffer, _ room: Int
  ) throws(AudioFileError) -> Int {
    var used = 0
    var made = 0
    while used < input.frameCount {
      // unsafe: the handle is valid until deinit.
      let step = try unsafe ResamplingStep(
        handles[channel], input.channels[channel], used..<input.frameCount, into: &output.channels[channel],
        behind: made, room: room)
      used += step.taken
      made += step.given
      if step.taken == 0 && step.given == 0 { break }
    }
    return made
  }

  private func drain(_ channel: Int, _ output: inout PCMBuffer, _ missing: Int) {
    var made = 0
    while made < missing {
      var given = 0
      // unsafe: no input means the end of it; soxr writes at most `missing - made` samples behind `made`.
      let failure = unsafe output.channels[channel].withUnsafeMutableBufferPointer { target in
        unsafe soxr_process(
          handles[channel], nil, 0, nil, target.baseAddress.map { unsafe $0 + made }, missing - made, &given)
      }
      if unsafe failure != nil || given == 0 { return }
      made += given
    }
  }
}
