#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Measures the stack that calls on spans use while an LTTng session records them.
#
# usage: scripts/with-lttng tests/ust/stack_test.sh TRACER_TEST
set -euo pipefail

folder=$(mktemp -d)
trap 'lttng destroy tracekin-stack >/dev/null 2>&1 || true; rm -rf "$folder"' EXIT
lttng create tracekin-stack --output="$folder" >/dev/null
lttng enable-event --userspace --session=tracekin-stack 'tracekin:*' >/dev/null
lttng start tracekin-stack >/dev/null
TRACEKIN_UST_ENABLED=true "$1" --gtest_filter='Stack.*'
lttng destroy tracekin-stack >/dev/null
if [ -z "$(find "$folder" -name 'channel*' -size +0)" ]; then
  echo "FAILED: nothing was recorded"
  exit 1
fi
