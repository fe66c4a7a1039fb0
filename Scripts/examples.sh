#!/bin/bash
# Builds and runs the example programs, those that use devices on a sound server of their own, and looks at what they
# made with FFmpeg: lengths, and that the tone is there.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
examples="encode-tone decode-mono encoder-and-decoder captured-player capture-and-encode capture-to-adts"
for example in $examples; do ${SWIFT:-swift} build -c release ${FLAGS:-} --product "$example"; done
${SWIFT:-swift} build -c release ${FLAGS:-} --product aac
bin=$root/.build/release
folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; "$root/Scripts/audio-server.sh" stop "$folder/server"; rm -rf "$folder"' EXIT
PULSE_SERVER=$(Scripts/audio-server.sh start "$folder/server" $$)
PULSE_COOKIE=$folder/server/state/cookie HOME=$folder
export PULSE_SERVER PULSE_COOKIE HOME

check() { # check FILE LEAST MOST: seconds of sound between the two, not softer than -20 dB
  local told seconds level
  told=$(ffmpeg -v info -nostdin -i "$1" -af volumedetect -f null - 2>&1)
  seconds=$(ffmpeg -v error -nostdin -i "$1" -f s16le -ac 1 -ar 8000 - | wc -c)
  level=$(echo "$told" | sed -n 's/.*mean_volume: \(-[0-9.]*\) dB.*/\1/p')
  echo "  $1: $((seconds / 160)) hundredths of a second, $level dB"
  [ "$seconds" -ge $(("$2" * 160)) ] && [ "$seconds" -le $(("$3" * 160)) ] && [ "${level%.*}" -ge -20 ] ||
    { echo "examples: $1 is not what was asked for" >&2; exit 1; }
}

cd "$folder"
"$bin/encode-tone" tone.m4a
check tone.m4a 495 505
[ "$("$bin/decode-mono" tone.m4a | wc -c)" = 320000 ] || { echo "examples: decode-mono gave another length" >&2; exit 1; }
"$bin/aac" decode -q tone.m4a tone.wav
"$bin/encoder-and-decoder" tone.wav again.wav
"$bin/aac" compare tone.wav again.wav --json | grep -q '"offset": 0' || { echo "examples: the decoder's sound is late" >&2; exit 1; }
check again.wav 500 500

# A tone that is heard all the time.
while paplay -d aacnull tone.wav; do :; done &
sleep 0.5
"$bin/capture-to-adts" take.aac 2 aacnull.monitor | tail -n 1
check take.aac 200 210
if "$bin/capture-to-adts" hard.aac 1 aacnull.monitor hardware >hard.txt 2>&1; then
  echo "examples: a codec that is not there recorded" >&2
  exit 1
fi
grep -q "there is no hardware codec here, only: software" hard.txt
"$bin/capture-and-encode" take.m4a 2 aacnull.monitor | tail -n 1
check take.m4a 200 225

# Played on the other output, and recorded from there.
for coded in "" --coded; do
  "$bin/aac" record -q loop$coded.m4a -d 3 --device aacalt.monitor &
  recording=$!
  "$bin/captured-player" aacnull.monitor aacalt 3 $coded | tail -n 1
  wait $recording
  check loop$coded.m4a 300 303
done
echo "all examples did what they say"
