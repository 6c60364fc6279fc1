#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# usage: rules_test.sh RULES TESTS
# Checks the alert rules and when they fire with promtool, of Debian's package prometheus.
set -euo pipefail

command -v promtool >/dev/null || {
  echo "SKIPPED: promtool is not installed (package prometheus)"
  exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$1" "$2" "$work"
promtool check rules "$work/${1##*/}"
promtool test rules "$work/${2##*/}"
