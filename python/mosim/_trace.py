"""Traces in memory."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

from . import _core
from ._errors import InputError, with_places
from ._text import ScenarioText, Table, TableText

_TEXT_COLUMNS = (
    "job_id",
    "model",
    "gpu_type",
    "status",
    "user",
    "virtual_cluster",
    "time_zero",
)


class Trace:
    """Jobs in memory, as what users submitted.

    `jobs` is a pandas DataFrame, or a list of dictionaries, with the columns of the mosim CSV
    format (docs/formats.md): `job_id`, `model`, `arrival_time`, `duration` and `gpu_workers`, and
    those of `num_iteration`, `gpu_per_worker`, `gpu_type`, `user`, `virtual_cluster`, ... that the
    jobs have. An empty `model` is drawn from the pool. Times are seconds. What a job has not is
    None, NaN or left out.

    Raises `InputError`, which names row (from 0) and column of everything that is wrong.

    A trace is a copy of `jobs`. The keys below `trace` of a scenario (`limit`, `load_scale`,
    `on_failed`, ...) apply to it in a run as they do to a file.
    """

    def __init__(self, jobs: Table, *, name: str = "<trace>") -> None:
        self._table = TableText(jobs, name)
        self.name = name
        self.notes = ""  # what was found while reading a file, such as "failed 3 (keep)"
        try:
            self._size = _core.check_trace(name, self._table.text)
        except InputError as error:
            raise with_places(error, {name: self._table.place}) from None

    @property
    def frame(self) -> Any:
        """The jobs as a new pandas DataFrame with the columns of the mosim CSV format."""
        import pandas as pd

        header = self._table.text.split("\n", 1)[0].split(",")
        numbers = [column for column in header if column not in _TEXT_COLUMNS]
        return pd.read_csv(
            io.StringIO(self._table.text),
            dtype={column: str for column in _TEXT_COLUMNS},
            keep_default_na=False,
            na_values={column: [""] for column in numbers},
            float_precision="round_trip",
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a CSV file, which `mosim run --trace` reads as the same trace."""
        Path(path).write_text(self._table.text, encoding="utf-8")

    def __len__(self) -> int:
        return self._size

    def __repr__(self) -> str:
        return f"<mosim.Trace {self.name}: {len(self)} jobs>"


def read_trace(path: str | os.PathLike[str], **options: Any) -> Trace:
    """Reads a trace file of any format that MoSim knows; `.frame` of the result is a DataFrame.

    `options` are the keys below `trace` of a scenario (docs/scenario.md), such as
    `format="philly"`, `limit=1000`, `on_failed="drop"` or `columns={"id": "name"}`. Bundled
    traces have the names `bundled:traces/demo.csv` and `bundled:traces/philly-like.csv`.

    >>> read_trace("bundled:traces/demo.csv", limit=3)
    <mosim.Trace bundled:traces/demo.csv: 3 jobs>
    """
    scenario = ScenarioText({"trace": {"file": os.fspath(path), **options}})
    try:
        text, notes, size = _core.read_as_csv(scenario.name, scenario.text)
    except InputError as error:
        raise with_places(error, {scenario.name: scenario.place}) from None
    trace = Trace.__new__(Trace)
    trace.name = os.fspath(path)
    trace.notes = notes
    trace._table = TableText([], trace.name)
    trace._table.text = text
    trace._size = size
    return trace
