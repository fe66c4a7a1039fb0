#!/bin/sh
# Records half an hour in a minute and a half, from devices that run twenty times as fast as real time, and looks at
# sample counts, the place of marks, and the memory: long-recording.sh [MINUTES [SPEED]]
set -eu
cd "$(dirname "$0")/.."
${SWIFT:-swift} build -c release ${FLAGS:-} --product long-recording
.build/release/long-recording "$@"
