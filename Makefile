# The commands that do everything: `make run`, `make test` and `make python`. See README.md.
.PHONY: run test python bench format setup setup-python setup-test build

run: build
	build/release/bin/mosim run -o out/demo --force

test: setup-test
	cmake --preset release -DMOSIM_BUILD_PYTHON=ON
	cmake --build --preset release
	cmake --preset ci
	cmake --build --preset ci
	ctest --preset ci

python: setup-python
	cmake --preset release -DMOSIM_BUILD_PYTHON=ON
	cmake --build --preset release
	cmake --install build/release --component python --prefix "$$(scripts/python_site.py)"

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

setup-python:
	scripts/setup.sh build python

setup-test:
	scripts/setup.sh build python test
