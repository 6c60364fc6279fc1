#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs examples/request with files instead of Zipkin, like scripts/demo --no-zipkin.
#
# usage: scripts/with-lttng tests/ust/request_test.sh BUILD
set -euo pipefail

example=$(dirname "$(realpath "$0")")/../../examples/request
if ! PATH=$PATH:/usr/sbin haproxy -vv 2>/dev/null | grep -q 'Built with OpenTracing'; then
  echo "SKIPPED: HAProxy with OpenTracing is not installed (haproxy)"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset TRACEKIN_EXPORTER_ENDPOINT

"$example/run" "$1" "$folder" 12
"$example/show" "$folder"

# 11 orders with 15 spans each, and a last one for an unknown item with 10 spans.
spans=$(cat "$folder"/*.json | wc -l)
[ "$spans" = 175 ] || { echo "FAILED: $spans spans were exported, not 175"; exit 1; }

echo "A span less in the export must be seen:"
sed -i '$d' "$folder/haproxy.json"
if "$example/show" "$folder" >"$folder/out"; then
  echo "FAILED: it was not seen"
  exit 1
fi
grep 'DIFFERENT: .* (haproxy, proxy) was not exported' "$folder/out"
