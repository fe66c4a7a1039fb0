#!/bin/bash
# A PulseAudio server without hardware, for tests: audio-server.sh start DIR [PID] | stop DIR
#
# With PID the server also ends when that process does, however it ends.
# `start` prints the server's address, for PULSE_SERVER. There are two outputs, `aacnull` (48 kHz, 16 bits, the default)
# and `aacalt` (44.1 kHz, float), each with its monitor as an input. Several servers can run side by side, as root or
# as any user, without D-Bus; nothing outside DIR is written.
set -eu
usage() { echo "usage: $0 start DIR [PID] | stop DIR" >&2; exit 2; }
[ $# -ge 2 ] || usage
command=$1 dir=$2 owner=${3:-}

case $command in
start)
  umask 077
  mkdir -p "$dir/run" "$dir/state"
  # One rate for both settings: an idle null sink would change its rate to a client's otherwise.
  printf 'default-sample-rate = 44100\nalternate-sample-rate = 44100\n' >"$dir/daemon.conf"
  # norewinds: with rewinding the first half second of what is played never reaches the monitor.
  env -u DBUS_SESSION_BUS_ADDRESS -u DISPLAY PULSE_RUNTIME_PATH="$dir/run" PULSE_STATE_PATH="$dir/state" \
    PULSE_COOKIE="$dir/state/cookie" PULSE_CONFIG="$dir/daemon.conf" HOME="$dir" \
    setsid pulseaudio -n --daemonize=no --use-pid-file=no --exit-idle-time=-1 --disallow-exit \
    --realtime=yes --high-priority=yes --disable-shm=yes --log-target=stderr --log-level=notice \
    -L "module-native-protocol-unix socket=$dir/native auth-anonymous=1 auth-cookie-enabled=0" \
    -L "module-null-sink sink_name=aacnull rate=48000 channels=2 format=s16le norewinds=1 sink_properties=device.description=AACNull" \
    -L "module-null-sink sink_name=aacalt rate=44100 channels=2 format=float32le norewinds=1 sink_properties=device.description=AACAlt" \
    >"$dir/log" 2>&1 </dev/null &
  pid=$!
  echo "$pid" >"$dir/pid"
  if [ -n "$owner" ]; then
    # A shell of its own that keeps nothing of the caller's open: who waits for this script would wait for it too.
    setsid bash -c '
      for file in /proc/self/fd/*; do file=${file##*/}; [ "$file" -lt 3 ] || eval "exec $file>&-"; done
      while kill -0 "$0"; do kill -0 "$1" || kill -TERM "$0"; sleep 1; done' "$pid" "$owner" \
      >/dev/null 2>&1 </dev/null &
  fi
  # Of a user without a home too.
  export PULSE_SERVER="unix:$dir/native" PULSE_COOKIE="$dir/state/cookie" HOME="$dir"
  for _ in $(seq 100); do
    if pactl info >/dev/null 2>&1; then
      pactl set-default-sink aacnull
      pactl set-default-source aacnull.monitor
      echo "$PULSE_SERVER"
      exit 0
    fi
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  cat "$dir/log" >&2
  exit 1
  ;;
stop)
  pid=$(cat "$dir/pid")
  kill -TERM "$pid" 2>/dev/null || true
  for _ in $(seq 50); do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  kill -KILL "$pid" 2>/dev/null || true
  rm -f "$dir/pid"
  ;;
*) usage ;;
esac
