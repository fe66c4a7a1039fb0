import AACContainers
import AudioFiles

extension Tags {
  /// Tags of a source with changes: those without a value are removed, pictures are added.
  init(of source: [AudioTag], changed changes: Tags) {
    self.init(source.map { ($0.key, $0.value) })
    merge(changes)
  }
}
