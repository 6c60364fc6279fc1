#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# usage: install_bare_root.sh SOURCE_FOLDER BUILD_FOLDER CMAKE
# Installs the Debian packages in a bare Debian 12, where programs that were built elsewhere then
# use the library and the plugin. It does this first without LTTng and the exporter's modules, and
# then with them.
set -euo pipefail

source=$1
build=$2
cmake=$3
skip() {
  echo "skipped: $*"
  exit 77
}
[ "$(id -u)" = 0 ] || skip "scripts/bare-root needs root"
for tool in mmdebstrap git unshare dpkg-shlibdeps file; do
  command -v $tool >/dev/null || skip "$tool is not installed"
done
git -c safe.directory='*' -C "$source" rev-parse >/dev/null 2>&1 ||
  skip "$source is not a git checkout, which scripts/bare-root copies"

work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }; }

quietly "$source/scripts/bare-root" --worktree --keep "$work/root" true
into=$work/root/root/try
mkdir "$into"
quietly cpack --config "$build/CPackConfig.cmake" -B "$into"
rm -r "$into/_CPack_Packages"
quietly "$cmake" --install "$build" --prefix "$work/prefix"
quietly "$cmake" -G Ninja -S "$(dirname "$0")/consumer" -B "$work/consumer" \
  -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_SKIP_RPATH=ON
quietly "$cmake" --build "$work/consumer"
cp "$work/consumer/linked" "$work/consumer/loading" "$into"

cat >"$into/run" <<'END'
#!/bin/bash
set -euo pipefail
cd /root/try
install() { apt-get -q -y --no-install-recommends install "$@" >log 2>&1 || { cat log; exit 1; }; }
record() {
  rm -f spans.json
  ./loading libtracekin_plugin.so \
    '{"service_name": "a", "exporter": {"path": "spans.json"}, "ust": {"enabled": true}}' 2>messages
  grep -q '"name":"loaded"' spans.json
}

apt-get -q update >log 2>&1 || { cat log; exit 1; }
install ./libtracekin0.*_*.deb ./tracekin-plugin_*.deb
[ ! -e /usr/share/doc/liblttng-ust1 ] || { echo "LTTng came along"; exit 1; }
for library in libthrift-0.17.0 librdkafka1; do
  [ ! -e /usr/share/doc/$library ] || { echo "$library came along"; exit 1; }
done
./linked linked.json
grep -q '"name":"consumed"' linked.json
record
grep -q 'no UST event will be recorded' messages || { cat messages; exit 1; }
echo "works without LTTng, and says so: $(cat messages)"

for name in thrift kafka; do
  [ -e libtracekin-${name}0_*.deb ] || continue
  case $name in
    thrift) exporter='{"endpoint": "scribe://127.0.0.1:1"}' ;;
    kafka) exporter='{"type": "kafka", "kafka_brokers": "127.0.0.1:1"}' ;;
  esac
  make() {
    ./loading libtracekin_plugin.so "{\"service_name\": \"a\", \"exporter\": $exporter}" 2>messages
  }
  ! make || { echo "makes a tracer for $name, without its module"; exit 1; }
  grep -q "the Debian package libtracekin-${name}0" messages || { cat messages; exit 1; }
  install ./libtracekin-${name}0_*.deb
  make || { cat messages; exit 1; }
  echo "takes the module for $name"
done

[ -e libtracekin-ust0_*.deb ] || exit 0
install ./libtracekin-ust0_*.deb
record
! grep -v ": version " messages || exit 1
echo "works with LTTng"
apt-get -q -y purge '?installed?name(tracekin)' >log 2>&1 || { cat log; exit 1; }
! find /usr -name '*tracekin*' | grep . || { echo "these stay when all is removed"; exit 1; }
END
chmod +x "$into/run"
"$source/scripts/bare-root" --worktree --keep "$work/root" /root/try/run
