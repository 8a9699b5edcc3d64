"""One run of an import, and whose it is, without processes and decoders."""

from pathlib import Path

import pytest

from sparks.cli.accounts import choose_account
from sparks.cli.import_run import ImportRun
from sparks.journey import Stores
from sparks.model.account import Role
from sparks.model.errors import BadInput, NotFound
from sparks.model.photo import Visibility
from sparks.settings import load_settings
from sparks.table.memory import MemoryTable
from sparks.table.port import Table
from sparks.upload.importing.outcome import Fate
from sparks.upload.importing.taking import Taker
from tests.accounts import an_account
from tests.factories import ANN, BOB
from tests.journey.trip import open_memory
from tests.library.tables import new_account
from tests.upload.importing.pictures import picture, put_pictures


def a_run(stores: Stores, source: Path, *, photos: int, size: int = 10**9) -> ImportRun:
    """For an owner who may upload so many photos and bytes."""
    taker = Taker(
        owner=new_account(stores.table, photos=photos, bytes=size),
        visibility=Visibility.COMMUNITY,
        most_bytes=10**9,
        table=stores.table,
        blobs=stores.blobs,
    )
    return ImportRun(load_settings({"data": source.parent / "data"}, {}), stores, taker, [source])


def counts(run: ImportRun) -> list[int]:
    return [run.tally.count(fate) for fate in Fate]


def test_a_dry_run_tells_and_changes_nothing(tmp_path: Path) -> None:
    put_pictures(tmp_path / "source", 3)
    (tmp_path / "source/copy.jpg").write_bytes(picture(0))
    stores = open_memory()
    run = a_run(stores, tmp_path / "source", photos=2)
    run.look()
    assert counts(run) == [3, 1, 0, 0]
    assert run.too_few == "the owner may upload 2 photos more: `sparks user limit` sets another limit"
    assert stores.blobs.list().blobs == []
    assert stores.jobs.counts().waiting == 0


def test_a_limit_that_is_reached_stops_it_with_the_reason(tmp_path: Path) -> None:
    put_pictures(tmp_path / "source", 12)
    stores = open_memory()
    run = a_run(stores, tmp_path / "source", photos=2)
    run.take_in(wait=False, watch=False)
    assert counts(run) == [2, 0, 0, 10]
    assert all("ask an administrator for more" in line for line in run.tally.left_out())
    assert stores.jobs.counts().waiting == 2


def test_bytes_that_are_too_many_stop_the_large_ones_alone(tmp_path: Path) -> None:
    put_pictures(tmp_path / "source", 3)
    (tmp_path / "source/A_large.jpg").write_bytes(picture(9) + bytes(50_000))
    run = a_run(open_memory(), tmp_path / "source", photos=20, size=20_000)
    run.take_in(wait=False, watch=False)
    assert counts(run) == [3, 0, 0, 1]


def test_the_owner_is_who_is_named_or_the_only_one() -> None:
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
    with pytest.raises(BadInput, match="name the one that is meant with --owner"):
        choose_account(None, table=table)
