"""One run of an import and the choice of its owner, without processes and decoders."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.cli import import_queue
from sparks.cli.account_output import choose_account
from sparks.cli.import_queue import printable
from sparks.cli.import_run import ImportRun
from sparks.journey import Stores
from sparks.model.account import Role
from sparks.model.errors import BadInput, NotFound, StorageFull
from sparks.model.photo import Visibility
from sparks.settings import load_settings
from sparks.supervisor import hold_data_folder
from sparks.table.memory import MemoryTable
from sparks.table.port import Table
from sparks.uploads.folder_import.import_file import FileImporter
from sparks.uploads.folder_import.import_result import ImportStatus
from tests.account_makers import an_account
from tests.factories import ANN, BOB
from tests.journey.sample_steps import open_memory
from tests.library.tables import new_account
from tests.uploads.folder_import.pictures import picture, put_pictures


def a_run(stores: Stores, source: Path, *, photos: int = 20, size: int = 10**9, owner: str | None = None) -> ImportRun:
    """An import for this owner, or for a new one with this upload limit."""
    importer = FileImporter(
        owner=owner or new_account(stores.table, photos=photos, bytes=size),
        visibility=Visibility.COMMUNITY,
        most_bytes=10**9,
        table=stores.table,
        blobs=stores.blobs,
    )
    return ImportRun(load_settings({"data": source.parent / "data"}, {}), stores, importer, [source])


def counts(run: ImportRun) -> list[int]:
    return [run.report.count(status) for status in ImportStatus]


def test_a_dry_run_of_an_import_counts_files_and_changes_nothing(tmp_path: Path) -> None:
    put_pictures(tmp_path / "source", 3)
    (tmp_path / "source/copy.jpg").write_bytes(picture(0))
    stores = open_memory()
    run = a_run(stores, tmp_path / "source", photos=2)
    run.preview()
    assert counts(run) == [3, 1, 0, 0]
    assert re.fullmatch(
        r"(\S+) may upload 2 photos, 1 GB more: `sparks user limit \1` sets another limit", run.limit_note
    )
    assert stores.blobs.list().blobs == []
    assert stores.jobs.counts().waiting == 0


def test_an_import_stops_with_the_reason_when_the_upload_limit_is_reached(tmp_path: Path) -> None:
    put_pictures(tmp_path / "source", 12)
    stores = open_memory()
    run = a_run(stores, tmp_path / "source", photos=2)
    run.import_files(wait=False, watch=False)
    assert counts(run) == [2, 0, 0, 10]
    assert all(
        "ask an administrator for more" in line or "limit is used up" in line for line in run.report.not_imported()
    )
    assert " may upload 0 photos, " in run.limit_note
    assert stores.jobs.counts().waiting == 2


class FullDisk(MemoryBlobs):
    def put(self, *_: Any, **__: Any) -> NoReturn:
        raise StorageFull("no room left")


def test_photos_that_a_full_disk_keeps_from_being_finished_are_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_queue, "STALL_SECONDS", 0.1)
    put_pictures(tmp_path / "source", 2)
    stores = open_memory()
    owner = new_account(stores.table, photos=9, bytes=10**9)
    a_run(stores, tmp_path / "source", owner=owner).import_files(wait=False, watch=False)
    put_pictures(tmp_path / "source", 5)
    again = a_run(replace(stores, blobs=FullDisk()), tmp_path / "source", owner=owner)
    with hold_data_folder(tmp_path / "data"):
        again.import_files(wait=True, watch=False)
    assert counts(again) == [0, 0, 0, 5]


def test_a_file_name_of_any_bytes_is_printed_in_one_line() -> None:
    assert printable(Path("a\nb\x1b[31m\udcff.jpg")) == "a\ufffdb\ufffd[31m\ufffd.jpg"


def test_a_file_beyond_the_bytes_left_fails_and_smaller_ones_are_imported(tmp_path: Path) -> None:
    put_pictures(tmp_path / "source", 3)
    (tmp_path / "source/A_large.jpg").write_bytes(picture(9) + bytes(50_000))
    run = a_run(open_memory(), tmp_path / "source", photos=20, size=20_000)
    run.import_files(wait=False, watch=False)
    assert counts(run) == [3, 0, 0, 1]


def test_the_owner_is_the_named_account_or_the_only_one() -> None:
    table = MemoryTable()
    with pytest.raises(BadInput, match="no accounts yet"):
        choose_account(None, table=table)
    an_account(table, ANN, with_password=False)
    assert choose_account(None, table=table).email == ANN
    with pytest.raises(NotFound):
        choose_account(BOB, table=table)


def several(table: Table, *roles: Role) -> None:
    for number, role in enumerate(roles):
        an_account(table, f"{role}{number}@example.com", with_password=False, role=role)


def test_the_owner_is_the_only_administrator_where_there_are_several() -> None:
    table = MemoryTable()
    several(table, Role.MEMBER, Role.ADMIN, Role.MEMBER)
    assert choose_account(None, table=table).role is Role.ADMIN


def test_the_owner_must_be_named_where_there_are_several_administrators() -> None:
    table = MemoryTable()
    several(table, Role.ADMIN, Role.ADMIN)
    with pytest.raises(BadInput, match="name one with --owner"):
        choose_account(None, table=table)
