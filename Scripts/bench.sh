#!/bin/sh
# Speed and memory beside FFmpeg's, then the kernels one by one.
set -eu
cd "$(dirname "$0")/.."
SWIFT=${SWIFT:-swift}
FLAGS=${FLAGS:-}
$SWIFT build -c release $FLAGS --product aac
$SWIFT build -c release $FLAGS --product demo-piece
mkdir -p demo
[ -f demo/piece.wav ] || .build/release/demo-piece render demo/piece.wav
python3 Scripts/bench.py .build/release/aac demo/piece.wav
if [ "${KERNELS:-1}" = 1 ]; then
  (cd Benchmarks && $SWIFT run -c release $FLAGS kernel-bench)
fi
