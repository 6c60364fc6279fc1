#!/bin/bash
# Runs a command with the URL of a real Zipkin server of its own in TRACEKIN_ZIPKIN_URL.
# usage: with_zipkin.sh SCRIPTS-FOLDER COMMAND...      ends with 77 (skipped) where there can be no server
set -euo pipefail

zipkin=$1/zipkin
shift
for program in java mvn curl; do
  command -v $program >/dev/null || { echo "SKIPPED: $program is not installed"; exit 77; }
done
"$zipkin" fetch || { echo "SKIPPED: the server cannot be downloaded"; exit 77; }

dir=$(mktemp -d)
trap '"$zipkin" down "$dir" KILL; rm -rf "$dir"' EXIT
TRACEKIN_ZIPKIN_URL=$("$zipkin" up "$dir") || { tail -n 20 "$dir/log"; exit 1; }
export TRACEKIN_ZIPKIN_URL
"$@"
