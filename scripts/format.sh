#!/usr/bin/env bash
# Formats every C++ file with clang-format; with --check it only tells what it would change.
set -euo pipefail
cd "$(dirname "$0")/.."

mode=(-i)
[ "${1:-}" = --check ] && mode=(--dry-run --Werror)
find include src tests bench python -name '*.hpp' -o -name '*.cpp' | sort |
  xargs clang-format-19 "${mode[@]}"
