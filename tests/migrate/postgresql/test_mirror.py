"""Writes to a source of what was changed in Sparks."""

import uuid
from typing import Any

import pytest

from sparks.migrate.postgresql.capture import Capture
from sparks.migrate.postgresql.epoch import claim_epoch
from sparks.migrate.postgresql.freeze import Freeze
from sparks.migrate.postgresql.mirror import CannotHold, MirrorWriter, Removal, Upsert
from sparks.migrate.postgresql.source import Source
from sparks.model.errors import BadInput, Conflict
from tests.migrate.postgresql.legacy_rows import App, add_album, add_image, add_user

FILE = {"original_filename": "a.jpg", "mime_type": "image/jpeg", "file_size": 1, "s3_key": "images/a.jpg"}


@pytest.fixture
def writer(source: Source) -> MirrorWriter:
    claim_epoch(source, 1)
    return MirrorWriter(source, epoch=1)


def test_a_row_that_is_not_there_is_inserted(writer: MirrorWriter, source: Source) -> None:
    user, image = str(uuid.uuid4()), str(uuid.uuid4())
    time = "2020-01-02T03:04:05.000006+00:00"
    columns = {"user_id": user, **FILE, "tags": ["a", "ü", '"'], "title": None, "created_at": time}
    writer.apply([Upsert("users", user, {"email": "a@example.org"}), Upsert("gallery_images", image, columns)])
    row = source.rows("gallery_images", [image])[image]
    assert {name: row[name] for name in columns} == columns
    assert row["updated_at"] is not None  # by the default of its column


def test_only_the_columns_that_are_named_are_changed(writer: MirrorWriter, source: Source, app: App) -> None:
    image = add_image(app, add_user(app), title="old", description="stays", tags='["old"]')
    before = source.rows("gallery_images", [image])[image]
    writer.apply([Upsert("gallery_images", image, {"title": "new", "tags": [], "alt_text": None})])
    assert source.rows("gallery_images", [image])[image] == before | {"title": "new", "tags": []}


def test_a_row_without_changed_columns_stays_as_it_is(writer: MirrorWriter, source: Source, app: App) -> None:
    user = add_user(app, username="Ann")
    writer.apply([Upsert("users", user, {})])
    assert source.rows("users", [user])[user]["username"] == "Ann"


def test_a_row_is_deleted_and_may_be_gone_already(writer: MirrorWriter, source: Source, app: App) -> None:
    user, other = add_user(app), add_user(app)
    for _ in range(2):
        writer.apply([Removal("users", user)])
    assert list(source.rows("users", [user, other])) == [other]


def test_writes_pass_a_decided_freeze_and_are_not_captured(writer: MirrorWriter, source: Source) -> None:
    capture = Capture(source)
    capture.install()
    Freeze(source).begin(600)
    Freeze(source).decide()
    user, gone = str(uuid.uuid4()), str(uuid.uuid4())
    writer.apply([Upsert("users", user, {"username": "a"}), Upsert("users", gone, {"username": "b"})])
    writer.apply([Upsert("users", user, {"username": "c"}), Removal("users", gone)])
    assert source.rows("users", [user, gone])[user]["username"] == "c"
    assert source.count("users") == 1
    assert capture.lag() == (0, 0.0)


def test_a_transaction_after_a_mirrored_one_is_captured_again(
    writer: MirrorWriter, source: Source, superuser: App
) -> None:
    capture = Capture(source)
    capture.install()
    with superuser.transaction():
        superuser.execute("SET LOCAL sparks.mirror = 'on'")
        add_user(superuser)
    user = add_user(superuser)
    assert [entry.key for entry in capture.read()] == [user]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("title", "x" * 256),
        ("title", "nul \x00 byte"),
        ("title", "half a letter \ud83c"),
        ("tags", ["nul \x00 byte"]),
        ("file_size", 2**31),
        ("created_at", "the day before yesterday"),
        ("no_such_column", "x"),
        ("original_filename", None),
        ("user_id", "4c0c3c8e-6d0a-4d5a-8f57-0d1d4d9ef0a3"),
    ],
)
@pytest.mark.parametrize("there", [True, False])
def test_a_value_that_the_source_cannot_hold_is_named_and_nothing_is_changed(
    writer: MirrorWriter, source: Source, app: App, column: str, value: Any, *, there: bool
) -> None:
    user = add_user(app, username="before")
    image = add_image(app, user) if there else str(uuid.uuid4())
    columns = {"user_id": user, **FILE, "description": "fits", column: value}
    with pytest.raises(CannotHold) as refused:
        writer.apply([Upsert("users", user, {"username": "after"}), Upsert("gallery_images", image, columns)])
    assert (refused.value.table, refused.value.id, refused.value.column) == ("gallery_images", image, column)
    assert all(word in str(refused.value) for word in ("gallery_images", image, column))
    assert source.rows("users", [user])[user]["username"] == "before"


def test_a_removed_user_takes_their_albums_and_images_along(writer: MirrorWriter, source: Source, app: App) -> None:
    user, other = add_user(app), add_user(app)
    album = add_album(app, user)
    theirs, image = add_image(app, user, album_id=album), add_image(app, other, album_id=album)
    writer.apply([Removal("users", user)])
    assert source.rows("gallery_albums", [album]) == {}
    rows = source.rows("gallery_images", [theirs, image])
    assert list(rows) == [image]
    assert rows[image]["album_id"] is None


def test_a_writer_of_an_earlier_epoch_writes_nothing_any_more(writer: MirrorWriter, source: Source, app: App) -> None:
    user = add_user(app, username="before")
    claim_epoch(source, 2)
    claim_epoch(source, 1)
    with pytest.raises(Conflict, match="another"):
        writer.apply([Upsert("users", user, {"username": "after"})])
    assert source.rows("users", [user])[user]["username"] == "before"


def test_an_id_that_is_no_uuid_is_named(writer: MirrorWriter) -> None:
    for change in (Removal("users", "x"), Upsert("users", "x", {"username": "a"})):
        with pytest.raises(CannotHold, match="users x, column id"):
            writer.apply([change])


def test_another_table_is_refused(writer: MirrorWriter) -> None:
    with pytest.raises(BadInput, match="pg_class"):
        writer.apply([Removal("pg_class", "x")])
