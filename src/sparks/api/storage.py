"""How much there is, who has it, and by which settings: what an administrator wants to see at a glance."""

import logging
import shutil
from heapq import nlargest

from fastapi import APIRouter

from sparks.api.gate import Gate, Routes
from sparks.api.lists import Limit
from sparks.api.shapes import Answer
from sparks.api.users import LimitAnswer, limit_answer
from sparks.journey import Stores
from sparks.library.limits import all_limits
from sparks.library.people import count_people
from sparks.model.access import Action
from sparks.model.account import UploadLimit
from sparks.model.terms import FaceTerms
from sparks.settings import Settings

log = logging.getLogger(__name__)


class AccountStorage(LimitAnswer):
    email: str


class Disk(Answer):
    """Of the file system with the blobs, in bytes."""

    free: int
    total: int


class PeopleCounts(Answer):
    """`persons` have a face, some of them are `named`; `faces` are those that are somebody's."""

    persons: int
    named: int
    faces: int


class FaceSettings(Answer):
    """The engine that finds faces, and how alike two must be to perhaps be one person, or to be one."""

    engine: str
    candidate_threshold: float
    strong_threshold: float


class SettingsAnswer(Answer):
    """What is in force. `uploadLimit` and `uploadLimitBytes` are what a new account may upload; no `faces` where nobody
    looks for any.
    """

    registration: str
    upload_limit: int
    upload_limit_bytes: int
    upload_max_bytes: int
    default_visibility: str
    trash_days: int
    person_min_photos: int
    faces: FaceSettings | None = None


class Storage(Answer):
    """`photos` and `bytes` are what all accounts own or are uploading, their trash included. `accounts` has those with
    the most bytes. No `disk` where blobs are not in a folder, or that is away.
    """

    photos: int
    bytes: int
    account_count: int
    accounts: list[AccountStorage]
    people: PeopleCounts
    disk: Disk | None = None
    settings: SettingsAnswer


class StorageRoutes:
    def __init__(self, *, gate: Gate, stores: Stores, settings: Settings) -> None:
        self._gate = gate
        self._table = stores.table
        self._faces = stores.terms.faces
        self._settings = settings

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="administration")
        routes.add("GET", "/api/admin/storage", Action.SEE_SETTINGS, self.read_storage)
        return routes.router

    def read_storage(self, limit: Limit = 100) -> Storage:
        """How many photos, bytes, faces and persons there are, who has most, what room is left, and by which settings.
        It reads one row an account and one a person, and none of a photo or a face.
        """
        limits = list(all_limits(table=self._table))
        return Storage(
            photos=sum(each.used or 0 for each in limits),
            bytes=sum(each.bytes_used or 0 for each in limits),
            account_count=len(limits),
            accounts=[_account(each) for each in nlargest(limit, limits, key=_size)],
            people=PeopleCounts.model_validate(count_people(table=self._table), from_attributes=True),
            disk=self._disk(),
            settings=self._in_force(),
        )

    def _disk(self) -> Disk | None:
        """A disk that is gone has no numbers."""
        if self._settings.blobs != "filesystem":
            return None
        try:
            usage = shutil.disk_usage(self._settings.blob_folder)
        except OSError as error:
            log.warning("the disk with the blobs could not be measured: %s", error)
            return None
        return Disk(free=usage.free, total=usage.total)

    def _in_force(self) -> SettingsAnswer:
        faces = None if self._faces is None else _face_settings(self._faces)
        told = {name: getattr(self._settings, name) for name in SettingsAnswer.model_fields if name != "faces"}
        return SettingsAnswer(**told, faces=faces)


def _size(limit: UploadLimit) -> tuple[int, int]:
    return limit.bytes_used or 0, limit.used or 0


def _account(limit: UploadLimit) -> AccountStorage:
    return AccountStorage(email=limit.email, **limit_answer(limit).model_dump())


def _face_settings(terms: FaceTerms) -> FaceSettings:
    return FaceSettings(engine=terms.engine, candidate_threshold=terms.candidate, strong_threshold=terms.strong)
