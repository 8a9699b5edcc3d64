"""Plans of archives, on every table: stored, resumed, expired and dropped."""

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
from tests.takeout.archive.archive_makers import ArchiveLibrary, unzipped


def test_an_archive_is_planned_read_and_resumed(any_library: ArchiveLibrary) -> None:
    photos = [any_library.add_photo(b"%d" % n, f"{n}.jpg") for n in range(PART_SIZE + 2)]
    archive = any_library.plan(photos)
    any_library.delete_original(photos[PART_SIZE])
    first = any_library.read(any_library.again(archive), 0, 5000)
    rest = any_library.read(any_library.again(archive), 5000)
    assert len(unzipped(first + rest)) == PART_SIZE + 2
    assert any_library.read(any_library.again(archive), 5000) == rest


def test_an_archive_whose_bytes_are_lost_becomes_another_file(any_library: ArchiveLibrary) -> None:
    photos = [any_library.add_photo(name=f"{n}.jpg") for n in range(2)]
    archive = any_library.plan(photos)
    any_library.read(archive)
    any_library.hidden.add(photos[0].image_id)
    for _ in range(2):
        with pytest.raises(ArchiveChanged):
            any_library.read(archive)
    assert any_library.again(archive).generation == archive.generation + 1


def test_the_rows_of_a_plan_name_no_user_and_no_photo(any_library: ArchiveLibrary) -> None:
    photo = any_library.add_photo(name="secret.jpg")
    archive = any_library.plan([photo])
    any_library.read(archive)
    rows = list(every(any_library.table, keys.archive_rows(archive.archive_id)))
    assert len(rows) == 3
    assert not any(word in str(rows) for word in (photo.image_id, ANN, "secret", "Summer"))


def test_an_archive_expires_after_some_days(any_library: ArchiveLibrary) -> None:
    archive = any_library.plan([any_library.add_photo()])
    find_archive(archive.archive_id, at=NOON + KEEP_FOR - timedelta(seconds=1), table=any_library.table)
    with pytest.raises(NotFound):
        find_archive(archive.archive_id, at=NOON + KEEP_FOR, table=any_library.table)


def test_a_dropped_archive_leaves_no_rows(any_library: ArchiveLibrary) -> None:
    archive = any_library.plan([any_library.add_photo()])
    any_library.read(archive)
    drop_archive(archive.archive_id, table=any_library.table)
    assert not list(every(any_library.table, keys.archive_rows(archive.archive_id)))
    with pytest.raises(NotFound):
        any_library.read(archive)


def test_an_archive_without_photos_is_refused_and_leaves_no_rows(library: ArchiveLibrary) -> None:
    with pytest.raises(NotFound):
        library.plan([])
    assert not library.table.scan().items


def test_a_plan_sealed_with_a_retired_secret_is_not_found(library: ArchiveLibrary) -> None:
    archive = library.plan([library.add_photo()])
    (part,) = [row for row in library.table.scan().items if row["SK"].startswith("PART")]
    library.table.write(Put(part | {"entries": "other.AAAA"}), Put(to_item(replace(archive, digest="x"))))
    with pytest.raises(NotFound):
        library.read(archive)
