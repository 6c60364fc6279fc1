#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# preload_test.sh NAME PROGRAM [ARGUMENT...]: runs the program with libNAME.so loaded before all
# other libraries.
set -euo pipefail

name=$1
shift
library=$(find /usr/lib -name "lib$name.so*" -print -quit)
if [ -z "$library" ]; then
  echo "SKIPPED: lib$name is not installed"
  exit 77
fi
case $name in
  faketime) export FAKETIME="+10d x10" ;;
esac
exec env LD_PRELOAD="$library" "$@"
