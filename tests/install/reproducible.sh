#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# usage: reproducible.sh SOURCE_FOLDER BUILD_FOLDER CMAKE
# Builds the libraries again and compares the installed bytes. The second build's folder is mounted
# at the first one's path, because debug information contains that path.
set -euo pipefail

source=$1 build=$2 cmake=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "reproducible: $*" >&2
  exit 1
}
unshare --mount true 2>/dev/null || {
  echo "SKIPPED: mounting is not allowed here (it needs root)"
  exit 77
}

# Runs inside the namespace, so its mounts end with it.
again() {
  mount --bind "$work/again" "$build"
  "$cmake" -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DBUILD_TESTING=OFF \
    -DTRACEKIN_EXAMPLES=OFF -DTRACEKIN_GRPC=OFF
  "$cmake" --build "$build"
  "$cmake" --install "$build" --strip --prefix "$work/second"
}
export -f again
export source build cmake work

"$cmake" --install "$build" --strip --prefix "$work/first" >"$work/log"
mkdir "$work/again"
unshare --mount bash -ec again >>"$work/log" 2>&1 || fail "$(cat "$work/log")"

compared=0
while read -r file; do
  cmp "$work/first/$file" "$work/second/$file" || fail "$file differs"
  compared=$((compared + 1))
done < <(cd "$work/second" && find . -type f -name '*.so*' -o -type f -path './bin/*')
echo "$compared files have the same bytes"
[ $compared -ge 2 ] || fail "that is too few"
