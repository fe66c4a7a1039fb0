public import AAC

/// Why a call of this module failed: the reason, where in the file, and what the caller can do next.
public struct ContainerError: Error, Equatable, Sendable {
  /// What is wrong.
  public enum Reason: Equatable, Sendable {
    /// The data ends inside of the thing named.
    case truncated(String)
    /// The thing named contradicts itself or what surrounds it.
    case malformed(String)
    /// The data is of another kind, which is named.
    case notAAC(String)
    /// The track that was asked for is not there or cannot be read; the text names those that are there.
    case noTrack(String)
    /// Legal data that this library does not read.
    case unsupported(String)
    /// A configuration that the codec refuses.
    case configuration(AACError)
    /// The container to be written has no place for this.
    case cannotCarry(String)
    /// The source or sink would have to be rewound, and cannot.
    case needsSeeking(String)
    /// A `FeedSource` has run dry: feed it and call again.
    case needsMoreData
    /// The operating system refused; the text names the operation and the reason.
    case system(String, code: Int32)
    /// The call does not fit the object's state or the data given.
    case misuse(String)
  }

  /// What the caller can usefully do next.
  public enum Advice: String, Equatable, Sendable {
    case feedMore = "give more data and call again"
    case readOn = "the rest of the file can be read"
    case fixInput = "the file is damaged: fetch it again, or use what could be read"
    case useAnotherInput = "give an AAC file"
    case chooseATrack = "choose another track"
    case useAnotherContainer = "choose another container"
    case useAFile = "use a file instead of a pipe"
    case checkPath = "check the path, its rights and the free space"
    case changeCall = "change the call"
    case useASmallerPicture = "make it smaller: 16 MB are the most"
    case convertThePicture = "convert it to JPEG or PNG"
    case repairFirst = "mend it first, with aac repair"
    case remuxFirst = "make a plain MP4 file of it first, with aac remux"
    case giveUp = "there is no way around it here"
  }

  public var reason: Reason
  /// Position of the fault in the file, in bytes from its start.
  public var byteOffset: Int64?
  public var advice: Advice

  public init(_ reason: Reason, at byteOffset: Int64? = nil, advice: Advice? = nil) {
    self.reason = reason
    self.byteOffset = byteOffset
    self.advice = advice ?? Self.usualAdvice(for: reason)
  }

  private static func usualAdvice(for reason: Reason) -> Advice {
    switch reason {
    case .truncated, .malformed: .fixInput
    case .notAAC: .useAnotherInput
    case .noTrack: .chooseATrack
    case .unsupported, .configuration: .giveUp
    case .cannotCarry: .useAnotherContainer
    case .needsSeeking: .useAFile
    case .needsMoreData: .feedMore
    case .system: .checkPath
    case .misuse: .changeCall
    }
  }
}

extension ContainerError: CustomStringConvertible {
  public var description: String {
    let what =
      switch reason {
      case .truncated(let name): "\(name) is cut off"
      case .malformed(let text), .needsSeeking(let text), .misuse(let text), .cannotCarry(let text),
        .noTrack(let text):
        text
      case .notAAC(let name): "this is \(name), not an AAC file"
      case .unsupported(let name): "\(name) is not supported"
      case .configuration(let error): "the audio configuration is not usable: \(error)"
      case .needsMoreData: "more data is needed"
      case .system(let text, _): text
      }
    let place = byteOffset.map { " (at byte \($0))" } ?? ""
    return "\(what)\(place): \(advice.rawValue)"
  }
}
