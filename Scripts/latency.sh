#!/bin/sh
# What live coding costs in time, with clicks through a sound server of its own.
set -eu
cd "$(dirname "$0")/.."
${SWIFT:-swift} build -c release ${FLAGS:-} --product live-latency
folder=$(mktemp -d)
trap 'Scripts/audio-server.sh stop "$folder"; rm -rf "$folder"' EXIT
PULSE_SERVER=$(Scripts/audio-server.sh start "$folder" $$)
PULSE_COOKIE=$folder/state/cookie HOME=$folder
export PULSE_SERVER PULSE_COOKIE HOME
.build/release/live-latency aacnull
