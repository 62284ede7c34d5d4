"""The policies that ship."""

from __future__ import annotations

from typing import NamedTuple

from . import _core


class PolicyInfo(NamedTuple):
    """What a policy says of itself."""

    kind: str  #: "queue" or "placement"
    name: str  #: what `run(queue=...)` or `run(placement=...)` takes
    summary: str
    source: str  #: the paper or system that it is from


def policies() -> list[PolicyInfo]:
    """The queue disciplines and placements that ship, as `mosim policies` lists them."""
    return [PolicyInfo(*one) for one in _core.policies()]
