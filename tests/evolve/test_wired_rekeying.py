"""A re-keying of a real data folder and of a real DynamoDB table, opened as the settings name them."""

import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from sparks.evolve.rekey import run_rekeyings
from sparks.library.records import key_of, to_item
from sparks.library.throttle import Throttle
from sparks.model import times
from sparks.model.schema_state import Place
from sparks.settings import Settings
from sparks.table.port import Key, Put
from sparks.wiring import create_stores, open_stores, open_table
from tests.evolve.places import AFTER, BEFORE
from tests.factories import a_photo
from tests.servers import commands


def in_a_folder(folder: Path) -> Settings:
    return Settings(data=folder / "data")


def on_dynamodb(folder: Path) -> Settings:
    settings = Settings.model_validate(
        {
            "data": folder / "data",
            "table": "dynamodb",
            "table_name": f"evolve-{uuid.uuid4()}",
            "dynamodb_endpoint": commands.dynamodb_local(),
            "region": commands.REGION,
            "aws_access_key_id": commands.ACCESS_KEY,
            "aws_secret_access_key": commands.SECRET_KEY,
        }
    )
    assert [what for what, _ in create_stores(settings)] == [f"table {settings.table_name}"]
    return settings


@pytest.mark.parametrize("place", [in_a_folder, on_dynamodb])
def test_photos_are_found_under_their_new_keys_by_every_command(
    place: Callable[[Path], Settings], tmp_path: Path
) -> None:
    settings, photo = place(tmp_path), a_photo()
    with open_stores(settings, registry=BEFORE) as stores:
        stores.table.write(Put(to_item(photo)))
    old = key_of(photo)
    new = Key(f"IMAGE#{old.pk}", old.sk)
    moved = to_item(photo) | {"PK": new.pk}
    with open_table(settings, registry=AFTER) as table:
        assert table.get(new) == moved
        run_rekeyings(table, at=times.now(), throttle=Throttle(None), on_progress=lambda *_: None, sleep=lambda _: None)
    with open_stores(settings, registry=AFTER) as stores:
        assert stores.table.get(new) == moved
    with open_table(settings, registry=AFTER) as table:
        assert table.tables(Place.SECOND).get(new) == moved
        assert table.tables(Place.FIRST).get(old) is None
