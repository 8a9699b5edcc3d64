"""Live tables as a source: read in segments, followed by passes or by a stream, and cut over."""

import json
from pathlib import Path
from typing import Any

import pytest

from sparks.journey import Stores
from sparks.library.accounts.users import find_user
from sparks.library.external_ids import image_id_of
from sparks.migrate.cutover import cut_over, finish, roll_back
from sparks.migrate.dynamodb.source import StagedSource
from sparks.migrate.dynamodb.tables import CapacityThrottle
from sparks.migrate.follow import Follower
from sparks.migrate.mirror import Mirror
from sparks.migrate.status import migration_status
from sparks.model.errors import BadInput, Conflict
from sparks.model.migration import PHOTOS, MigrationPhase, WriteSide
from tests.migrate.in_process import memory_stores, verify
from tests.migrate.layouts import items
from tests.migrate.layouts.conftest import LiveTables
from tests.migrate.layouts.in_process import filled, photo_of, staged

KEYS_000 = ("PK", "SK")


@pytest.fixture
def stores() -> Stores:
    return memory_stores()


def images(count: int) -> list[dict[str, Any]]:
    """Images of layout 000 without objects."""
    made = dict(items.LAYOUT_000[1])
    ids = [f"{number:08}-0d45-4d59-b987-2ade841d0fbf" for number in range(count)]
    return [{**made, "PK": each, "imageId": each, "s3Key": f"originals/{each}.jpg"} for each in ids]


def test_live_tables_are_recognized_by_their_keys_and_items(live: LiveTables) -> None:
    keys = {
        "Photo": ("photoId",),
        "FaceOccurrence": ("faceId", "photoId"),
        "Cluster": ("clusterId",),
        "ClusterMember": ("clusterId", "faceId"),
        "ClusterPhoto": ("clusterId", "photoId"),
        "JobState": ("jobName",),
    }
    six = [live.create(names, items.TABLES_002[table]) for table, names in keys.items()]
    single = live.create(KEYS_000, items.LAYOUT_004)
    for address, layout in ((live.address(*six), "002"), (live.address(single), "004")):
        source = StagedSource.connect(address, {})
        source.check_tables()
        assert source.layout_name == layout
        assert source.count(PHOTOS) == (2 if layout == "002" else 1)
        source.close()
        assert not source.staging.path.exists()


def test_a_missing_table_is_a_wrong_option(live: LiveTables) -> None:
    source = StagedSource.connect(live.address("none"), {})
    with pytest.raises(BadInput, match="there is no table none"):
        source.check_tables()
    source.close()


def test_a_table_is_read_in_segments_and_an_interrupted_pass_goes_on(live: LiveTables, tmp_path: Path) -> None:
    table = live.create(KEYS_000, [*items.LAYOUT_000, *images(60)])
    options = {"staging": str(tmp_path / "staging.db"), "layout": "000"}
    source = StagedSource.connect(live.address(table, more="&segments=3"), options)
    source.check_tables()
    source.staging.begin_pass(anew=True)
    first = source.staging.get("pass")
    read, _ = next(iter(source.live.scan(table, 0, 3)))
    source.staging.put(source.staged(read), {f"{table}/0/3": True})
    source.read_all(anew=False)
    assert source.staging.get("pass") == first
    assert source.count(PHOTOS) == 62
    assert source.staging.lag() == (0, 0.0)
    source.close()


def test_a_second_pass_finds_what_is_new_changed_and_gone(live: LiveTables, stores: Stores, tmp_path: Path) -> None:
    table = live.create(KEYS_000, items.LAYOUT_000)
    objects = items.put_objects(tmp_path / "objects", "000")
    with filled(live.address(table), objects, stores, tmp_path) as migration:
        live.put(table, {**items.LAYOUT_000[1], "tags": ["new"], "PK": "x" * 8, "imageId": "x" * 8})
        live.put(table, {**items.LAYOUT_000[2], "tags": ["changed"]})
        live.put(table, {**items.LAYOUT_000[0], "username": "Jane"})
        live.delete(table, {"PK": items.IMAGE_000, "SK": "UPLOADED_BY#example@gmail.com"})
        live.delete(table, {"PK": items.IMAGE_000, "SK": "PERSON#person1"})
        follower = Follower(migration)
        follower.catch_up()
        assert follower.applied >= 4
        assert photo_of("x" * 8, stores).tags == ("new",)
        assert photo_of(items.TOGETHER_000, stores).tags == ("changed",)
        assert image_id_of(items.IMAGE_000, table=stores.table) is None
        user = find_user("example@gmail.com", table=stores.table)
        assert user is not None
        assert user.username == "Jane"
        follower.catch_up()
        assert migration.capture.lag() == (0, 0.0)
    assert verify(stores).differences == []


def test_a_stream_brings_changes_without_another_pass(live: LiveTables, stores: Stores, tmp_path: Path) -> None:
    table = live.create(KEYS_000, items.LAYOUT_000, stream=True)
    objects = items.put_objects(tmp_path / "objects", "000")
    with filled(live.address(table), objects, stores, tmp_path) as migration:
        assert isinstance(migration.source, StagedSource)
        passes = migration.source.staging.get("pass")
        live.put(table, {**items.LAYOUT_000[2], "tags": ["streamed"]})
        live.delete(table, {"PK": items.IMAGE_000, "SK": "UPLOADED_BY#example@gmail.com"})
        follower = Follower(migration)
        while follower.step():
            pass
        assert photo_of(items.TOGETHER_000, stores).tags == ("streamed",)
        assert image_id_of(items.IMAGE_000, table=stores.table) is None
        assert migration.source.staging.get("pass") == passes


def test_a_stream_that_was_not_read_for_long_leads_to_a_pass(live: LiveTables, stores: Stores, tmp_path: Path) -> None:
    table = live.create(KEYS_000, items.LAYOUT_000, stream=True)
    with filled(live.address(table), items.put_objects(tmp_path / "objects", "000"), stores, tmp_path) as migration:
        assert isinstance(migration.source, StagedSource)
        staging = migration.source.staging
        passes = staging.get("pass")
        staging.note(streams_read_at=1.0)
        assert migration.capture.poll()
        assert staging.get("pass") == passes + 1
        assert float(staging.get("streams_read_at")) > 1.0


def test_cutover_looks_until_nothing_changes_and_has_no_way_back(
    live: LiveTables, stores: Stores, tmp_path: Path
) -> None:
    table = live.create(KEYS_000, items.LAYOUT_000)
    with filled(live.address(table), items.put_objects(tmp_path / "objects", "000"), stores, tmp_path) as migration:
        live.put(table, {**items.LAYOUT_000[2], "tags": ["at last"]})
        cut_over(migration, accept_issues=False)
        assert photo_of(items.TOGETHER_000, stores).tags == ("at last",)
        assert migration.state.writes is WriteSide.TARGET
        for refused in (roll_back, Mirror):
            with pytest.raises(Conflict, match="DynamoDB, to which nothing is written back"):
                refused(migration)
        assert migration_status(stores.table).writes is WriteSide.TARGET
        finish(migration)
        assert migration.state.phase is MigrationPhase.FINISHED
        assert not (tmp_path / "staging.db").exists()


def test_a_newer_export_is_compared_with_the_one_before(stores: Stores, tmp_path: Path) -> None:
    objects = items.put_objects(tmp_path / "objects", "003")
    addresses = {"kgregory": "kg@example.org"}
    first = items.write_export(tmp_path / "first", items.LAYOUT_003)
    with filled(f"dynamodb://{first}", objects, stores, tmp_path, addresses=addresses):
        pass
    changed = [{**items.LAYOUT_003[0], "description": "My other dog"}]
    second = items.write_export(tmp_path / "second", changed)
    with staged(f"dynamodb://{second}", objects, stores, tmp_path, addresses=addresses) as migration:
        migration.note(phase=MigrationPhase.BACKFILLED)
        Follower(migration).catch_up()
    assert photo_of(str(changed[0]["id"]), stores).description == "My other dog"
    assert image_id_of(str(items.LAYOUT_003[1]["id"]), table=stores.table) is None
    assert verify(stores).differences == []


def test_a_file_that_is_no_export_is_named(tmp_path: Path) -> None:
    for content in ("[1, 2", json.dumps({"Items": [{"id": "plain"}]}), json.dumps({"Keys": {}, "NewImage": {}})):
        file = tmp_path / "broken.json"
        file.write_text(content)
        source = StagedSource.connect(f"dynamodb://{file}", {"layout": "003"})
        source.check_tables()
        with pytest.raises(BadInput, match=r"broken\.json"):
            source.count(PHOTOS)
        source.close()


def test_the_throttle_pays_for_what_was_consumed() -> None:
    slept: list[float] = []
    throttle = CapacityThrottle(100, clock=lambda: sum(slept), sleep=slept.append)
    throttle.wait(stops=lambda: False)
    throttle.consumed(150)
    throttle.wait(stops=lambda: True)
    assert slept == []
    throttle.wait(stops=lambda: False)
    throttle.wait(stops=lambda: False)
    assert sum(slept) == 1.5
