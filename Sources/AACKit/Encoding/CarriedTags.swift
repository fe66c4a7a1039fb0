import AACContainers
import AudioFiles

extension Tags {
  /// Tags and pictures of a source with changes: tags without a value are removed, pictures replace those of the source.
  init(of source: any AudioReader, changed changes: Tags) {
    self.init()
    for tag in source.tags where tag.key != Key.encoder { append(tag.value, to: tag.key) }
    artwork = source.pictures.compactMap { try? Artwork($0) }
    merge(changes)
  }
}

extension AudioFileReader {
  /// Adds what libsndfile does not read of a file: FLAC's own comments, ID3 tags, pictures.
  func addTags(from source: any ByteSource) {
    // Without tags it is still the same sound.
    guard let found = try? SoundFileTags.read(source), !found.isEmpty else { return }
    tags = tags.filter { !found.keys.contains($0.key) }
    tags += found.items.map { AudioTag(key: $0.key, value: $0.value) }
    pictures = found.artwork.map(\.data)
  }
}
