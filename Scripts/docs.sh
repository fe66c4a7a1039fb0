#!/bin/sh
# Builds the reference documentation of the library modules into demo/docs. Fails where a public type has no text.
set -eu
cd "$(dirname "$0")/.."
SWIFT=${SWIFT:-swift}
graphs=$($SWIFT package dump-symbol-graph --minimum-access-level public --skip-synthesized-members |
  sed -n 's/^Files written to //p')
python3 Scripts/undocumented.py "$graphs" PCM AAC AACContainers AudioFiles AudioDevices AACStreaming AACKit
[ "${DOCS_CHECK_ONLY:-0}" = 0 ] || exit 0
mkdir -p demo/docs
for module in PCM AAC AACContainers AudioFiles AudioDevices AACStreaming AACKit; do
  input=$(mktemp -d)
  mkdir "$input/graphs" "$input/$module.docc"
  cp "$graphs/$module".symbols.json "$input/graphs"
  docc convert "$input/$module.docc" --additional-symbol-graph-dir "$input/graphs" --fallback-display-name "$module" \
    --fallback-bundle-identifier "swift-aac.$module" --fallback-bundle-version 1 \
    --transform-for-static-hosting --output-path "demo/docs/$module"
  rm -r "$input"
  echo "demo/docs/$module"
done
