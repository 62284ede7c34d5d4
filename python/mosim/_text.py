"""Values of Python as the texts that the C++ part reads: YAML for scenarios, CSV for tables."""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ._errors import Place

# Rows of a table: dictionaries, or a pandas DataFrame.
Table = Any


def _scalar(value: Any, path: str) -> str:
    if hasattr(value, "item") and not isinstance(value, (str, bytes)):
        value = value.item()  # of numpy
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    raise TypeError(f"{path}: {type(value).__name__} has no place in a scenario")


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def flow_yaml(value: Any, path: str) -> str:
    """The value as YAML on one line."""
    if isinstance(value, Mapping):
        items = (f"{_scalar(k, path)}: {flow_yaml(v, f'{path}.{k}')}" for k, v in value.items())
        return "{" + ", ".join(items) + "}"
    if _is_list(value):
        return "[" + ", ".join(flow_yaml(v, f"{path}[{i}]") for i, v in enumerate(value)) + "]"
    return _scalar(value, path)


class ScenarioText:
    """A scenario that is a dictionary, as YAML with a key on each line."""

    name = "<dict>"

    def __init__(self, scenario: Mapping[str, Any]) -> None:
        # The first line is of no key: what is wrong with the scenario as a whole is said there.
        self._lines = ["# a scenario"]
        self._paths = [""]
        self._add_map(scenario, "", 0)
        self.text = "\n".join(self._lines) + "\n"

    def place(self, line: int, column: int) -> str:
        path = self._paths[line - 1] if line <= len(self._paths) else ""
        return f"{self.name} {path}".rstrip()

    def _add_map(self, value: Mapping[str, Any], path: str, depth: int) -> None:
        for key, item in value.items():
            self._add(f"{_scalar(key, path)}:", item, f"{path}.{key}".lstrip("."), depth)

    def _add(self, head: str, value: Any, path: str, depth: int) -> None:
        nested = (isinstance(value, Mapping) or _is_list(value)) and len(value) > 0
        self._lines.append("  " * depth + head + ("" if nested else " " + flow_yaml(value, path)))
        self._paths.append(path)
        if not nested:
            return
        if isinstance(value, Mapping):
            self._add_map(value, path, depth + 1)
            return
        for number, item in enumerate(value):
            self._add("-", item, f"{path}[{number}]", depth + 1)


def _cell(value: Any) -> str:
    if hasattr(value, "item") and not isinstance(value, str):
        value = value.item()
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return repr(value) if isinstance(value, float) else str(value)


class TableText:
    """Rows in memory, as CSV."""

    def __init__(self, rows: Table, name: str, rename: Mapping[str, str] | None = None) -> None:
        self.name = name
        self._names = dict(rename or {})
        if hasattr(rows, "to_csv"):
            self.text: str = rows.rename(columns=self._names).to_csv(index=False)
        else:
            self.text = self._from_dicts(list(rows))

    def _from_dicts(self, rows: Sequence[Mapping[str, Any]]) -> str:
        columns: dict[str, str] = {}
        for number, row in enumerate(rows):
            if not isinstance(row, Mapping):
                raise TypeError(f"{self.name} row {number}: {type(row).__name__} is no dictionary")
            columns.update((key, self._names.get(key, key)) for key in row)
        return _csv_text([list(columns.values()), *([row.get(key) for key in columns] for row in rows)])

    def place(self, line: int, column: int) -> str:
        """Which row, from 0, and column of the table stand at a place of the CSV."""
        reader = csv.reader(io.StringIO(self.text, newline=""))
        header: list[str] = next(reader, [])
        first_line = reader.line_num + 1
        for number, row in enumerate(reader):
            if line <= reader.line_num and line >= first_line:
                return f"{self.name} row {number}, column {self._column(header, row, column)!r}"
            first_line = reader.line_num + 1
        return self.name

    def _column(self, header: Sequence[str], row: Sequence[str], column: int) -> str:
        begin = 1
        given = {new: old for old, new in self._names.items()}
        for name, cell in zip(header, row):
            begin += len(_csv_text([[cell, ""]]).encode()) - 1  # without the line break
            if column < begin:
                return given.get(name, name)
        return ""


def _csv_text(rows: Iterable[Sequence[Any]]) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    for row in rows:
        writer.writerow([_cell(value) for value in row])
    return out.getvalue()


def place_of(name: str) -> Place:
    """The place of a value that is one line of text."""
    return lambda line, column: name
