"""Rows that no application should write: each is taken, or an issue says why not."""

import uuid
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from tests.migrate.checker import scan
from tests.migrate.in_process import backfill, captured, checker_of, follow, memory_stores, verify
from tests.migrate.rows import put_object
from tests.servers.postgresql import LegacyDatabase, legacy_database

USERS, ALBUMS, PHOTOS = "users", "gallery_albums", "gallery_images"
LOOSE_TABLES: Final = """
ALTER TABLE gallery_albums DROP CONSTRAINT gallery_albums_user_id_fkey;
ALTER TABLE gallery_albums ALTER title DROP NOT NULL;
ALTER TABLE gallery_images DROP CONSTRAINT gallery_images_user_id_fkey;
ALTER TABLE gallery_images DROP CONSTRAINT gallery_images_album_id_fkey;
"""
EXTRA_COLUMNS: Final = ("version", "status", "PK", "ttl", "uploadedBy", "entityType", "sourceId", "colours")
RESERVED: Final = {
    USERS: {"PK", "ttl", "uploadedBy", "entityType", "sourceId"},
    ALBUMS: {"PK", "ttl", "uploadedBy", "entityType", "sourceId"},
    PHOTOS: {"PK", "ttl", "uploadedBy", "entityType", "sourceId", "version", "status"},
}
MANY: Final = settings(
    max_examples=300,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # a smaller example would take minutes to find
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)
FEW: Final = settings(MANY, max_examples=12)

texts = st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), max_size=40)
maybe_text = st.none() | texts
long_text = texts | st.builds(lambda text: (text[:1] or "x") * 64_000, texts)
emails = st.sampled_from(
    [
        None,
        "",
        "no address",
        "ann@example.com",
        "Ann@Example.com",
        "ANN@EXAMPLE.COM",
        "bob@example.com",
        " carl@example.com ",
        "dora@example.com",
        "straße@example.org",
        "STRASSE@example.org",
    ]
)
good_times = st.sampled_from(
    [
        "2024-02-29 12:34:56.789123+05:45",
        "1970-01-01 00:00:00+00",
        "1969-12-31 23:59:59.9999+00",
        "0001-01-01 00:00:00+00",
        "9999-12-31 23:59:59.999999+00",
        "1900-01-01 00:00:00+09",
    ]
)
bad_times = st.sampled_from(["infinity", "-infinity", "0044-03-15 00:00:00+00 BC", "12025-01-01 00:00:00+00"])
times = st.none() | good_times | good_times | bad_times
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**40), 10**40) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
tags = st.none() | st.lists(texts, max_size=4) | st.lists(texts | st.integers() | st.none(), max_size=4) | json_values
numbers = st.integers(0, 2**31 - 1)
KEYS: Final = [
    "good.jpg",
    "same.jpg",
    "gone.jpg",
    "../outside.jpg",
    "/etc/hostname",
    "folder",
    "",
    "notes.txt",
    "ä/ß.jpg",
]
NO_OBJECT: Final = {"gone.jpg", "../outside.jpg", "/etc/hostname", "folder", ""}


@dataclass(repr=False)  # texts are long
class Rows:
    users: dict[str, dict[str, Any]] = field(default_factory=dict)
    albums: dict[str, dict[str, Any]] = field(default_factory=dict)
    photos: dict[str, dict[str, Any]] = field(default_factory=dict)


@st.composite
def extras(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "version": draw(st.none() | numbers),
        "status": draw(maybe_text),
        "PK": draw(maybe_text),
        "ttl": draw(st.none() | numbers),
        "uploadedBy": draw(maybe_text),
        "entityType": draw(maybe_text),
        "sourceId": draw(maybe_text),
        "colours": Jsonb(draw(json_values)),
    }


new_ids = st.uuids().map(str) | st.builds(
    lambda value, ms: str(uuid.UUID(int=(ms << 80) | (7 << 76) | (value & ((1 << 76) - 1)) & ~(3 << 62) | (2 << 62))),
    st.integers(0, 2**76 - 1),
    st.integers(0, 253_402_300_799_999),  # the end of the year 9999
)


@st.composite
def albums(draw: st.DrawFn, owners: list[str]) -> dict[str, Any]:
    return {
        "user_id": draw(st.sampled_from([*owners, *owners, str(uuid.UUID(int=1))])),
        "title": draw(maybe_text),
        "description": draw(st.none() | long_text),
        "created_at": draw(times),
        "updated_at": draw(times),
        **draw(extras()),
    }


@st.composite
def photos(draw: st.DrawFn, owners: list[str], in_albums: list[str]) -> dict[str, Any]:
    huge = draw(st.sampled_from([1, 1, 1, 1, 1, 1, 1, 420_000]))
    return {
        "user_id": draw(st.sampled_from([*owners, *owners, str(uuid.UUID(int=1))])),
        "album_id": draw(st.none() | st.sampled_from([*in_albums, str(uuid.UUID(int=2))])),
        "original_filename": draw(texts),
        "mime_type": "image/jpeg",
        "file_size": draw(numbers),
        "width": draw(st.none() | numbers),
        "s3_key": draw(st.sampled_from(KEYS)),
        "thumbnail_key": draw(maybe_text),
        "title": draw(maybe_text),
        "description": draw(long_text if huge == 1 else st.just("x" * huge)),
        "alt_text": draw(maybe_text),
        "tags": Jsonb(draw(tags)),
        "created_at": draw(times),
        "updated_at": draw(times),
        **draw(extras()),
    }


@st.composite
def source_rows(draw: st.DrawFn) -> Rows:
    rows = Rows()
    for _ in range(draw(st.integers(1, 5))):
        rows.users[draw(new_ids)] = {
            "email": draw(emails),
            "username": draw(maybe_text),
            "created_at": draw(times),
            **draw(extras()),
        }
    owners = list(rows.users)
    for _ in range(draw(st.integers(0, 3))):
        rows.albums[draw(new_ids)] = draw(albums(owners))
    for _ in range(draw(st.integers(0, 6))):
        rows.photos[draw(new_ids)] = draw(photos(owners, list(rows.albums)))
    return rows


@st.composite
def rows_and_changes(draw: st.DrawFn) -> tuple[Rows, Rows]:
    """Rows, and the rows as they are later: some photos and albums are others then, some are gone, users have other
    names.
    """
    before = draw(source_rows())
    owners = list(before.users)
    after = Rows({key: {**row, "username": draw(maybe_text)} for key, row in before.users.items()})
    kept_albums = [key for key in before.albums if draw(st.integers(0, 3)) > 0]
    after.albums = {key: before.albums[key] if draw(st.booleans()) else draw(albums(owners)) for key in kept_albums}
    kept = [key for key in before.photos if draw(st.integers(0, 3)) > 0]
    after.photos = {
        key: before.photos[key] if draw(st.booleans()) else draw(photos(owners, list(after.albums))) for key in kept
    }
    if draw(st.booleans()):
        after.photos[draw(new_ids)] = draw(photos(owners, list(after.albums)))
    return before, after


@pytest.fixture(scope="module")
def loose_database() -> Any:
    """Without foreign keys, and with columns that document 004 does not know."""
    with legacy_database() as database:
        with psycopg.connect(database.superuser_url, autocommit=True) as superuser:
            superuser.execute(LOOSE_TABLES)
            for table in (USERS, ALBUMS, PHOTOS):
                for column in EXTRA_COLUMNS:
                    kind = {"version": "bigint", "ttl": "bigint", "colours": "jsonb"}.get(column, "text")
                    superuser.execute(f'ALTER TABLE {table} ADD COLUMN "{column}" {kind}')
        yield database


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("source") / "objects"
    for key in ("good.jpg", "ä/ß.jpg"):
        put_object(folder, key, key)
    put_object(folder, "same.jpg", "good.jpg")
    put_object(folder.parent, "outside.jpg", "outside")
    (folder / "folder").mkdir()
    (folder / "notes.txt").write_text("no picture")
    return folder


@pytest.mark.filterwarnings("ignore:Generating overly large repr")
@FEW
@given(rows_and_changes())
def test_every_row_is_taken_to_the_letter_or_an_issue_says_why_not(
    loose_database: LegacyDatabase, objects: Path, rows: tuple[Rows, Rows]
) -> None:
    check_rows(loose_database, objects, rows)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:Generating overly large repr")
@MANY
@given(rows_and_changes())
def test_every_row_of_many_is_taken_to_the_letter_or_an_issue_says_why_not(
    loose_database: LegacyDatabase, objects: Path, rows: tuple[Rows, Rows]
) -> None:
    check_rows(loose_database, objects, rows)


def check_rows(database: LegacyDatabase, objects: Path, rows: tuple[Rows, Rows]) -> None:
    before, after = rows
    stores = memory_stores()
    with psycopg.connect(database.application_url, autocommit=True) as app:
        app.execute("TRUNCATE users, gallery_albums, gallery_images")
        insert(app, before)
        with captured(database, objects, stores) as migration:
            follow(migration) if migration.capture.lag()[0] else None
            backfill(migration)
            write(app, before, after)
            follow(migration)
        assert verify(stores).differences == []
    found = checker_of(database, objects, stores).differences()
    assert not found, "\n".join(found)
    issues = checker_of(database, objects, stores).issues()
    told = {(table, row_id, each["field"]) for (table, row_id), held in issues.items() for each in held}
    assert told == expected_issues(before, after)
    assert all(each["reason"] for held in issues.values() for each in held)
    not_taken = {key for key, held in issues.items() if not all(each["taken"] for each in held)}
    check_extras(after, stores.table, not_taken)


def insert(app: Any, rows: Rows) -> None:
    for table, held in ((USERS, rows.users), (ALBUMS, rows.albums), (PHOTOS, rows.photos)):
        for row_id, columns in held.items():
            names = ", ".join(f'"{name}"' for name in columns)
            places = ", ".join(["%s"] * len(columns))
            app.execute(f"INSERT INTO {table} (id, {names}) VALUES (%s, {places})", [row_id, *columns.values()])


def write(app: Any, before: Rows, after: Rows) -> None:
    """Makes the one the other."""
    for table, old, new in (
        (PHOTOS, before.photos, after.photos),
        (ALBUMS, before.albums, after.albums),
        (USERS, before.users, after.users),
    ):
        for row_id in old.keys() - new.keys():
            app.execute(f"DELETE FROM {table} WHERE id = %s", (row_id,))
        for row_id in new.keys() & old.keys():
            pairs = ", ".join(f'"{name}" = %s' for name in new[row_id])
            app.execute(f"UPDATE {table} SET {pairs} WHERE id = %s", [*new[row_id].values(), row_id])
    insert(app, Rows(photos={key: row for key, row in after.photos.items() if key not in before.photos}))


# -- What the issue's text promises, in other words than the migrator's


def expected_issues(before: Rows, rows: Rows) -> set[tuple[str, str, str]]:
    """An album that was taken once stays, also where a user has it now who is not taken."""
    found: set[tuple[str, str, str]] = set()
    addresses = Counter(_address(row) for row in rows.users.values())
    users = {key for key, row in rows.users.items() if _address(row) and addresses[_address(row)] == 1}
    found |= {(USERS, key, "email") for key in rows.users.keys() - users}
    taken_albums = {key for key, row in rows.albums.items() if row["user_id"] in users}
    found |= {(ALBUMS, key, "user_id") for key in rows.albums.keys() - taken_albums}
    taken_albums |= {key for key, row in before.albums.items() if row["user_id"] in users} & rows.albums.keys()
    for key, row in rows.photos.items():
        if row["user_id"] not in users:
            found.add((PHOTOS, key, "user_id"))
        if row["album_id"] is not None and row["album_id"] not in taken_albums:
            found.add((PHOTOS, key, "album_id"))
        is_huge = len(row["description"] or "") >= 400_000
        if is_huge:
            found.add((PHOTOS, key, "description"))
        tags = row["tags"].obj
        if tags is not None and (not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags)):
            found.add((PHOTOS, key, "tags"))
        if row["user_id"] in users and not is_huge and row["s3_key"] in NO_OBJECT | {"notes.txt"}:
            found.add((PHOTOS, key, "s3_key"))
    for table, held in ((USERS, rows.users), (ALBUMS, rows.albums), (PHOTOS, rows.photos)):
        for key, row in held.items():
            names = ("created_at",) if table == USERS else ("created_at", "updated_at")
            found |= {(table, key, name) for name in names if _is_outside(row[name])}
    return found


def _address(row: dict[str, Any]) -> str:
    text = (row["email"] or "").strip().lower()
    return text if "@" in text else ""


def _is_outside(time: str | None) -> bool:
    return time is not None and ("infinity" in time or "BC" in time or time.startswith("12025"))


def check_extras(rows: Rows, table: Any, not_taken: set[tuple[str, str]]) -> None:
    """Columns that nobody knows are kept; no row of Sparks expires or changes its place by them."""
    items = {(item["sourceId"], _kind(item)): item for item in scan(table) if "sourceId" in item}
    for name, held in ((USERS, rows.users), (ALBUMS, rows.albums), (PHOTOS, rows.photos)):
        for row_id, row in held.items():
            item = items.get((row_id, name))
            if item is None or (name, row_id) in not_taken:
                continue
            assert "ttl" not in item
            for column in ("version", "status", "PK", "uploadedBy", "entityType"):
                kept = f"source_{column}" if column in RESERVED[name] else column
                assert item.get(kept) == row[column], (name, row_id, column)


def _kind(item: dict[str, Any]) -> str:
    if item["SK"].startswith("UPLOADED_BY#"):
        return PHOTOS
    return ALBUMS if item["PK"].startswith("ALBUM#") else USERS
