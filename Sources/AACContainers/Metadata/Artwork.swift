/// A picture, as it is stored.
public struct Artwork: Sendable, Equatable {
  /// What its first bytes say.
  public enum Format: String, Sendable, Hashable {
    case jpeg
    case png
    case gif
    case bmp
    case other
  }

  /// The largest picture that is taken, in bytes.
  public static let sizeLimit = 16 << 20

  public let data: [UInt8]
  /// The type that an MP4 file gives it.
  let typeCode: Int

  /// A picture to be stored: JPEG or PNG, which players show.
  ///
  /// - Throws: `cannotCarry` where it is anything else, or larger than `sizeLimit`.
  public init(_ data: [UInt8]) throws(ContainerError) {
    guard data.count <= Self.sizeLimit else {
      throw ContainerError(
        .cannotCarry("a cover of \(data.count) bytes is too large"), advice: .useASmallerPicture)
    }
    switch Self.format(of: data) {
    case .jpeg: typeCode = 13
    case .png: typeCode = 14
    case .gif, .bmp, .other:
      throw ContainerError(
        .cannotCarry("the cover is neither a JPEG nor a PNG picture"), advice: .convertThePicture)
    }
    self.data = data
  }

  /// A picture of a file, whatever it is.
  init(stored data: [UInt8], typeCode: Int) {
    self.data = data
    self.typeCode = typeCode
  }

  public var format: Format { Self.format(of: data) }

  private static func format(of data: [UInt8]) -> Format {
    if data.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
    if data.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
    if data.starts(with: [0x47, 0x49, 0x46, 0x38]) { return .gif }
    if data.starts(with: [0x42, 0x4D]) { return .bmp }
    return .other
  }
}
