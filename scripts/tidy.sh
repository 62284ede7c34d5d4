#!/usr/bin/env bash
# Runs clang-tidy over the library and the program. Usage: scripts/tidy.sh BUILD_DIR
set -euo pipefail
cd "$(dirname "$0")/.."

find src -name '*.cpp' | sort |
  xargs -P "$(nproc)" -n 4 clang-tidy-19 -p "$1" --quiet --warnings-as-errors='*'
