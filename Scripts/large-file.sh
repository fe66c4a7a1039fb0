#!/bin/sh
# Reads, seeks in, tags and writes a sound of 4.5 GB, in at most 30 MB of memory each: large-file.sh [FOLDER]
# It takes up to 10 GB of the folder's disk for a while.
set -eu
cd "$(dirname "$0")/.."
${SWIFT:-swift} build -c release ${FLAGS:-} --product aac
python3 Scripts/large-file.py .build/release/aac "${1:-$(mktemp -d)/large}"
