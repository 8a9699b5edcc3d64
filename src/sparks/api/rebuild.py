"""Thinking over who is who, when an administrator asks for it: what is new, or all of it.

They wait for the outcome, unless all of it is much, or somebody else is at it: that goes on in the background.
"""

from contextlib import suppress
from typing import Literal

from fastapi import APIRouter, Response

from sparks import logs
from sparks.api.gate import Gate, Routes
from sparks.api.mirror import NO_FACES
from sparks.api.shapes import Answer, FaceCount, Time, Wish
from sparks.journey import Journey, Stores
from sparks.library.face_index import FaceIndex
from sparks.library.job_states import FULL, INCREMENTAL, job_state
from sparks.model.access import Action
from sparks.model.errors import Busy, NotFound
from sparks.model.events import RebuildWanted
from sparks.model.ledger import JobState
from sparks.model.times import has_passed
from sparks.people.full import rebuild_all
from sparks.people.incremental import MOST_AT_ONCE, Rebuilt, regroup_faces


class RebuildWish(Wish):
    """`maxFaces` are looked at most, of those that are new; only where the mode is `incremental`."""

    mode: Literal["incremental", "full"] = "incremental"
    max_faces: FaceCount | None = None


class RebuiltAnswer(Answer):
    """`checkpoint` is up to when new faces were looked at; `more` where there are some left."""

    processed_faces: int
    created_persons: int
    updated_persons: int
    checkpoint: Time | None = None
    more: bool = False


class RebuildState(Answer):
    """How it went the last time, and whether it is going on."""

    running: bool
    last_run_at: Time | None = None
    checkpoint: Time | None = None
    stats: dict[str, int]


class RebuildStates(Answer):
    incremental: RebuildState
    full: RebuildState


class RebuildRoutes:
    def __init__(self, *, gate: Gate, stores: Stores, journey: Journey) -> None:
        self._gate = gate
        self._stores = stores
        self._journey = journey

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="administration")
        path = "/api/admin/rebuild"
        begun = {202: {"model": RebuildStates, "description": "It goes on in the background."}}
        routes.add("POST", path, Action.MANAGE_JOBS, self.rebuild_persons, errors=(404,), responses=begun)
        routes.add("GET", path, Action.SEE_JOBS, self.read_rebuild)
        return routes.router

    def rebuild_persons(self, wish: RebuildWish, response: Response) -> RebuiltAnswer | RebuildStates:
        """Think over who is who: the new faces with what is near to them, or all faces; where these are many, in the
        background. What people decided stands in either case.
        """
        index = self._index()
        if wish.mode == "incremental":
            return _rebuilt(self._regroup(index, wish.max_faces))
        with suppress(Busy):
            if index.count() <= MOST_AT_ONCE:
                return _rebuilt(self._rebuild_all(index))
        self._journey.send_after(RebuildWanted(), jobs=self._stores.jobs, request_id=logs.REQUEST_ID.get())
        response.status_code = 202
        return self.read_rebuild()

    def read_rebuild(self) -> RebuildStates:
        """How both ways of it went the last time."""
        return RebuildStates(incremental=self._state(INCREMENTAL), full=self._state(FULL))

    def _index(self) -> FaceIndex:
        if self._stores.index is None:
            raise NotFound(NO_FACES)
        return self._stores.index

    def _regroup(self, index: FaceIndex, most: int | None) -> Rebuilt:
        stores = self._stores
        return regroup_faces(table=stores.table, index=index, terms=stores.terms, at=self._gate.now(), max_faces=most)

    def _rebuild_all(self, index: FaceIndex) -> Rebuilt:
        stores = self._stores
        return rebuild_all(table=stores.table, blobs=stores.blobs, index=index, terms=stores.terms, at=self._gate.now())

    def _state(self, job_name: str) -> RebuildState:
        state = job_state(job_name, table=self._stores.table)
        return RebuildState(
            running=self._is_running(state),
            last_run_at=state.last_run_at,
            checkpoint=state.last_processed_at,
            stats={name: value for name, value in (state.stats or {}).items() if isinstance(value, int)},
        )

    def _is_running(self, state: JobState) -> bool:
        return state.lease is not None and not has_passed(state.lease.expires_at, at=self._gate.now())


def _rebuilt(done: Rebuilt) -> RebuiltAnswer:
    return RebuiltAnswer.model_validate(done, from_attributes=True)
