"""Runs through the library: which one is under way, and how far it is.

[Note: one run] A run has a name. Whoever wants all photos looked at begins a new one, and what went on under another
name ends: nothing that was behind it is passed over.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sparks.library import keys
from sparks.library.records import from_item, to_item
from sparks.library.sealing import seal, unseal
from sparks.model.errors import BadSignature, ConditionFailed
from sparks.model.ids import random_id
from sparks.model.keyring import Keyring
from sparks.model.ledger import JobState
from sparks.table.port import Conditions, Delete, Equals, Put, Table

JOB: Final = "face-index"

_ENGINE, _NAME, _LIST, _BEHIND, _DONE = "engine", "run", "list", "behind", "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """It is behind this photo of this list; `listed` is None before the first. `at`: when it came so far."""

    name: str
    engine: str
    at: datetime
    listed: str | None = None
    behind: str | None = None
    done: bool = False


def find_run(*, keyring: Keyring, table: Table) -> Run | None:
    """The last one, done or not; None where there is none, or its state was sealed with a secret that is gone."""
    item = table.get(keys.job_state(JOB))
    if item is None:
        return None
    state = from_item(JobState, item)
    told = state.stats or {}
    if state.last_run_at is None or not told.keys() >= {_ENGINE, _NAME}:
        return None
    try:
        behind = unseal(JOB, told[_BEHIND], keyring) if _BEHIND in told else None
    except BadSignature:
        return None
    return Run(
        name=told[_NAME],
        engine=told[_ENGINE],
        at=state.last_run_at,
        listed=told.get(_LIST),
        behind=behind,
        done=told.get(_DONE, False),
    )


def begin_run(engine: str, *, at: datetime, keyring: Keyring, table: Table) -> Run:
    """The only one from now on."""
    run = Run(name=random_id(), engine=engine, at=at)
    table.write(_put(run, keyring))
    return run


def note_run(before: Run, after: Run, *, keyring: Keyring, table: Table) -> bool:
    """Whether it is as far as `after` now: not so where another run has begun, or the same one was carried on."""
    try:
        table.write(_put(after, keyring, (Equals("stats", _stats(before, keyring)),)))
    except ConditionFailed:
        return False
    return True


def forget_runs(*, table: Table) -> None:
    table.write(Delete(keys.job_state(JOB)))


def _put(run: Run, keyring: Keyring, when: Conditions = ()) -> Put:
    return Put(to_item(JobState(job_name=JOB, last_run_at=run.at, stats=_stats(run, keyring))), when)


def _stats(run: Run, keyring: Keyring) -> Mapping[str, Any]:
    """[Note: no id] The photo may be deleted soon, and its id must not be found then: so it is sealed."""
    behind = {} if run.behind is None else {_BEHIND: seal(JOB, run.behind, keyring)}
    listed = {} if run.listed is None else {_LIST: run.listed}
    return {_ENGINE: run.engine, _NAME: run.name, **listed, **behind, _DONE: run.done}
