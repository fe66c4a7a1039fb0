#!/bin/sh
# What `aac info` tells of the test sets' files against ffprobe and mutagen, and the table of it.
set -eu
cd "$(dirname "$0")/.."
${SWIFT:-swift} build -c release ${FLAGS:-} --product aac
python3 Scripts/containers.py .build/release/aac "${AAC_SHARED:-../shared}" Scripts/containers-exceptions.json Documentation/Containers.md
