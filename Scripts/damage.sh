#!/bin/sh
# Drops and damages packets of a minute of music, decodes what is left and checks what the decoder promises.
set -eu
cd "$(dirname "$0")/.."
SWIFT=${SWIFT:-swift}
python=python3
"$python" -c 'import numpy' 2>/dev/null || python=/usr/bin/python3
shared=${AAC_SHARED:-../shared}
if [ ! -d "$shared/audio" ]; then
  echo "there are no test sounds at $shared/audio; AAC_SHARED names the folder that has them" >&2
  exit 1
fi
# shellcheck disable=SC2086
$SWIFT build -c release ${FLAGS:-} --product aac
"$python" Scripts/damage.py .build/release/aac "$shared" "$@"
