public import AAC
public import AACContainers
public import PCM

/// Reads all packets of what `open` makes, and checks what has to hold for any input.
public func drain(_ open: () throws(ContainerError) -> any PacketReader) {
  let reader: any PacketReader
  do throws(ContainerError) {
    reader = try open()
  } catch {
    precondition((error.byteOffset ?? 0) >= 0)
    precondition(!error.description.isEmpty)
    return
  }
  var packet = Packet(data: [], presentationTime: 0, duration: 0)
  var failures = 0
  var time: Int64?
  var isOpen = true
  while isOpen {
    do throws(ContainerError) {
      isOpen = try reader.nextPacket(into: &packet)
      guard isOpen else { break }
      precondition(packet.duration > 0 && packet.priming >= 0 && packet.padding >= 0)
      precondition(packet.priming + packet.padding <= packet.duration)
      let heard = packet.presentationTime + Int64(packet.priming)
      if let time { precondition(heard >= time) }
      time = heard
    } catch {
      failures += 1
      precondition(failures < 1000, "failures without end")
      precondition((error.byteOffset ?? 0) >= 0)
    }
  }
  precondition(reader.warnings.items.count <= 100)
  if let survey = try? reader.survey() { precondition(survey.validFrames >= 0 && survey.packetCount >= 0) }
}

/// Access units that are valid and small.
public func silence(_ layout: ChannelLayout, _ count: Int) -> (AudioSpecificConfig, [Packet])? {
  guard let rate = try? SamplingRate(44100),
    let configuration = try? AudioSpecificConfig(samplingRate: rate, layout: layout),
    let data = SilentPacket.data(for: configuration)
  else { return nil }
  return (
    configuration,
    (0..<count).map { index in
      Packet(
        data: data, presentationTime: Int64(index * 1024 - 1024), duration: 1024,
        priming: index == 0 ? 1024 : 0, padding: index == count - 1 ? 100 : 0)
    }
  )
}

/// `input` as edits of `file`: two bytes of place, one of value, again and again; a value of 0x55 cuts the file
/// at the place instead.
public func edited(_ file: [UInt8], by input: ArraySlice<UInt8>) -> [UInt8] {
  var bytes = file
  var edits = input
  while edits.count >= 3, !bytes.isEmpty {
    let place = Int(edits[edits.startIndex]) << 8 | Int(edits[edits.startIndex + 1])
    let value = edits[edits.startIndex + 2]
    edits = edits.dropFirst(3)
    if value == 0x55 {
      bytes.removeLast(bytes.count - place % bytes.count)
    } else {
      bytes[place % bytes.count] = value
    }
  }
  return bytes
}

extension UnsafePointer<UInt8> {
  /// The input that libFuzzer hands over, copied.
  public func copied(_ count: Int) -> [UInt8] { [UInt8](UnsafeBufferPointer(start: self, count: count)) }
}
