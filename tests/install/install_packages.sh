#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# usage: install_packages.sh BUILD_FOLDER
# Makes the Debian packages and checks their content.
set -euo pipefail

build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for tool in dpkg-shlibdeps file; do
  command -v $tool >/dev/null || {
    echo "skipped: $tool is not installed"
    exit 77
  }
done

fail() {
  echo "install_packages: $*" >&2
  exit 1
}

deb() { echo "$work/$1"_*.deb; }
files() { dpkg-deb -c "$(deb "$1")" | awk '$1 !~ /^d/ { sub("^\\.", "", $6); print $6 }'; }
has() { grep -qx -e "$2" <<<"$(files "$1")" || fail "$1 lacks $2; it has: $(files "$1")"; }
has_not() { ! grep -x -e "$2" <<<"$(files "$1")" || fail "$1 has that"; }
field() { dpkg-deb -f "$(deb "$1")" "$2"; }
says() { [[ $(field "$1" "$2") == *"$3"* ]] || fail "$1 has no $3 in its $2: $(field "$1" "$2")"; }
says_not() { [[ $(field "$1" "$2") != *"$3"* ]] || fail "$1 has $3 in its $2"; }

(cd "$build" && cpack -B "$work") >"$work/log" 2>&1 || fail "$(cat "$work/log")"
! grep -i warning "$work/log" || fail "cpack warns"

so=$(sed -n 's/^CMAKE_PROJECT_VERSION:[A-Z]*=\([0-9]*\.[0-9]*\)\..*/\1/p' "$build/CMakeCache.txt")
packages=("libtracekin$so" libtracekin-dev "libtracekin-blkin$so" libtracekin-blkin-dev
  tracekin-plugin)
ust='' thrift='' kafka='' grpc=''
[ ! -e "$build/lib/libtracekin_ust.so" ] || ust=libtracekin-ust0
[ ! -e "$build/lib/libtracekin_thrift.so" ] || thrift=libtracekin-thrift0
[ ! -e "$build/lib/libtracekin_kafka.so" ] || kafka=libtracekin-kafka0
[ -z "$(find "$build" -name libtracekin_grpc.so)" ] || grpc=libtracekin-grpc$so
tools=''
[ ! -e "$build/bin/tracekin" ] || tools=tracekin-tools
packages+=(${ust:+$ust} ${thrift:+$thrift} ${kafka:+$kafka} ${tools:+$tools}
  ${grpc:+"$grpc" libtracekin-grpc-dev})
made=("$work"/*.deb)
[ ${#made[@]} = ${#packages[@]} ] || fail "expected ${packages[*]}, made ${made[*]}"

has tracekin-plugin /usr/share/doc/tracekin-plugin/haproxy.md
has tracekin-plugin /usr/share/doc/tracekin-plugin/examples/prometheus/tracekin.rules.yml

mkdir "$work/root"
for package in "${packages[@]}"; do
  echo "$package: $(field "$package" Depends)"
  has "$package" "/usr/share/doc/$package/copyright"
  has "$package" "/usr/share/doc/$package/changelog.gz"
  says "$package" Maintainer '@'
  says "$package" Description $'\n ' # a synopsis and at least one more line
  dpkg-deb -x "$(deb "$package")" "$work/root"
done
# Libraries that face the network are hardened like Debian's own: relocations read-only, all symbols
# bound at start, no executable stack, stack protector, checked library functions.
hardened() {
  local dynamic segments symbols
  dynamic=$(readelf -d -W "$1") segments=$(readelf -l -W "$1") symbols=$(readelf --dyn-syms -W "$1")
  [[ $segments == *GNU_RELRO* ]] || fail "$1 has no RELRO"
  [[ $dynamic == *NOW* ]] || fail "$1 is bound lazily"
  [[ $(grep GNU_STACK <<<"$segments") != *E* ]] || fail "$1 wants an executable stack"
  [[ $symbols == *__stack_chk_fail* ]] || fail "$1 has no stack protector"
  case $1 in
    *libtracekin.so* | *plugin.so)
      [[ $symbols =~ __[a-z]+(printf|cpy|move|set)_chk ]] || fail "$1 is not fortified"
      ;;
  esac
}
find "$work/root" -type f \( -name '*.so*' -o -path '*/bin/*' \) | while read -r binary; do
  [[ $(readelf -S -W "$binary") != *.debug_info* ]] || fail "$binary is not stripped"
  hardened "$binary"
done
if command -v lintian >/dev/null; then
  lintian --fail-on error "$work"/*.deb || fail "lintian finds errors"
else
  fail "lintian is not installed"
fi

lib=$(dirname "$(files tracekin-plugin | grep 'libtracekin_plugin\.so$')")
[[ $lib == /usr/lib/*-linux-gnu* ]] || fail "libraries are in $lib"

has "libtracekin$so" "$lib/libtracekin\.so\.$so"
has_not "libtracekin$so" '.*\.so'
has_not "libtracekin$so" '/usr/include/.*'
says "libtracekin$so" Depends libopentracing1
says "libtracekin$so" Depends libcurl4
says_not "libtracekin$so" Depends librdkafka
says_not "libtracekin$so" Depends libthrift
says "libtracekin$so" Depends libstdc++6
says_not "libtracekin$so" Depends lttng
shlibs=$(dpkg-deb --ctrl-tarfile "$(deb "libtracekin$so")" | tar -xO ./shlibs)
[[ $shlibs == "libtracekin $so "* ]] ||
  fail "libtracekin$so does not say which package its library is in"

has libtracekin-dev "$lib/libtracekin\.so"
has libtracekin-dev "$lib/pkgconfig/tracekin\.pc"
has libtracekin-dev "$lib/cmake/tracekin/tracekinConfig\.cmake"
has libtracekin-dev '/usr/include/tracekin/tracer\.h'
has_not libtracekin-dev '.*grpc.*'
has_not libtracekin-dev '.*/blkin/.*'
has_not libtracekin-dev '.*/blkin\.h'
says libtracekin-dev Depends "libtracekin$so (="
says libtracekin-dev Depends libopentracing-dev

has "libtracekin-blkin$so" "$lib/libtracekin_blkin\.so\.$so"
has_not "libtracekin-blkin$so" '.*\.so'
has_not "libtracekin-blkin$so" '/usr/include/.*'
says "libtracekin-blkin$so" Depends "libtracekin$so (="
says_not "libtracekin-blkin$so" Depends lttng
has libtracekin-blkin-dev "$lib/libtracekin_blkin\.so"
has libtracekin-blkin-dev "$lib/cmake/tracekin/tracekinBlkinTargets\.cmake"
has libtracekin-blkin-dev '/usr/include/tracekin/blkin\.h'
for dialect in original ceph; do
  has libtracekin-blkin-dev "$lib/pkgconfig/tracekin-blkin-$dialect\.pc"
  has libtracekin-blkin-dev "/usr/include/tracekin/blkin/$dialect/ztracer\.hpp"
  has libtracekin-blkin-dev "/usr/include/tracekin/blkin/$dialect/blkin/zipkin_c\.h"
done
says libtracekin-blkin-dev Depends "libtracekin-blkin$so (="

says_not tracekin-plugin Depends libtracekin
says_not tracekin-plugin Depends lttng
says_not tracekin-plugin Depends librdkafka
says_not tracekin-plugin Depends libthrift
[ "$(nm -D --defined-only "$work/root$lib/libtracekin_plugin.so" | wc -l)" = 1 ] ||
  fail "the packaged plugin exports more than its entry point"

if [ -n "$ust" ]; then
  has $ust "$lib/libtracekin_ust\.so"
  has $ust "/usr/share/tracekin/tracecompass/tracekin\.xml"
  says $ust Depends liblttng-ust1
  says "libtracekin$so" Recommends $ust
  says tracekin-plugin Recommends $ust
fi

module() { # PACKAGE NAME LIBRARY
  has "$1" "$lib/libtracekin_$2\.so"
  says "$1" Depends "$3"
  says "$1" Depends "libtracekin$so (="
  says "$1" Depends '| tracekin-plugin (='
  for user in "libtracekin$so" tracekin-plugin; do
    says "$user" Suggests "$1 (="
    says_not "$user" Recommends "$1"
  done
}
[ -z "$thrift" ] || module $thrift thrift libthrift-
[ -z "$kafka" ] || module $kafka kafka librdkafka1

if [ -n "$grpc" ]; then
  has "$grpc" "$lib/libtracekin_grpc\.so\.$so"
  says "$grpc" Depends "libtracekin$so (="
  says "$grpc" Depends libgrpc++
  has libtracekin-grpc-dev '/usr/include/tracekin/grpc\.h'
  has libtracekin-grpc-dev "$lib/cmake/tracekin/tracekinGrpcTargets\.cmake"
  has libtracekin-grpc-dev "$lib/pkgconfig/tracekin-grpc\.pc"
  says libtracekin-grpc-dev Depends libgrpc++-dev
fi

if [ -n "$tools" ]; then
  has $tools /usr/bin/tracekin
  says $tools Depends liblttng-ctl0
  says $tools Depends libbabeltrace2-0
  says $tools Recommends lttng-tools
  has $tools '/usr/share/man/man1/tracekin\.1\.gz'
  has $tools '/usr/share/man/man1/tracekin-record\.1\.gz'
  has $tools /usr/share/bash-completion/completions/tracekin
  has $tools /usr/share/zsh/vendor-completions/_tracekin
  has $tools '/usr/share/fish/vendor_completions\.d/tracekin\.fish'
  has_not $tools '.*/site-functions/.*'
fi
