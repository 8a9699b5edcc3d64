"""Plans of archives, on every table: kept, gone on with, over and dropped."""

from dataclasses import replace
from datetime import timedelta

import pytest

from sparks.library import keys
from sparks.library.records import to_item
from sparks.model.errors import NotFound
from sparks.table.port import Put, every
from sparks.takeout.archive.entry_states import ArchiveChanged
from sparks.takeout.archive.plan_archive import PART_SIZE
from sparks.takeout.archive.plan_store import KEEP_FOR, drop_archive, find_archive
from tests.factories import ANN, NOON
from tests.takeout.archive.archive_makers import House, unzipped


def test_an_archive_is_planned_read_and_resumed(any_house: House) -> None:
    photos = [any_house.hang(b"%d" % n, f"{n}.jpg") for n in range(PART_SIZE + 2)]
    archive = any_house.plan(photos)
    any_house.take_down(photos[PART_SIZE])
    first = any_house.read(any_house.again(archive), 0, 5000)
    rest = any_house.read(any_house.again(archive), 5000)
    assert len(unzipped(first + rest)) == PART_SIZE + 2
    assert any_house.read(any_house.again(archive), 5000) == rest


def test_an_archive_whose_bytes_are_lost_becomes_another_file(any_house: House) -> None:
    photos = [any_house.hang(name=f"{n}.jpg") for n in range(2)]
    archive = any_house.plan(photos)
    any_house.read(archive)
    any_house.hidden.add(photos[0].image_id)
    for _ in range(2):
        with pytest.raises(ArchiveChanged):
            any_house.read(archive)
    assert any_house.again(archive).generation == archive.generation + 1


def test_the_rows_of_a_plan_name_no_user_and_no_photo(any_house: House) -> None:
    photo = any_house.hang(name="secret.jpg")
    archive = any_house.plan([photo])
    any_house.read(archive)
    rows = list(every(any_house.table, keys.archive_rows(archive.archive_id)))
    assert len(rows) == 3
    assert not any(word in str(rows) for word in (photo.image_id, ANN, "secret", "Summer"))


def test_an_archive_expires_after_some_days(any_house: House) -> None:
    archive = any_house.plan([any_house.hang()])
    find_archive(archive.archive_id, at=NOON + KEEP_FOR - timedelta(seconds=1), table=any_house.table)
    with pytest.raises(NotFound):
        find_archive(archive.archive_id, at=NOON + KEEP_FOR, table=any_house.table)


def test_a_dropped_archive_leaves_no_rows(any_house: House) -> None:
    archive = any_house.plan([any_house.hang()])
    any_house.read(archive)
    drop_archive(archive.archive_id, table=any_house.table)
    assert not list(every(any_house.table, keys.archive_rows(archive.archive_id)))
    with pytest.raises(NotFound):
        any_house.read(archive)


def test_an_archive_without_photos_is_refused_and_leaves_no_rows(house: House) -> None:
    with pytest.raises(NotFound):
        house.plan([])
    assert not house.table.scan().items


def test_a_plan_sealed_with_a_retired_secret_is_not_found(house: House) -> None:
    archive = house.plan([house.hang()])
    (part,) = [row for row in house.table.scan().items if row["SK"].startswith("PART")]
    house.table.write(Put(part | {"entries": "other.AAAA"}), Put(to_item(replace(archive, digest="x"))))
    with pytest.raises(NotFound):
        house.read(archive)
