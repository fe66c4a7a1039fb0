#!/bin/sh
# Grades the encoder over the large test sets with their measuring tools (AAC_SHARED, or ../shared).
# The table goes to the terminal, a row for each encoding to demo/quality.tsv. BITRATES=128000,96000 chooses;
# ITEMS=all takes every sound there is instead of the fixed set.
set -eu
cd "$(dirname "$0")/.."
SWIFT=${SWIFT:-swift}
shared=${AAC_SHARED:-../shared}
if [ ! -f "$shared/tools/encoder_bench.py" ]; then
  echo "there are no measuring tools at $shared/tools; AAC_SHARED names the folder that has them" >&2
  exit 1
fi
# shellcheck disable=SC2086
$SWIFT build -c release ${FLAGS:-} --product aac
mkdir -p demo
config=$shared/tools/bench.json
[ "${ITEMS:-}" != all ] || config=Scripts/quality-all.json
AAC=$PWD/.build/release/aac FFMPEG=ffmpeg FAAD=faad python3 "$shared/tools/encoder_bench.py" \
  "$config" --audio "$shared/audio" --encoders "${ENCODERS:-ours-*}" \
  --metrics "${METRICS:-odg,nmr}" --out demo/quality.tsv ${BITRATES:+--bitrates $BITRATES}
