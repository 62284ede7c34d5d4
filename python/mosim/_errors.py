"""Exceptions of the package."""

from __future__ import annotations

from typing import Callable, Iterable, Mapping, NamedTuple

# From a line and column of a text that a user did not write to the place that they know.
Place = Callable[[int, int], str]


class Diagnostic(NamedTuple):
    """One thing that is wrong with an input."""

    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


class InputError(ValueError):
    """An input is wrong: a scenario, a trace, a table of profiles, a folder that holds a run.

    The text has a line for each thing that is wrong: where, what, and what was expected.
    `diagnostics` has the same in parts.
    """

    def __init__(
        self, diagnostics: Iterable[tuple[str, int, int, str]], lines: Iterable[str] = ()
    ) -> None:
        self.diagnostics: list[Diagnostic] = [Diagnostic(*one) for one in diagnostics]
        super().__init__("\n".join(lines) or "\n".join(map(str, self.diagnostics)))


class RunError(RuntimeError):
    """A run could not be carried out, for example because its files cannot be written."""


class InvalidAction(RunError):
    """A policy did what is not allowed; nothing changed. A policy may catch it."""


def with_places(error: InputError, places: Mapping[str, Place]) -> InputError:
    """The error with places in values of Python in place of lines of generated text."""
    lines = []
    for one in error.diagnostics:
        place = places.get(one.file)
        where = place(one.line, one.column) if place else ""
        lines.append(f"{where}: {one.message}" if where else str(one))
    return InputError(error.diagnostics, lines)
