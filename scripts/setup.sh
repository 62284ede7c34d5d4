#!/usr/bin/env bash
# Installs the Debian packages that are missing, and only those: with nothing missing it needs no
# network. Usage: scripts/setup.sh build [python] [test]
set -euo pipefail

build=(g++ cmake ninja-build make libcli11-dev libyaml-cpp-dev nlohmann-json3-dev libfmt-dev
       libspdlog-dev zlib1g-dev libzstd-dev libsimdjson-dev libprotobuf-dev)
test=(libgtest-dev librapidcheck-dev libbenchmark-dev clang-format-19 clang-tidy-19 shellcheck
      gzip zstd python3 mypy)
python=(pybind11-dev python3-dev python3-numpy python3-pandas python3-matplotlib)

wanted=()
for group in "$@"; do
  case "$group" in
    build) wanted+=("${build[@]}") ;;
    test) wanted+=("${test[@]}") ;;
    python) wanted+=("${python[@]}") ;;
    *) echo "setup.sh: unknown group '$group'; expected build, python or test" >&2; exit 2 ;;
  esac
done

missing=()
for package in "${wanted[@]}"; do
  state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
[ "${#missing[@]}" -eq 0 ] && exit 0

echo "installing: ${missing[*]}"
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
