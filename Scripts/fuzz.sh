#!/bin/sh
# Fuzzes each parser with address sanitizer, then feeds damaged copies of real streams to the command.
# FUZZ_SECONDS a target (default 60), MUTATIONS copies (default 10000), SEED to repeat the latter.
set -eu
cd "$(dirname "$0")/.."
SWIFT=${SWIFT:-swift}
FLAGS=${FLAGS:-}
for target in $(sed -n 's/.*name: "\([A-Za-z0-9]*\)", type: .static.*/\1/p' Fuzzing/Package.swift); do
  echo "fuzzing $target for ${FUZZ_SECONDS:-60} s"
  log=$(mktemp)
  Fuzzing/run "$target" -max_total_time="${FUZZ_SECONDS:-60}" -print_final_stats=1 >"$log" 2>&1 || true
  grep -E 'stat::number_of_executed_units|stat::peak_rss_mb|ERROR|SUMMARY|error:' "$log" || true
  if ! grep -q 'stat::number_of_executed_units' "$log"; then
    tail -20 "$log"
    exit 1
  fi
  rm "$log"
  [ -z "$(ls Fuzzing/findings 2>/dev/null)" ] || { ls Fuzzing/findings; exit 1; }
done
$SWIFT build -c release $FLAGS --product aac
shared=${AAC_SHARED:-../shared}
if [ -d "$shared/vectors" ]; then
  files=$(find "$shared/vectors" -type f ! -name '*.wav' ! -name '*.md' ! -name '*.tsv' ! -name '*.txt' | sort)
else
  files=$(ls Tests/*/Fixtures/*)
fi
# shellcheck disable=SC2086
python3 Scripts/mutate.py .build/release/aac "${MUTATIONS:-10000}" $files
