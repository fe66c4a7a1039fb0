#!/bin/sh
# Speed and memory beside FFmpeg's, of the build for this CPU and of that for any; then the kernels one by one.
set -eu
cd "$(dirname "$0")/.."
SWIFT=${SWIFT:-swift}
FLAGS=${FLAGS:-}
$SWIFT build -c release $FLAGS --product aac
$SWIFT build -c release $FLAGS --product demo-piece
# A place of its own, so that neither build undoes the other.
$SWIFT build -c release --scratch-path .build/baseline --product aac
mkdir -p demo
[ -f demo/piece.wav ] || .build/release/demo-piece render demo/piece.wav
python3 Scripts/bench.py .build/release/aac .build/baseline/release/aac demo/piece.wav "${AAC_SHARED:-../shared}" ${RUNS:-}
if [ -d "${AAC_SHARED:-../shared}/vectors" ]; then
  python3 Scripts/allocations.py .build/release/aac "${AAC_SHARED:-../shared}"
fi
if [ "${KERNELS:-1}" = 1 ]; then
  (cd Benchmarks && $SWIFT run -c release $FLAGS kernel-bench)
fi
