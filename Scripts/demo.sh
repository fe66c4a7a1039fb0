#!/bin/sh
# The main job from end to end: music in, AAC out, and back; with figures and a picture.
set -eu
cd "$(dirname "$0")/.."
SWIFT=${SWIFT:-swift}
FLAGS=${FLAGS:-}
out=demo
mkdir -p "$out"

echo "building"
$SWIFT build -c release $FLAGS --product aac
$SWIFT build -c release $FLAGS --product demo-piece
aac=.build/release/aac
piece=.build/release/demo-piece

field() { # field NAME: the number or word of a key of the JSON on standard input
  sed -n 's/^ *"'"$1"'": "\{0,1\}\([^",]*\)"\{0,1\},\{0,1\}$/\1/p' | head -n 1
}

echo "rendering the piece"
"$piece" render "$out/piece.wav"
echo "encoding"
"$aac" encode -y -b 128k --tag title="Demo piece" "$out/piece.wav" "$out/piece.m4a"
echo "decoding"
"$aac" decode -y "$out/piece.m4a" "$out/decoded.wav"
"$piece" picture "$out/piece.wav" "$out/decoded.wav" "$out/spectrograms.png"

info=$("$aac" info --json "$out/piece.m4a")
compare=$("$aac" compare --json "$out/piece.wav" "$out/decoded.wav")
before=$(echo "$compare" | field framesA)
after=$(echo "$compare" | field framesB)
offset=$(echo "$compare" | field offset)
echo
echo "bit rate   $(echo "$info" | field bitRate) bit/s"
echo "length     $before samples before, $after after, offset $offset"
echo "SNR        $(echo "$compare" | field snr | cut -c 1-5) dB"
echo "files      $out/piece.wav $out/piece.m4a $out/decoded.wav"
echo "picture    $out/spectrograms.png (above: before, below: after)"
if [ "$before" != "$after" ] || [ "$offset" != 0 ]; then
  echo "the length is not exact" >&2
  exit 1
fi
