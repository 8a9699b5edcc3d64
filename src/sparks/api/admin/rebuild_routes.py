"""Routes that rebuild the grouping of faces into persons.

A request waits for the result. A full rebuild of very many faces, or one that another process is running, is left to a
job.
"""

from contextlib import suppress
from typing import Literal

from fastapi import APIRouter, Response

from sparks.actions.face_lookup import NO_FACES
from sparks.actions.outbox import Outbox
from sparks.api.http.authentication import ActionRouter, RequestAuthenticator
from sparks.api.http.base_models import FaceCount, RequestModel, ResponseModel, Time
from sparks.blobs.port import Blobs
from sparks.library.face_index import FaceIndex
from sparks.library.leases import FULL, INCREMENTAL, job_state
from sparks.model.access import Action
from sparks.model.errors import Busy, NotFound
from sparks.model.events import RebuildWanted
from sparks.model.pipeline_settings import PipelineSettings
from sparks.model.system_records import JobState
from sparks.model.times import has_passed
from sparks.people.group_new_faces import MAX_FACES_PER_RUN, RegroupResult, regroup_faces
from sparks.people.rebuild import rebuild_all
from sparks.table.port import Table


class RebuildRequest(RequestModel):
    """`maxFaces` is the most new faces to group; it counts for the mode `incremental` only."""

    mode: Literal["incremental", "full"] = "incremental"
    max_faces: FaceCount | None = None


class RebuildResponse(ResponseModel):
    """`checkpoint` is the time up to which new faces are grouped; `more` is true where some are left."""

    processed_faces: int
    created_persons: int
    updated_persons: int
    checkpoint: Time | None = None
    more: bool = False


class RebuildStateResponse(ResponseModel):
    """The result of the last run, and whether one is running."""

    running: bool
    last_run_at: Time | None = None
    checkpoint: Time | None = None
    stats: dict[str, int]


class RebuildStatesResponse(ResponseModel):
    incremental: RebuildStateResponse
    full: RebuildStateResponse


class RebuildRoutes:
    def __init__(
        self,
        *,
        authenticator: RequestAuthenticator,
        outbox: Outbox,
        table: Table,
        blobs: Blobs,
        index: FaceIndex | None,
        pipeline: PipelineSettings,
    ) -> None:
        self._authenticator = authenticator
        self._outbox = outbox
        self._table = table
        self._blobs = blobs
        self._index = index
        self._pipeline = pipeline

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="administration")
        path = "/api/admin/rebuild"
        begun = {202: {"model": RebuildStatesResponse, "description": "It runs in the background."}}
        routes.add("POST", path, Action.MANAGE_JOBS, self.rebuild_persons, errors=(404,), responses=begun)
        routes.add("GET", path, Action.SEE_JOBS, self.read_rebuild)
        return routes.router

    def rebuild_persons(self, body: RebuildRequest, response: Response) -> RebuildResponse | RebuildStatesResponse:
        """Group faces into persons again: the new faces with similar ones, or all faces; where these are many, in the
        background. Decisions of members are kept in both cases.
        """
        index = self._index
        if index is None:
            raise NotFound(NO_FACES)
        if body.mode == "incremental":
            return _rebuilt(self._regroup(index, body.max_faces))
        with suppress(Busy):
            if index.count() <= MAX_FACES_PER_RUN:
                return _rebuilt(self._rebuild_all(index))
        self._outbox.send(RebuildWanted())
        response.status_code = 202
        return self.read_rebuild()

    def read_rebuild(self) -> RebuildStatesResponse:
        """Read the results of the last incremental and the last full rebuild."""
        return RebuildStatesResponse(incremental=self._state(INCREMENTAL), full=self._state(FULL))

    def _regroup(self, index: FaceIndex, max_faces: int | None) -> RegroupResult:
        at = self._authenticator.now()
        return regroup_faces(table=self._table, index=index, pipeline=self._pipeline, at=at, max_faces=max_faces)

    def _rebuild_all(self, index: FaceIndex) -> RegroupResult:
        at = self._authenticator.now()
        return rebuild_all(table=self._table, blobs=self._blobs, index=index, pipeline=self._pipeline, at=at)

    def _state(self, job_name: str) -> RebuildStateResponse:
        state = job_state(job_name, table=self._table)
        return RebuildStateResponse(
            running=self._is_running(state),
            last_run_at=state.last_run_at,
            checkpoint=state.last_processed_at,
            stats={name: value for name, value in (state.stats or {}).items() if isinstance(value, int)},
        )

    def _is_running(self, state: JobState) -> bool:
        return state.lease is not None and not has_passed(state.lease.expires_at, at=self._authenticator.now())


def _rebuilt(result: RegroupResult) -> RebuildResponse:
    return RebuildResponse.model_validate(result, from_attributes=True)
