#!/bin/sh
# Decodes every file of the large test sets (AAC_SHARED, or ../shared); prints the tables and writes them to
# README.md and Documentation/Conformance.md.
set -eu
cd "$(dirname "$0")/.."
SWIFT=${SWIFT:-swift}
python=python3
"$python" -c 'import numpy' 2>/dev/null || python=/usr/bin/python3
shared=${AAC_SHARED:-../shared}
if [ ! -d "$shared/vectors" ]; then
  echo "there are no test streams at $shared/vectors; AAC_SHARED names the folder that has them" >&2
  exit 1
fi
# shellcheck disable=SC2086
$SWIFT build -c release ${FLAGS:-} --product aac
PYTHONDONTWRITEBYTECODE=1 "$python" Scripts/conformance.py .build/release/aac "$shared" "$@"
