#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Records programs with LTTng and checks that both readers return the same events. Uses traces of
# every form that LTTng writes, and the copies that babeltrace2 writes of them.
#
# usage: scripts/with-lttng tests/ctf/recordings_test.sh CTF_SAME TRACEKIN UST_SPANS UST_EMIT
set -euo pipefail

same=$1 tracekin=$2 spans=$3 emit=$4
folder=$(mktemp -d)
trap 'lttng destroy --all >/dev/null 2>&1 || true; rm -rf "$folder"' EXIT
mkdir "$folder/spans"

# emit_spans TIMES: emits 15 spans each time, with three tracers in two processes.
emit_spans() {
  for ((i = 0; i < $1; ++i)); do TRACEKIN_UST_ENABLED=true "$spans" "$folder/spans" >/dev/null; done
}

# session NAME [OPTION...]: creates a session that records all of our providers into $folder/NAME.
session() {
  lttng create "$1" --output="$folder/$1" "${@:2}" >/dev/null
}
channel() {
  lttng enable-channel --userspace "$@" channel >/dev/null
  lttng enable-event --userspace --channel=channel 'tracekin:*,jaeger_ust:*,zipkin:*' >/dev/null
}
contexts() {
  lttng add-context --userspace --type=vpid --type=vtid --type=procname --type=pid_ns >/dev/null
}

echo "as tracekin records them"
"$tracekin" record --no-summary -o "$folder/recorded" -- "$spans" "$folder/spans"
"$tracekin" record --no-summary --buffer-size=32K -o "$folder/discarded" -- "$emit" fields

echo "with small packets, in files that are written anew"
session small
channel --subbuf-size=4K --num-subbuf=8 --tracefile-size=16K --tracefile-count=3
contexts
lttng start >/dev/null
emit_spans 20
lttng destroy >/dev/null

echo "with buffers of each process"
session processes
channel --buffers-pid --subbuf-size=64K
lttng start >/dev/null
emit_spans 3
lttng destroy >/dev/null

echo "in the chunks of an archive"
session archive
channel --subbuf-size=64K
contexts
lttng start >/dev/null
for _ in 1 2 3; do
  emit_spans 2
  lttng rotate >/dev/null
done
lttng destroy >/dev/null

echo "in snapshots that overlap, of buffers that are written over"
session snapshots --snapshot
channel --subbuf-size=4K --num-subbuf=4
contexts
lttng start >/dev/null
for _ in 1 2 3; do
  emit_spans 2
  lttng snapshot record >/dev/null
done
lttng destroy >/dev/null

for name in recorded small archive; do
  babeltrace2 "$folder/$name" --component=sink.ctf.fs --params="path=\"$folder/$name.again\"" \
    --params=quiet=true
done
for archive in "$folder"/archive/archives/*; do
  [ -d "$archive" ] && chunks+=("$archive")
done
echo "${#chunks[@]} chunks"
[ "${#chunks[@]}" -ge 3 ]
"$same" "$folder"/{recorded,discarded,small,processes,archive,snapshots} \
  "$folder"/{recorded,small,archive}.again "${chunks[@]}" | sed "s|$folder/||"
