"""Where a job runs."""

from __future__ import annotations

from typing import Dict, Optional


class Place(Dict[int, int]):
    """Workers by server, in the order of the ranks.

    A plain dictionary does as well where a place is asked for.
    """

    #: Of a job that shares a GPU: which one of the server's, from 0. None: whole GPUs, or for a job
    #: that shares one that MoSim chooses it (the GPU with the least room that is enough).
    gpu: Optional[int] = None
