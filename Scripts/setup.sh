#!/bin/sh
# Installs what building and testing need and the machine lacks. Quiet where everything is there.
set -eu

missing=""
need() { # need PACKAGE COMMAND…: add the package where the command fails
  package=$1
  shift
  "$@" >/dev/null 2>&1 || missing="$missing $package"
}

if ! command -v "${SWIFT:-swift}" >/dev/null 2>&1; then
  echo "Swift 6.2 or later is needed: see https://www.swift.org/install" >&2
  exit 1
fi

if [ "$(uname)" = Darwin ]; then
  need libsndfile pkg-config --exists sndfile
  need libsoxr pkg-config --exists soxr
  need libebur128 pkg-config --exists libebur128
  [ -z "$missing" ] || brew install $missing
  exit 0
fi

need pkg-config command -v pkg-config
need libsndfile1-dev pkg-config --exists sndfile
need libsoxr-dev pkg-config --exists soxr
need libebur128-dev pkg-config --exists libebur128
need libcurl4-openssl-dev pkg-config --exists libcurl
need libpulse-dev pkg-config --exists libpulse
# Only tests use these: other decoders and tools to compare with.
need ffmpeg command -v ffmpeg
need faad command -v faad
need sox command -v sox
need flac command -v flac
# A sound server without hardware, and what asks it.
need pulseaudio command -v pulseaudio
need pulseaudio-utils command -v pactl
need python3 command -v python3
# A certificate for a server of HTTPS.
need openssl command -v openssl
# A Python of another source that lacks NumPy is passed over for Debian's.
need python3-mutagen sh -c 'python3 -c "import mutagen" || /usr/bin/python3 -c "import mutagen"'
need python3-numpy sh -c 'python3 -c "import numpy" || /usr/bin/python3 -c "import numpy"'
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
  echo "these packages are missing (by their Debian names):$missing" >&2
  exit 1
fi
echo "installing:$missing"
as_root=""
[ "$(id -u)" = 0 ] || as_root=sudo
$as_root apt-get update -q
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -qy --no-install-recommends $missing
