public import AudioFiles
public import PCM

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// How two sounds differ, sample by sample.
public struct Comparison: Sendable, Equatable {
  /// Of one channel.
  public struct Channel: Sendable, Equatable {
    /// Largest difference; 1 is full scale.
    public var largest: Double = 0
    var differenceEnergy: Double = 0
    var firstEnergy: Double = 0
    var frames: Int64 = 0

    /// Root of the mean square of the differences.
    public var rms: Double { frames == 0 ? 0 : (differenceEnergy / Double(frames)).squareRoot() }
    /// Energy of the first sound over that of the difference in dB; infinite where they are equal.
    public var signalToNoise: Double {
      if differenceEnergy == 0 { return .infinity }
      return 10 * log10(firstEnergy / differenceEnergy)
    }
  }

  public var format: PCMFormat
  /// Frames by which the second sound is later than the first.
  public var offset: Int
  /// Frames that lie on each other.
  public var frames: Int64 = 0
  public var firstFrames: Int64 = 0
  public var secondFrames: Int64 = 0
  public var channels: [Channel]

  /// Largest difference in any channel.
  public var largest: Double { channels.map(\.largest).max() ?? 0 }
  /// Over all channels.
  public var rms: Double { total.rms }
  public var signalToNoise: Double { total.signalToNoise }
  /// Every sample of both sounds is equal.
  public var isEqual: Bool {
    offset == 0 && firstFrames == secondFrames && channels.allSatisfy { $0.differenceEnergy == 0 }
  }

  private var total: Channel {
    var total = Channel()
    for channel in channels {
      total.differenceEnergy += channel.differenceEnergy
      total.firstEnergy += channel.firstEnergy
      total.frames += channel.frames
    }
    return total
  }
}

extension Comparison {
  /// How much of the start is looked at for the offset, and how large that can be.
  static let searchLength = 1 << 18
  public static let largestOffset = 1 << 15

  /// Compares all of two sounds.
  ///
  /// - Parameter aligns: look for the offset; else it is 0.
  /// - Throws: `incomparable` for other rates or channel counts; what reading throws.
  public init(
    _ first: any AudioReader, _ second: any AudioReader, aligns: Bool = true
  ) throws(AACKitError) {
    format = first.format
    guard first.format.sampleRate == second.format.sampleRate else {
      throw AACKitError(
        .incomparable("the rates are \(first.format.sampleRate) and \(second.format.sampleRate) Hz"))
    }
    guard first.format.channelCount == second.format.channelCount else {
      throw AACKitError(
        .incomparable(
          "there are \(first.format.channelCount) and \(second.format.channelCount) channels"))
    }
    channels = [Channel](repeating: Channel(), count: first.format.channelCount)
    offset = 0
    do throws(AudioFileError) {
      var left = try Window(first, Self.searchLength)
      var right = try Window(second, Self.searchLength)
      if aligns { offset = Alignment.lag(left.start, right.start, limit: Self.largestOffset) }
      left.drop(max(0, -offset))
      right.drop(max(0, offset))
      try run(&left, &right)
      firstFrames = left.total
      secondFrames = right.total
    } catch { throw AACKitError(.audioFile(error)) }
  }

  private mutating func run(_ left: inout Window, _ right: inout Window) throws(AudioFileError) {
    while true {
      let count = min(left.available, right.available)
      for channel in channels.indices {
        measure(
          left.buffer.channels[channel], left.position, right.buffer.channels[channel], right.position,
          count, &channels[channel])
      }
      frames += Int64(count)
      left.drop(count)
      right.drop(count)
      let leftGoesOn = try left.refill()
      let rightGoesOn = try right.refill()
      if !leftGoesOn || !rightGoesOn { break }
    }
    // Count what only one of them has.
    while try left.refill() { left.drop(left.available) }
    while try right.refill() { right.drop(right.available) }
  }
}

private func measure(
  _ first: [Float], _ firstStart: Int, _ second: [Float], _ secondStart: Int, _ count: Int,
  _ channel: inout Comparison.Channel
) {
  var largest = channel.largest
  var difference = 0.0
  var energy = 0.0
  for index in 0..<count {
    let sample = Double(first[firstStart + index])
    let error = sample - Double(second[secondStart + index])
    difference += error * error
    energy += sample * sample
    if !(abs(error) <= largest) { largest = error.isNaN ? .infinity : abs(error) }
  }
  channel.largest = largest
  channel.differenceEnergy += difference
  channel.firstEnergy += energy
  channel.frames += Int64(count)
}

/// The part of a sound that is in memory.
private struct Window {
  private let reader: any AudioReader
  private(set) var buffer: PCMBuffer
  private(set) var position = 0
  /// Frames read so far.
  private(set) var total: Int64 = 0
  private var block: PCMBuffer

  /// Reads the start of a sound.
  init(_ reader: any AudioReader, _ length: Int) throws(AudioFileError) {
    self.reader = reader
    buffer = PCMBuffer(format: reader.format)
    block = buffer
    while buffer.frameCount < length, try reader.read(8192, into: &block) > 0 { buffer.append(block) }
    total = Int64(buffer.frameCount)
  }

  var available: Int { buffer.frameCount - position }

  /// Frames may be dropped before they are read only as far as the window goes.
  mutating func drop(_ count: Int) { position = min(buffer.frameCount, position + count) }

  /// Makes sure that something is available; false at the end.
  mutating func refill() throws(AudioFileError) -> Bool {
    if available > 0 { return true }
    position = 0
    total += Int64(try reader.read(8192, into: &buffer))
    return buffer.frameCount > 0
  }

  /// The channels of the part that is looked at for the offset.
  var start: [[Float]] {
    let count = min(buffer.frameCount, Comparison.searchLength)
    return buffer.channels.map { [Float]($0.prefix(count)) }
  }
}
