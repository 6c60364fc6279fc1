#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# usage: request_test.sh examples/blockstore/run BUILD: runs the example and checks the request that
# it draws.
set -euo pipefail

for tool in fio nbdkit ceph-mon ceph-osd; do
  PATH=$PATH:/usr/sbin command -v $tool >/dev/null || {
    echo "SKIPPED: $tool is not installed"
    exit 77
  }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
drawn=$("$1" "$2" "$folder/run")
echo "$drawn"
for span in 'nbd: ' '└─vlmc: volume' 'mapper: map' 'radosd: object'; do
  grep -q "$span" <<<"$drawn" || {
    echo "no span of $span" >&2
    exit 1
  }
done
grep -q '; [0-9]* spans in all' <<<"$drawn"
