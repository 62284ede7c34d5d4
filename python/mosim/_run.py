"""`run` and its `Result`."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Union

from . import _core
from ._errors import InputError, Place, with_places
from ._policy import PolicyMaker, policies_of
from ._text import ScenarioText, Table, TableText, flow_yaml, place_of
from ._trace import Trace

Scenario = Union[Mapping[str, Any], str, "os.PathLike[str]", None]
Progress = Callable[[float, int, int, int], object]


class Result:
    """A finished run.

    Number columns of `jobs` and `timeline` are numpy arrays over the memory of the C++ result, which
    they keep alive; they cannot be written to, so take `result.jobs.copy()` to change values.
    Copied are text columns (`job_id`, `model`, `servers`, `gpu`, `virtual_cluster`) and what is
    computed from several values (`gpus`, `wait_s`, `training_s`, `jct_s`).
    """

    def __init__(self, core: _core.Result) -> None:
        self._core = core

    @cached_property
    def jobs(self) -> Any:
        """A pandas DataFrame with a row per job, by submission: the columns of jobs.csv."""
        return _frame(self._core.job_columns())

    @cached_property
    def attempts(self) -> Any:
        """A pandas DataFrame with a row per time on servers that was not a job's last:
        attempts.csv. Empty when no job was preempted, moved or stopped by a failure."""
        return _frame(self._core.attempt_columns())

    @cached_property
    def timeline(self) -> Any:
        """A pandas DataFrame with a row per time at which the cluster changed: timeline.csv."""
        return _frame(self._core.timeline_columns())

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The headline numbers: what summary.json holds (docs/outputs.md)."""
        summary: dict[str, Any] = json.loads(self._core.json)
        return summary

    @property
    def digest(self) -> str:
        """A hash of every job's start, end and servers: equal schedules, equal digests."""
        return self._core.schedule_digest

    @property
    def scenario_digest(self) -> str:
        """A hash of everything that the run depends on."""
        return self._core.scenario_digest

    @property
    def warnings(self) -> list[str]:
        """What was said of the inputs, and jobs that were dropped."""
        return self._core.warnings

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes the folder that `mosim run -o` writes, for `mosim compare` and others.

        A trace and profiles that were given in memory are written too, and the folder's
        scenario.resolved.yaml names them. Raises `InputError` when the folder holds a run already
        and `force` is not set, `RunError` when it cannot be written.
        """
        _core.claim(os.fspath(path), force)
        self._core.save(os.fspath(path))

    def __repr__(self) -> str:
        return self._core.table.rstrip("\n")


def _frame(columns: Mapping[str, Any]) -> Any:
    import pandas as pd

    return pd.DataFrame(columns, copy=False)


class _Request:
    """The arguments of `run` as `_core.run` takes them, and their places for messages."""

    def __init__(self, scenario: Scenario) -> None:
        self.places: dict[str, Place] = {}
        self.overrides: list[tuple[str, str, str, bool]] = []
        self.trace: tuple[str, str] | None = None
        self.profiles: tuple[str, str] | None = None
        self.name = ""
        self.text: str | None = None
        if isinstance(scenario, Mapping):
            text = ScenarioText(scenario)
            self.name, self.text = text.name, text.text
            self.places[text.name] = text.place
        elif scenario is not None:
            self.name = os.fspath(scenario)

    def override(self, key: str, value: Any, source: str) -> None:
        if isinstance(value, os.PathLike):
            value = os.fspath(value)
        is_text = isinstance(value, str)
        self.overrides.append((key, value if is_text else flow_yaml(value, key), source, not is_text))
        self.places[source] = place_of(source)

    def take_trace(self, trace: Trace | Table) -> None:
        if isinstance(trace, (str, os.PathLike)):
            self.override("trace.file", trace, "trace")
            return
        if not isinstance(trace, Trace):
            trace = Trace(trace)
        self.trace = trace.name, trace._table.text
        self.places[trace.name] = trace._table.place

    def take_profiles(self, profiles: Table) -> None:
        table = TableText(profiles, "<profiles>", {"volume_bytes": "volume_B"})
        self.profiles = table.name, table.text
        self.places[table.name] = table.place


def run(
    scenario: Scenario = None,
    *,
    trace: Trace | Table | str | os.PathLike[str] | None = None,
    profiles: Table | None = None,
    policy: PolicyMaker | None = None,
    queue: str | None = None,
    placement: str | None = None,
    contention: str | None = None,
    seed: int | None = None,
    overrides: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    output: str | os.PathLike[str] | None = None,
    force: bool = False,
) -> Result:
    """Simulates one scenario.

    scenario: the path of a scenario file, a dictionary with the same keys (docs/scenario.md), or
        None for the bundled default.
    trace: a `Trace`, its rows (see `Trace`), or the path of a trace file.
    profiles: what models compute and send, in place of the scenario's backend: a DataFrame or a
        list of dictionaries with `model`, `gpus`, `compute_s`, `network_s` (per iteration),
        `volume_bytes` (that a worker sends per iteration), and if wanted `loading_s` and `gpu`.
    policy: a `Policy` of your own, or its class, in place of `queue`.
    queue, placement, contention, seed: the keys scheduler.queue, scheduler.placement,
        contention.model and workloads.seed.
    overrides: further keys, such as `{"cluster.servers[0].nic": "10 Gbps"}`.
    progress: is called now and then with (time in s, jobs done, jobs, events).
    output: a folder to write the run into, as `Result.save` does; `force` replaces one that it
        holds.

    Other threads of Python go on while C++ simulates. Ctrl-C ends the run with KeyboardInterrupt.
    Things that a user should know, such as a job that does not fit in memory, are given to
    `warnings.warn` and kept in `Result.warnings`.

    Raises `InputError` when an input is wrong, `RunError` when the run fails, and what a policy or
    `progress` raises as it is; of a policy's, `__notes__` says at what time of the simulation.

    >>> run(queue="fifo-skip").summary["jobs"]["finished"]
    120
    """
    request = _Request(scenario)
    first, make = (None, None) if policy is None else policies_of(policy)
    if policy is not None and queue is not None:
        raise ValueError("policy and queue are given; expected one of them")
    if trace is not None:
        request.take_trace(trace)
    if profiles is not None:
        request.take_profiles(profiles)
    for name, key, value in (
        ("queue", "scheduler.queue", queue),
        ("placement", "scheduler.placement", placement),
        ("contention", "contention.model", contention),
        ("seed", "workloads.seed", seed),
    ):
        if value is not None:
            request.override(key, value, name)
    for key, value in (overrides or {}).items():
        request.override(key, value, f"overrides[{key!r}]")
    if output is not None:
        _core.claim(os.fspath(output), force)
    try:
        core = _core.run(
            request.name,
            request.text,
            request.overrides,
            request.trace,
            request.profiles,
            first,
            make,
            progress,
        )
    except InputError as error:
        raise with_places(error, request.places) from None
    result = Result(core)
    for warning in result.warnings:
        warnings.warn(warning, stacklevel=2)
    if output is not None:
        result.save(output, force=True)
    return result


def compare(results: Mapping[str, Result]) -> Any:
    """The headline numbers of several runs side by side: a DataFrame with a column for each."""
    import pandas as pd

    return pd.DataFrame({name: _numbers(result.summary) for name, result in results.items()})


def _numbers(summary: Mapping[str, Any], prefix: str = "") -> dict[str, float]:
    numbers: dict[str, float] = {}
    for key, value in summary.items():
        if isinstance(value, Mapping):
            numbers.update(_numbers(value, f"{prefix}{key}."))
        elif isinstance(value, (int, float)) and key != "schema_version":
            numbers[prefix + key] = value
    return numbers
