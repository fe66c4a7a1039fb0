#!/bin/sh
# Runs the tests of the devices, of the recorder and of the player under the thread sanitizer, in a package of their
# modules alone, optimised: the encoder would not keep up otherwise. Fails on any race.
set -eu
cd "$(dirname "$0")/.."
package=$PWD
folder=$package/.build/threads
rm -rf "$folder/Sources" "$folder/Tests"
mkdir -p "$folder/Sources" "$folder/Tests"
for module in Threads PCM DSP AAC AACContainers AACStreaming AACKit AudioDevices AudioFiles CCurl CEbur128 CPulse CSndFile CSoxr; do
  ln -sfn "$package/Sources/$module" "$folder/Sources/$module"
done
for tests in TestServers AudioDevicesTests AACKitTests; do ln -sfn "$package/Tests/$tests" "$folder/Tests/$tests"; done
# The package's own description, without what is not here.
awk '
  /^  products:/ { skipping = 1 }
  /^  targets:/ { skipping = 0 }
  /^    \.(executableTarget|testTarget|target)\(/ || /^    \.systemLibrary\(/ { entry = ""; inside = 1 }
  inside { entry = entry $0 "\n"
    if ($0 ~ /\),$/ && gsub(/\(/, "(", entry) == gsub(/\)/, ")", entry)) {
      inside = 0
      if (entry !~ /executableTarget|"(PCM|DSP|AAC|AACContainers|AudioFiles|Command|Live|AACStreaming)Tests"/) printf "%s", entry
    }
    next }
  !skipping { print }' "$package/Package.swift" >"$folder/Package.swift"
cd "$folder"
# The encoder uses the bytes of a packet again that nobody has any more. That is in order by the array's reference count,
# which the sanitizer does not see: the runtime that counts is not built with it.
echo "race:AAC9BitWriterV" >suppressions
TSAN_OPTIONS="halt_on_error=1 exitcode=66 suppressions=$folder/suppressions ${TSAN_OPTIONS:-}" ${SWIFT:-swift} test -c release \
  -Xswiftc -enable-testing --sanitize=thread --filter 'AudioDevicesTests|Recorder|SoundTrigger|Player'
