#!/bin/sh
# Encodes every sound of the large test sets (AAC_SHARED, or ../shared) at every rate and checks what is promised of it.
set -eu
cd "$(dirname "$0")/.."
SWIFT=${SWIFT:-swift}
shared=${AAC_SHARED:-../shared}
if [ ! -d "$shared/audio" ]; then
  echo "there are no test sounds at $shared/audio; AAC_SHARED names the folder that has them" >&2
  exit 1
fi
# shellcheck disable=SC2086
$SWIFT build -c release ${FLAGS:-} --product aac
PYTHONDONTWRITEBYTECODE=1 python3 Scripts/rates.py .build/release/aac "$shared" "$@"
