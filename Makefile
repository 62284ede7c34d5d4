# The two commands that do everything: `make run` and `make test`. See README.md.
.PHONY: run test bench format setup setup-test build

run: build
	build/release/bin/mosim run -o out/demo --force

test: setup-test
	cmake --preset release
	cmake --build --preset release
	cmake --preset ci
	cmake --build --preset ci
	ctest --preset ci

build: setup
	cmake --preset release
	cmake --build --preset release

bench: setup-test
	cmake --preset bench
	cmake --build --preset bench
	build/bench/bin/engine_bench
	build/bench/bin/trace_bench

format:
	scripts/format.sh

setup:
	scripts/setup.sh build

setup-test:
	scripts/setup.sh build test
