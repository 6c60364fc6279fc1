#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs a command with a private Kafka broker, and with a Zipkin server that reads its topic
# "zipkin". Their addresses are in TRACEKIN_KAFKA_BROKER and TRACEKIN_ZIPKIN_URL. The command may
# stop and start the broker with "$TRACEKIN_KAFKA down" and "$TRACEKIN_KAFKA up" with
# $TRACEKIN_KAFKA_DIR.
# usage: with_kafka.sh SCRIPTS-FOLDER COMMAND...      exits with 77 (skipped) if a broker cannot run
set -euo pipefail

export TRACEKIN_KAFKA=$1/kafka
zipkin=$1/zipkin
shift
for program in java mvn curl python3; do
  command -v $program >/dev/null || { echo "SKIPPED: $program is not installed"; exit 77; }
done
"$TRACEKIN_KAFKA" fetch || { echo "SKIPPED: the broker cannot be downloaded"; exit 77; }
"$zipkin" fetch || { echo "SKIPPED: the Zipkin server cannot be downloaded"; exit 77; }

dir=$(mktemp -d)
export TRACEKIN_KAFKA_DIR=$dir/kafka
trap '"$zipkin" down "$dir/zipkin" KILL; "$TRACEKIN_KAFKA" down "$TRACEKIN_KAFKA_DIR" KILL
  rm -rf "$dir"' EXIT
TRACEKIN_KAFKA_BROKER=$("$TRACEKIN_KAFKA" up "$TRACEKIN_KAFKA_DIR") ||
  { tail -n 20 "$TRACEKIN_KAFKA_DIR/log"; exit 1; }
TRACEKIN_ZIPKIN_URL=$(KAFKA_BOOTSTRAP_SERVERS=$TRACEKIN_KAFKA_BROKER "$zipkin" up "$dir/zipkin") ||
  { tail -n 20 "$dir/zipkin/log"; exit 1; }
export TRACEKIN_KAFKA_BROKER TRACEKIN_ZIPKIN_URL
"$@"
