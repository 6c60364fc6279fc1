#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# usage: install_tree.sh BUILD_FOLDER CMAKE
# Installs the build into a new folder, then builds the project in consumer/ against it and runs it:
# with find_package, with pkg-config, and after the folder was moved.
set -euo pipefail

build=$1
cmake=$2
consumer=$(dirname "$0")/consumer
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "install_tree: $*" >&2
  exit 1
}

has_span() { grep -q "\"name\":\"$2\"" "$1" || fail "no span $2 in $1"; }

"$cmake" --install "$build" --prefix "$work/installed" >"$work/log" || fail "$(cat "$work/log")"
mv "$work/installed" "$work/prefix" # no installed file may contain the folder's path
prefix=$work/prefix
libraries=$(dirname "$(find "$prefix" -name libtracekin_plugin.so)")
grpc=OFF
[ ! -e "$libraries/libtracekin_grpc.so" ] || grpc=ON

echo "by find_package, gRPC $grpc"
"$cmake" -G Ninja -S "$consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" \
  -DWITH_GRPC=$grpc >"$work/log" 2>&1 || fail "$(cat "$work/log")"
"$cmake" --build "$work/build" >"$work/log" 2>&1 || fail "$(cat "$work/log")"
"$work/build/linked" "$work/linked.json"
has_span "$work/linked.json" consumed
[ $grpc = OFF ] || "$work/build/with_grpc" "$work/grpc.json"

# This program does not need libtracekin.so itself, and its search path does not apply to the
# libraries that its libraries need: libtracekin_blkin.so has to find libtracekin.so next to it.
TRACEKIN_EXPORTER_PATH=$work/original.json "$work/build/blkin_original"
has_span "$work/original.json" "process a"
"$work/build/blkin_ceph" "$work/ceph.json"
has_span "$work/ceph.json" "osd op"
has_span "$work/ceph.json" check

if "$cmake" -G Ninja -S "$consumer" -B "$work/unknown" -DCMAKE_PREFIX_PATH="$prefix" \
  -DMORE_COMPONENTS=grcp >"$work/log" 2>&1; then
  fail "find_package finds an unknown component"
fi
grep -q "no component grcp; its components are blkin and grpc" "$work/log" ||
  fail "find_package does not name the unknown component: $(cat "$work/log")"

echo "by find_package, from a project without C++"
"$cmake" -G Ninja -S "$consumer/c_only" -B "$work/c" -DCMAKE_PREFIX_PATH="$prefix" \
  >"$work/log" 2>&1 || fail "$(cat "$work/log")"
"$cmake" --build "$work/c" >"$work/log" 2>&1 || fail "$(cat "$work/log")"

echo "by pkg-config"
export PKG_CONFIG_PATH=$libraries/pkgconfig
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:.*=//p' "$build/CMakeCache.txt")
[ "$(pkg-config --modversion tracekin)" = "$version" ] ||
  fail "tracekin.pc has another version than the project"
# shellcheck disable=SC2046 # several words are meant
c++ -std=c++17 -o "$work/by-pkg-config" "$consumer/linked.cc" $(pkg-config --cflags --libs tracekin)
LD_LIBRARY_PATH=$libraries "$work/by-pkg-config" "$work/pkg-config.json"
has_span "$work/pkg-config.json" consumed
rm "$work"/{original,ceph}.json
# shellcheck disable=SC2046
cc -std=c99 -o "$work/original" "$consumer/blkin_original.c" \
  $(pkg-config --cflags --libs tracekin-blkin-original)
LD_LIBRARY_PATH=$libraries TRACEKIN_EXPORTER_PATH=$work/original.json "$work/original"
has_span "$work/original.json" "process a"
# shellcheck disable=SC2046
c++ -std=c++17 -o "$work/ceph" "$consumer/blkin_ceph.cc" \
  $(pkg-config --cflags --libs tracekin-blkin-ceph)
LD_LIBRARY_PATH=$libraries "$work/ceph" "$work/ceph.json"
has_span "$work/ceph.json" "osd op"
if [ $grpc = ON ]; then
  pkg-config --libs tracekin-grpc | grep -q -- "-ltracekin_grpc " || fail "tracekin-grpc.pc"
fi

echo "the plugin, loaded"
"$work/build/loading" "$libraries/libtracekin_plugin.so" \
  '{"service_name": "loading", "exporter": {"path": "'"$work"'/loading.json"}}'
has_span "$work/loading.json" loaded

echo "nothing names the build folder, the source folder or the first prefix"
if grep -r -l -F -e "$build" -e "$(dirname "$consumer")" -e "$work/installed" \
  --include='*.cmake' --include='*.pc' --include='*.h' "$prefix"; then
  fail "these files do"
fi
for library in "$libraries"/*.so; do
  path=$(readelf -d "$library" | sed -n 's/.*R[UN]*PATH.*\[\(.*\)\]/\1/p')
  wanted=
  ! readelf -d "$library" | grep -q 'NEEDED.*\[libtracekin\.so' || wanted=\$ORIGIN
  [ "$path" = "$wanted" ] || fail "$library looks for libraries in '$path', not in '$wanted'"
done
