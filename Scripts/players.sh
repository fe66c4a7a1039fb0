#!/bin/sh
# How long short files are in other programs, Chromium among them: installs those that are missing.
set -eu
cd "$(dirname "$0")/.."
missing=""
command -v chromium >/dev/null || missing="$missing chromium"
command -v mediainfo >/dev/null || missing="$missing mediainfo"
command -v AtomicParsley >/dev/null || missing="$missing atomicparsley"
if [ -n "$missing" ]; then
  as_root=""
  [ "$(id -u)" = 0 ] || as_root=sudo
  $as_root apt-get update -q
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -qy --no-install-recommends $missing
fi
${SWIFT:-swift} build -c release ${FLAGS:-} --product aac
python3 Scripts/players.py .build/release/aac Documentation/Players.md
