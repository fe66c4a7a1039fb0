import AACContainers
import AudioFiles

extension Tags {
  /// Tags of a source with changes: those without a value are removed.
  init(of source: [AudioTag], changed changes: Tags) {
    self.init(source.map { ($0.key, $0.value) })
    for item in changes.items { self[item.key] = item.value.isEmpty ? nil : item.value }
  }
}
