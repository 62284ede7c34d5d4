"""Policies in Python."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Union

if TYPE_CHECKING:
    from ._core import Job, Scheduler, SchedulerView


class Policy(ABC):
    """Decides which job runs when. Subclasses say what to do in `decide`.

    >>> import mosim
    >>> class Fifo(mosim.Policy):
    ...     name = "fifo"
    ...     def decide(self, scheduler):
    ...         for job in scheduler.waiting:
    ...             if not scheduler.try_start(job):
    ...                 break
    >>> mosim.run(policy=Fifo()).digest == mosim.run(queue="fifo").digest
    True

    An instance serves one run at a time. Jobs are objects that stay the same during a run, so they
    can be keys of a dictionary.
    """

    #: In messages and in the run's scenario, and part of its digest: a policy with parameters has
    #: them in it, set in __init__. The name of the class when it is not set.
    name: str = ""
    #: Any of "remaining_time" (the oracle: Job.remaining_s, and jobs that
    #: are not submitted yet), "estimates" and "deadlines".
    needs: ClassVar[Collection[str]] = ()
    #: On a cluster with virtual clusters: whether each gets a policy of its own, which sees its
    #: jobs alone. Then `run` takes the class, not an instance.
    per_virtual_cluster: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" not in cls.__dict__:
            cls.name = cls.__name__

    @abstractmethod
    def decide(self, scheduler: Scheduler) -> None:
        """Starts, preempts, moves and resizes jobs.

        Called after all events of one time: jobs were submitted or ended, servers changed, or the
        policy asked to be woken.
        """

    def on_submit(self, view: SchedulerView, job: Job) -> None:
        """A job was submitted; `decide` follows, as with the two below."""

    def on_requeue(self, view: SchedulerView, job: Job) -> None:
        """A job that had started waits again, as a server under it failed.

        As it stands here, `on_submit` is called. Not called for what the policy preempts itself.
        """
        self.on_submit(view, job)

    def on_end(self, view: SchedulerView, job: Job) -> None:
        """A job is done."""


#: A policy, or what makes one: its class, as a rule.
PolicyMaker = Union[Policy, Callable[[], Policy]]


def policies_of(policy: PolicyMaker) -> tuple[Policy, Callable[[], Policy]]:
    """The first policy of a run, and what gives another for each further virtual cluster."""
    if isinstance(policy, Policy):
        return policy, partial(_refuse, policy)
    if not callable(policy):
        raise TypeError(f"policy is {type(policy).__name__}; expected a mosim.Policy or its class")
    make = partial(_checked, policy)
    return make(), make


def _checked(make: Callable[[], Policy]) -> Policy:
    policy = make()
    if not isinstance(policy, Policy):
        raise TypeError(f"policy gave {type(policy).__name__}; expected a mosim.Policy")
    return policy


def _refuse(policy: Policy) -> Policy:
    raise ValueError(f"policy '{policy.name}' is per virtual cluster: give its class to run()")
