@testable import AAC

/// A channel of constant rate between a sender's buffer and a receiver's, as `Rate.constant` promises it.
struct ConstantChannel {
  let bitRate: Double
  let frameSeconds: Double
  /// The time that a packet waits in both buffers together, in seconds.
  let delay: Double
  /// Bits that the receiver's buffer holds.
  var capacity: Double { delay * bitRate }

  init(bitRate: Int, sampleRate: Int, channels: Int) {
    self.bitRate = Double(bitRate)
    frameSeconds = 1024 / Double(sampleRate)
    delay = min(6144 * Double(channels) / Double(bitRate), 0.16 + frameSeconds)
  }

  /// What goes wrong where the packets of a stream leave the encoder one each frame.
  func faults(_ sizes: [Int]) -> [String] {
    // The receiver waits for this long from the first bit on; the sender waits before it for the rest.
    let wait = (delay + frameSeconds) / 2
    let total = Double(sizes.reduce(0, +))
    let tolerance = 1e-6
    var sent = 0.0
    var faults: [String] = []
    for (index, size) in sizes.enumerated() {
      let time = Double(index) * frameSeconds
      if bitRate * (time - (delay - wait)) > sent + tolerance {
        faults.append("packet \(index): the channel has nothing to carry")
      }
      let received = min(bitRate * (time + wait), total)
      if received - sent > capacity + tolerance {
        faults.append("packet \(index): \(received - sent) bits where \(capacity) fit")
      }
      sent += Double(size)
      if sent > received + tolerance {
        faults.append("packet \(index): \(sent - received) bits are not there in time")
      }
    }
    return faults
  }
}

extension [Packet] {
  var bitCounts: [Int] { map { $0.data.count * 8 } }
}
