"""Opening stored data: older ones are taken on, newer ones are refused unless this Sparks can work with them."""

from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from pathlib import Path

import pytest

from sparks.library.records import key_of, to_item
from sparks.library.schema import VERSIONS, Registry, Version
from sparks.library.schema_state import read_schema_state, take_on
from sparks.model.errors import BadSetting
from sparks.model.schema_state import SchemaState
from sparks.settings import Settings
from sparks.table.memory import MemoryTable
from sparks.table.port import Put, Set, Table
from sparks.wiring import open_stores, open_table
from tests.factories import NOON, a_photo

TODAY = Registry(VERSIONS)
NOW = VERSIONS[-1].number
DAY = date(2027, 1, 1)
ADDITIVE = Registry((*VERSIONS, Version(NOW + 1, DAY, "an attribute is added", oldest_reader=NOW)))
BREAKING = Registry((*VERSIONS, Version(NOW + 1, DAY, "rows have another form", oldest_reader=NOW + 1)))
LATER = NOON + timedelta(days=1)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path / "data")


def state_of(table: Table) -> SchemaState:
    state = read_schema_state(table)
    assert state is not None
    return state


def test_data_from_before_versions_were_counted_are_of_version_1_and_taken_on() -> None:
    table = MemoryTable()
    photo = a_photo()
    table.write(Put(to_item(photo)))
    state = take_on(table, TODAY, at=NOON)
    assert state == state_of(table)
    assert (state.version, set(state.taken_on)) == (NOW, {str(number) for number in range(1, NOW + 1)})
    assert table.get(key_of(photo)) == to_item(photo)


def test_a_newer_sparks_takes_older_data_on_and_notes_when() -> None:
    table = MemoryTable()
    take_on(table, TODAY, at=NOON)
    take_on(table, ADDITIVE, at=LATER)
    take_on(table, ADDITIVE, at=LATER + timedelta(days=1))
    state = state_of(table)
    assert (state.version, state.oldest_reader) == (NOW + 1, NOW)
    assert (state.taken_on[str(NOW)], state.taken_on[str(NOW + 1)]) == (NOON, LATER)


def test_upgrade_and_downgrade_by_one_version_that_only_adds(settings: Settings) -> None:
    photo = a_photo()
    with open_stores(settings, registry=TODAY) as stores:
        stores.table.write(Put(to_item(photo)))
    with open_stores(settings, registry=ADDITIVE) as stores:
        stores.table.write(Set(key_of(photo), {"newAttribute": 1}))
    with open_stores(settings, registry=TODAY) as stores:
        assert stores.table.get(key_of(photo)) == to_item(photo) | {"newAttribute": 1}
        stores.table.write(Set(key_of(photo), {"title": "Sea"}))
    with open_stores(settings, registry=ADDITIVE) as stores:
        assert stores.table.get(key_of(photo)) == to_item(photo) | {"newAttribute": 1, "title": "Sea"}


def test_an_older_sparks_that_can_use_newer_data_says_so_in_its_log(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    for registry in (ADDITIVE, TODAY):
        with open_stores(settings, registry=registry):
            pass
    assert f"the data are of version {NOW + 1}, newer than this Sparks ({NOW})" in caplog.text


def test_a_downgrade_by_a_breaking_version_is_refused_with_one_clear_line(settings: Settings) -> None:
    photo = a_photo()
    with open_stores(settings, registry=TODAY) as stores:
        stores.table.write(Put(to_item(photo)))
    with open_stores(settings, registry=BREAKING) as stores:
        assert stores.table.get(key_of(photo)) == to_item(photo)
    with pytest.raises(BadSetting) as refused, open_stores(settings, registry=TODAY):
        pass
    assert str(refused.value) == (
        f"the data are of version {NOW + 1}, and this Sparks knows versions up to {NOW}: start the Sparks that wrote "
        "them or a newer one, or restore a backup from before the upgrade"
    )
    with open_stores(settings, registry=BREAKING) as stores:
        assert stores.table.get(key_of(photo)) == to_item(photo)


def test_a_process_that_runs_works_on_while_others_are_upgraded(settings: Settings) -> None:
    with open_table(settings, registry=TODAY) as running:
        running.hold = 0
        with open_table(settings, registry=BREAKING):
            pass
        running.write(Put(to_item(a_photo())))
        assert running.open().version == NOW + 1


def test_processes_that_take_data_on_at_once_agree(settings: Settings) -> None:
    def begin(registry: Registry) -> int:
        with open_table(settings, registry=registry) as table:
            return table.open().version

    with ThreadPoolExecutor(6) as threads:
        assert max(threads.map(begin, [TODAY, ADDITIVE] * 3)) == NOW + 1
    with open_table(settings, registry=ADDITIVE) as table:
        assert (table.open().version, table.open().oldest_reader) == (NOW + 1, NOW)
