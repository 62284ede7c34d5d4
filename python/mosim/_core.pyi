"""The C++ part of mosim. Use the package `mosim` instead."""

from typing import Any, Callable, Collection, Iterator, Optional

import numpy as np
import numpy.typing as npt

from ._place import Place
from ._policy import Policy

version: str

class Result:
    scenario_digest: str
    warnings: list[str]
    @property
    def json(self) -> str: ...
    @property
    def table(self) -> str: ...
    @property
    def schedule_digest(self) -> str: ...
    def job_columns(self) -> dict[str, npt.NDArray[Any] | list[str]]: ...
    def attempt_columns(self) -> dict[str, npt.NDArray[Any] | list[str]]: ...
    def timeline_columns(self) -> dict[str, npt.NDArray[Any]]: ...
    def save(self, dir: str) -> None: ...

def run(
    name: str,
    text: Optional[str],
    overrides: list[tuple[str, str, str, bool]],
    trace: Optional[tuple[str, str]],
    profiles: Optional[tuple[str, str]],
    policy: Optional[Policy],
    make_policy: Optional[Callable[[], Policy]],
    progress: Optional[Callable[[float, int, int, int], object]],
) -> Result: ...
def claim(dir: str, force: bool) -> None: ...
def check_trace(name: str, csv: str) -> int: ...
def read_as_csv(name: str, text: str) -> tuple[str, str, int]: ...
def policies() -> list[tuple[str, str, str, str]]: ...

class Job:
    """A job as its scheduler sees it now. Times in seconds, on the clock of the run.

    There is one object for each job of a run. It can be read in the calls of the policy only.
    """

    @property
    def index(self) -> int:
        """From 0, in the order of submission."""
    @property
    def id(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def user(self) -> str: ...
    @property
    def virtual_cluster(self) -> str:
        """As the trace calls it."""
    @property
    def submit_s(self) -> float: ...
    @property
    def gpus(self) -> int:
        """That it asks for: workers x gpus_per_worker."""
    @property
    def workers(self) -> int: ...
    @property
    def gpus_per_worker(self) -> int: ...
    @property
    def cpus_per_worker(self) -> int: ...
    @property
    def memory_mb_per_worker(self) -> int: ...
    @property
    def gpu_milli(self) -> int:
        """Thousandths of its GPU; 1000 unless it shares one."""
    @property
    def gpu_type(self) -> str | None:
        """On which alone it may run."""
    @property
    def priority(self) -> float:
        """Larger goes first."""
    @property
    def deadline_s(self) -> float:
        """Infinite without one."""
    @property
    def estimate_s(self) -> float:
        """The user's, of its run time; infinite without one."""
    @property
    def skew(self) -> float:
        """The largest tensor's share of its model's parameters."""
    @property
    def checkpoint_bytes(self) -> float:
        """What it saves when it is preempted."""
    @property
    def stage(self) -> str:
        """coming, waiting, running or done."""
    @property
    def held_gpus(self) -> int:
        """0 unless it runs."""
    @property
    def elapsed_s(self) -> float:
        """Since it was submitted."""
    @property
    def stage_s(self) -> float:
        """In its present stage."""
    @property
    def served_s(self) -> float:
        """On GPUs so far, loading included."""
    @property
    def attained_service(self) -> float:
        """GPUs x time so far."""
    @property
    def estimate_left_s(self) -> float:
        """What the user's estimate leaves: 0 for a job that ran over it."""
    @property
    def preemptions(self) -> int: ...
    @property
    def place(self) -> Place:
        """Where it runs, or where a waiting job ran last."""
    @property
    def contention(self) -> float:
        """By how much the networking time of a running job is stretched now."""
    @property
    def preemptible_at_s(self) -> float:
        """When a running job will have run as long as preemption.min_run asks."""
    @property
    def remaining_s(self) -> float:
        """The oracle: how long it would still run alone on the GPUs that it asks for.

        For policies that have "remaining_time" in `needs`; `InvalidAction` for others.
        """

class Jobs(Collection[Job]):
    """The waiting or the running jobs, in the order of submission.

    Walking them makes no list and sees what changes on the way: a job that was started is not
    among the waiting ones any more. `list(jobs)` makes a list.
    """

    def __iter__(self) -> Iterator[Job]: ...
    def __len__(self) -> int: ...
    def __contains__(self, job: object) -> bool: ...

class SchedulerView:
    """What a policy sees. It can be used in the calls of the policy only."""

    waiting: Jobs
    running: Jobs
    @property
    def now(self) -> float:
        """Seconds, on the clock of the trace."""
    @property
    def free_gpus(self) -> int:
        """Of servers that take jobs."""
    @property
    def free_gpus_per_server(self) -> npt.NDArray[np.int64]:
        """A new array; 0 for servers that take no jobs now."""
    @property
    def gpus_per_server(self) -> npt.NDArray[np.int64]: ...
    @property
    def free_cpus_per_server(self) -> npt.NDArray[np.int64]:
        """0 too where cores are not limited."""
    @property
    def cpus_per_server(self) -> npt.NDArray[np.int64]:
        """0: not limited."""
    @property
    def gpu_type_per_server(self) -> npt.NDArray[np.int64]:
        """Positions in `gpu_types`."""
    @property
    def gpu_types(self) -> list[str]: ...
    @property
    def rack_per_server(self) -> npt.NDArray[np.int64]: ...
    @property
    def jobs(self) -> int:
        """How many the run has, those to come included."""
    def job(self, index: int) -> Job:
        """The job with this index. IndexError when there is none.

        Reading one that is not submitted yet is for policies that have "remaining_time" in `needs`;
        `InvalidAction` for others.
        """
    def pools_of(self, job: Job) -> list[npt.NDArray[np.int64]]:
        """The servers of each pool that the job may use, in the order in which pools are tried.

        A place has servers of one pool.
        """
    def gpu_rooms(self, server: int) -> npt.NDArray[np.int64]:
        """What is free of each GPU of a server, in thousandths: 1000 of one that no job shares, be
        it free or not. Empty when none is shared."""
    def find_place(self, job: Job, workers: int = 0) -> Place | None:
        """A place for a waiting job by the scenario's placement; None when there is no room.

        With `workers`, a place for that many instead of as many as the job asks for.
        """
    def added_slowdown(self, job: Job, place: dict[int, int]) -> float:
        """By how much the contention factors of all jobs would rise in sum with the job there."""
    def quota_left(self, job: Job) -> int:
        """GPUs that the job's virtual cluster may still take."""
    def fit_class(self, job: Job) -> int:
        """Jobs of one class fit or do not fit together: they ask for the same of the same servers."""
    def may_preempt(self, job: Job) -> bool:
        """Whether a running job has run as long as preemption.min_run asks."""
    def may_resize(self, job: Job, workers: int) -> bool:
        """Whether the job can run on that many workers: whether it has a profile there."""

class Scheduler(SchedulerView):
    """What a policy sees and does in `decide`.

    Actions take effect at once. One that is not allowed raises `mosim.InvalidAction` and changes
    nothing. A place is a `Place`, or a dictionary of workers by server in the order of the ranks.
    """

    def try_start(self, job: Job, workers: int = 0) -> bool:
        """Starts a waiting job where the scenario's placement finds room; False without room."""
    def start(self, job: Job, place: dict[int, int]) -> None:
        """Starts a waiting job there, all workers at once."""
    def preempt(self, job: Job) -> None:
        """Takes a running job off its GPUs; it keeps what it trained and waits again."""
    def try_resume(self, job: Job) -> bool:
        """Puts a job back that this very decision preempted; False when its GPUs are taken."""
    def migrate(self, job: Job, place: dict[int, int]) -> None:
        """Moves a running job to as many other workers. Its own GPUs count as free."""
    def resize(self, job: Job, place: dict[int, int]) -> None:
        """The same with another number of workers."""
    def wake_at(self, time_s: float) -> None:
        """Asks for a decision at that time; of several the earliest counts."""
