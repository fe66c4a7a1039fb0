#!/bin/sh
# Encodes at every rate and layout, and the sounds of the large test sets where they are, and checks the streams
# with other decoders.
set -eu
cd "$(dirname "$0")/.."
SWIFT=${SWIFT:-swift}
python=python3
"$python" -c 'import numpy' 2>/dev/null || python=/usr/bin/python3
shared=${AAC_SHARED:-../shared}
# shellcheck disable=SC2086
$SWIFT build -c release ${FLAGS:-} --product aac
if [ -d "$shared/audio" ]; then
  "$python" Scripts/interop.py .build/release/aac "$shared/audio"
else
  "$python" Scripts/interop.py .build/release/aac
fi
