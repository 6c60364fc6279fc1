#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs examples/request in the virtual machine, like scripts/demo --kernel, and tests the
# explanation of its slowest order: the storage waited for the journal's lock, and for the disk.
#
# usage: tests/kernel/request_test.sh BUILD
set -euo pipefail

example=$(dirname "$(realpath "$0")")/../../examples/request
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$example/run_in_vm" "$1" "$folder/run" 8 || exit
said=$("$example/explain" "$1/bin/tracekin" "$folder/run/lttng")
echo "$said"

# said_of PATTERN: the ms that the line with PATTERN tells.
said_of() { sed -n "s/^ *\([0-9]*\)\.[0-9] ms .*$1.*/\1/p" <<<"$said"; }
fail() {
  echo "FAILED: $*"
  exit 1
}
# The disk makes 10 writes a second, and the lock is held meanwhile.
[ "$(said_of 'the disk vdc')" -ge 50 ] || fail "the disk is not told of"
[ "$(said_of "the journal's lock")" -ge 100 ] || fail "the lock is not told of"
grep -q 'which .*/[0-9]* had for order [0-9a-f]\{8\},' <<<"$said" || fail "nobody had the lock"
