"""Routes for administrators: storage, settings in force, and the audit log."""

import logging
import shutil
from heapq import nlargest
from typing import Annotated, Any

from fastapi import APIRouter, Query

from sparks.api.accounts.responses import LimitResponse, limit_response
from sparks.api.http.authentication import ActionRouter, CurrentCaller, RequestAuthenticator
from sparks.api.http.base_models import PageResponse, ResponseModel, Time
from sparks.api.http.cursors import Cursor, Limit, read_page
from sparks.library.audit import page_of_entries
from sparks.library.people.people_statistics import count_people
from sparks.library.upload_limits.account_limit import all_limits
from sparks.model.access import Action
from sparks.model.account import UploadLimit
from sparks.model.keyring import Keyring
from sparks.model.pipeline_settings import FacePipelineSettings
from sparks.model.times import month_of
from sparks.settings import Settings
from sparks.table.port import Table

log = logging.getLogger(__name__)
Month = Annotated[
    str | None, Query(pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])$", description="As 2025-08; the current month by default.")
]


class AccountStorageResponse(LimitResponse):
    email: str


class DiskResponse(ResponseModel):
    """Bytes of the file system that holds the blobs."""

    free: int
    total: int


class PeopleCountsResponse(ResponseModel):
    """`persons` counts persons with a face, `named` those of them with a name, `faces` the faces that are assigned."""

    persons: int
    named: int
    faces: int


class FaceSettingsResponse(ResponseModel):
    """The face engine, and the least similarity of two faces that may be, or are, of the same person."""

    engine: str
    candidate_threshold: float
    strong_threshold: float


class SettingsResponse(ResponseModel):
    """The settings in force. `uploadLimit` and `uploadLimitBytes` are the upload limit of a new account. `faces` is
    absent where face recognition is off.
    """

    registration: str
    upload_limit: int
    upload_limit_bytes: int
    upload_max_bytes: int
    default_visibility: str
    trash_days: int
    person_min_photos: int
    faces: FaceSettingsResponse | None = None


class StorageResponse(ResponseModel):
    """`photos` and `bytes` count what all accounts own or are uploading, their trash included. `accounts` lists those
    with the most bytes. `disk` is absent where blobs are not in a folder, or the folder cannot be read.
    """

    photos: int
    bytes: int
    account_count: int
    accounts: list[AccountStorageResponse]
    people: PeopleCountsResponse
    disk: DiskResponse | None = None
    settings: SettingsResponse


class StorageRoutes:
    def __init__(
        self,
        *,
        authenticator: RequestAuthenticator,
        table: Table,
        faces: FacePipelineSettings | None,
        settings: Settings,
    ) -> None:
        self._authenticator = authenticator
        self._table = table
        self._faces = faces
        self._settings = settings

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="administration")
        routes.add("GET", "/api/admin/storage", Action.SEE_SETTINGS, self.read_storage)
        return routes.router

    def read_storage(self, limit: Limit = 100) -> StorageResponse:
        """Read the numbers of photos, bytes, faces and persons, the accounts with the most bytes, the free disk space
        and the settings in force. This reads one row for each account and person, and none of photos and faces.
        """
        limits = list(all_limits(table=self._table))
        return StorageResponse(
            photos=sum(each.used or 0 for each in limits),
            bytes=sum(each.bytes_used or 0 for each in limits),
            account_count=len(limits),
            accounts=[_account(each) for each in nlargest(limit, limits, key=_size)],
            people=PeopleCountsResponse.model_validate(count_people(table=self._table), from_attributes=True),
            disk=self._disk(),
            settings=self._settings_in_force(),
        )

    def _disk(self) -> DiskResponse | None:
        """None where the disk cannot be read."""
        if self._settings.blobs != "filesystem":
            return None
        try:
            usage = shutil.disk_usage(self._settings.blob_folder)
        except OSError as error:
            log.warning("the disk with the blobs could not be measured: %s", error)
            return None
        return DiskResponse(free=usage.free, total=usage.total)

    def _settings_in_force(self) -> SettingsResponse:
        faces = None if self._faces is None else _face_settings(self._faces)
        values = {name: getattr(self._settings, name) for name in SettingsResponse.model_fields if name != "faces"}
        return SettingsResponse(**values, faces=faces)


def _size(limit: UploadLimit) -> tuple[int, int]:
    return limit.bytes_used or 0, limit.used or 0


def _account(limit: UploadLimit) -> AccountStorageResponse:
    return AccountStorageResponse(email=limit.email, **limit_response(limit).model_dump())


def _face_settings(pipeline: FacePipelineSettings) -> FaceSettingsResponse:
    return FaceSettingsResponse(
        engine=pipeline.engine, candidate_threshold=pipeline.candidate, strong_threshold=pipeline.strong
    )


class AuditEntryResponse(ResponseModel):
    done_at: Time
    who: str
    action: str
    target: str | None = None
    details: dict[str, Any] | None = None


class AuditEntryList(PageResponse):
    entries: list[AuditEntryResponse]


class AuditRoutes:
    def __init__(self, *, authenticator: RequestAuthenticator, table: Table, keyring: Keyring) -> None:
        self._authenticator = authenticator
        self._table = table
        self._keyring = keyring

    def router(self) -> APIRouter:
        routes = ActionRouter(self._authenticator, tag="administration")
        routes.add("GET", "/api/admin/audit", Action.SEE_AUDIT, self.read_audit)
        return routes.router

    def read_audit(
        self, caller: CurrentCaller, month: Month = None, limit: Limit = 100, cursor: Cursor = None
    ) -> AuditEntryList:
        """List the audit log of a month, newest first: sign-ins, changes of roles and limits, new keys and links."""
        month = month or month_of(self._authenticator.now())
        entries, after = read_page(
            lambda most, behind: page_of_entries(month, limit=most, after=behind, table=self._table),
            query=f"audit {month}",
            caller=caller,
            limit=limit,
            cursor=cursor,
            keyring=self._keyring,
        )
        responses = [
            AuditEntryResponse(
                done_at=entry.done_at,
                who=entry.who,
                action=entry.action,
                target=entry.target,
                details=dict(entry.details) or None,
            )
            for entry in entries
        ]
        return AuditEntryList(entries=responses, last_evaluated_key=after)
