#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# usage: abi_test.sh BUILD_FOLDER [--update]
# Compares the binary interfaces of the public libraries with the .abi files in this folder, one per
# library. Any change fails the test. A change for which programs must be rebuilt requires a new
# soname; for other changes, --update writes the files again.
set -euo pipefail

build=$1
here=$(dirname "$(realpath "$0")")
root=$(realpath "$here/../..")
options=(--headers-dir "$root/include/tracekin" --suppressions "$here/suppressions.ini"
  --drop-private-types --exported-interfaces-only --no-corpus-path --no-comp-dir-path
  --no-show-locs --drop-undefined-syms)
command -v abidw >/dev/null || {
  echo "SKIPPED: abidw is not installed (package abigail-tools)"
  exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

status=0
so=$(sed -n 's/^CMAKE_PROJECT_VERSION:[A-Z]*=\([0-9]*\.[0-9]*\)\..*/\1/p' "$build/CMakeCache.txt")
for name in libtracekin libtracekin_blkin libtracekin_grpc; do
  library=$(find "$build" -name "$name.so.$so")
  if [ -z "$library" ]; then
    echo "$name is not built: its interface is not compared"
    continue
  fi
  if [ $name = libtracekin_grpc ]; then
    # Compares only its symbols, because its types include half a megabyte of types of gRPC, which
    # change with gRPC.
    strip -o "$work/$name.so" "$library"
    library=$work/$name.so
  fi
  abidw "${options[@]}" --out-file "$work/$name.abi" "$library"
  # The interface for libraries of the same release (base/private_api.h) may change.
  sed -i -e "s,path='$root/,path=',g" -e "/<elf-symbol .* version='TRACEKIN_PRIVATE_/d" \
    "$work/$name.abi"
  [ "${2:-}" != --update ] || cp "$work/$name.abi" "$here/"
  abidiff "$here/$name.abi" "$work/$name.abi" || status=1
done
[ $status = 0 ] || echo "abi_test: an interface has changed; see above" >&2
exit $status
