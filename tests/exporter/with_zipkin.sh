#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs a command with a private, real Zipkin server. Its URL is in TRACEKIN_ZIPKIN_URL, and that of
# its Scribe collector in TRACEKIN_ZIPKIN_SCRIBE_URL.
# usage: with_zipkin.sh SCRIPTS-FOLDER COMMAND...      exits with 77 (skipped) if a server cannot
# run
set -euo pipefail

zipkin=$1/zipkin
shift
for program in java mvn curl; do
  command -v $program >/dev/null || { echo "SKIPPED: $program is not installed"; exit 77; }
done
"$zipkin" fetch || { echo "SKIPPED: the server cannot be downloaded"; exit 77; }

dir=$(mktemp -d)
trap '"$zipkin" down "$dir" KILL; rm -rf "$dir"' EXIT
export COLLECTOR_SCRIBE_ENABLED=true COLLECTOR_PORT=0
TRACEKIN_ZIPKIN_URL=$("$zipkin" up "$dir") || { tail -n 20 "$dir/log"; exit 1; }
TRACEKIN_ZIPKIN_SCRIBE_URL=$(<"$dir/scribe_url")
export TRACEKIN_ZIPKIN_URL TRACEKIN_ZIPKIN_SCRIBE_URL
"$@"
