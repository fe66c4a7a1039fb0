import CSoxr
import PCM

/// One call of libsoxr for one channel.
struct ResamplingStep {
  var taken = 0
  var given = 0
  /// Samples that there was room for.
  var space = 0

  /// Converts samples of `input` from `used` on, and writes them behind the first `made` of `output`, which grows by `room`
  /// where it is nearly full.
  ///
  /// - Throws: `misuse` where the library fails.
  @unsafe
  init(
    _ handle: OpaquePointer, _ input: [Float], _ used: Range<Int>, into output: inout [Float],
    behind made: Int,
    room: Int
  ) throws(AudioFileError) {
    if output.count <= made + 64 { output.append(contentsOf: repeatElement(0, count: room)) }
    let space = output.count - made
    var (taken, given) = (0, 0)
    // unsafe: soxr reads the range of the input and writes at most `space` samples behind `made`.
    let failure = unsafe input.withUnsafeBufferPointer { source in
      unsafe output.withUnsafeMutableBufferPointer { target in
        unsafe soxr_process(
          handle, source.baseAddress.map { unsafe $0 + used.lowerBound }, used.count, &taken,
          target.baseAddress.map { unsafe $0 + made }, space, &given)
      }
    }
    if unsafe failure != nil { throw AudioFileError(.misuse("the rate converter failed")) }
    (self.taken, self.given, self.space) = (taken, given, space)
  }
}
