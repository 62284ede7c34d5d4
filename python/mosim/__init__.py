"""MoSim: distributed-training jobs on a shared GPU cluster, simulated.

>>> import mosim
>>> result = mosim.run(placement="bin-packing")
>>> len(result.jobs), result.summary["jobs"]["finished"]
(120, 120)
"""

from ._core import Job, Jobs, Scheduler, SchedulerView
from ._core import version as __version__
from ._errors import Diagnostic, InputError, InvalidAction, RunError
from ._place import Place
from ._policy import Policy
from ._registry import PolicyInfo, policies
from ._run import Result, compare, run
from ._trace import Trace, read_trace

__all__ = [
    "Diagnostic",
    "InputError",
    "InvalidAction",
    "Job",
    "Jobs",
    "Place",
    "Policy",
    "PolicyInfo",
    "Result",
    "RunError",
    "Scheduler",
    "SchedulerView",
    "Trace",
    "__version__",
    "compare",
    "policies",
    "read_trace",
    "run",
]
