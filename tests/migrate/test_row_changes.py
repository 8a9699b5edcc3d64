"""Changes of single rows in the source, and what they become: in this process, on stores in memory."""

import random
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest

from sparks.journey import Stores
from sparks.library.photos.edit_and_trash import trash_photo
from sparks.library.photos.photo_rows import find_photo
from sparks.migrate.context import Migration
from sparks.migrate.follow import Follower
from sparks.migrate.issues import all_issues, rows_with_issues
from sparks.model.errors import Busy, Conflict
from sparks.model.photo import Photo, PhotoState
from sparks.model.times import now
from sparks.table.memory import MemoryTable
from sparks.table.port import Change
from sparks.table.wrapper import TableWrapper
from tests.migrate.in_process import backfill, captured, checker_of, follow, memory_stores, verify
from tests.migrate.postgresql.legacy_rows import App, add_album, add_image, add_user
from tests.migrate.rows import add_photo, add_some, put_object
from tests.servers.postgresql import LegacyDatabase

MISSING: Final = "images/missing.jpg"


@dataclass
class Running:
    """A migration under way, with the application's connection."""

    migration: Migration
    stores: Stores
    app: App
    objects: Path
    database: LegacyDatabase

    def follow(self) -> None:
        follow(self.migration)

    def issues(self) -> set[tuple[str, str, str, bool]]:
        return {(each.table, each.id, each.field, each.taken) for each in all_issues(self.stores.table)}

    def check(self) -> None:
        found = checker_of(self.database, self.objects, self.stores).differences()
        assert not found, "\n".join(found)

    def photo(self, old_id: str) -> Photo:
        known = self.migration.target.known("gallery_images", [old_id])[old_id]
        found = find_photo(known.target_id or "", table=self.stores.table)
        assert found is not None
        return found


@pytest.fixture
def running(database: LegacyDatabase, tmp_path: Path, app: App) -> Iterator[Running]:
    """The backfill of empty tables is complete."""
    yield from _running(database, tmp_path, app, memory_stores())


def _running(database: LegacyDatabase, folder: Path, app: App, stores: Stores) -> Iterator[Running]:
    with ExitStack() as stack:
        migration = stack.enter_context(captured(database, folder / "objects", stores))
        backfill(migration)
        yield Running(migration, stores, app, folder / "objects", database)


# -- Users


def test_two_users_with_one_address_are_not_taken_until_one_of_them_is_deleted(running: Running) -> None:
    ann = add_user(running.app, email="ann@example.org")
    other = add_user(running.app, email="ANN@example.org")
    photo = add_photo(running.app, running.objects, other)
    running.follow()
    assert running.issues() == {
        ("users", ann, "email", False),
        ("users", other, "email", False),
        ("gallery_images", photo, "user_id", False),
    }
    running.app.execute("DELETE FROM users WHERE id = %s", (ann,))
    running.follow()
    assert running.issues() == set()
    running.check()


def test_a_user_with_the_address_of_another_one_is_taken_when_that_one_is_deleted(running: Running) -> None:
    ann = add_user(running.app, email="ann@example.org")
    running.follow()
    other = add_user(running.app, email="ANN@example.org")
    add_photo(running.app, running.objects, other)
    running.follow()
    assert ("users", other, "email", False) in running.issues()
    running.app.execute("DELETE FROM users WHERE id = %s", (ann,))
    running.follow()
    assert running.issues() == set()
    running.check()


def test_an_address_that_changes_is_an_issue_until_it_is_set_back(running: Running) -> None:
    ann = add_user(running.app, email="ann@example.org")
    running.follow()
    running.app.execute("UPDATE users SET email = 'anna@example.org', username = 'Anna' WHERE id = %s", (ann,))
    running.follow()
    assert running.issues() == {("users", ann, "email", False)}
    running.check()
    running.app.execute("UPDATE users SET email = 'ann@example.org' WHERE id = %s", (ann,))
    running.follow()
    assert running.issues() == set()
    running.check()


def test_users_are_taken_once_addresses_are_given_for_each(running: Running) -> None:
    ann, other = add_user(running.app, email="ann@example.org"), add_user(running.app, email="Ann@example.org")
    photos = [add_photo(running.app, running.objects, user) for user in (ann, other)]
    running.follow()
    running.migration.addresses.store({ann: "ann@example.org"})
    waiting = [(row.system, row.old_id) for row in rows_with_issues(running.stores.table)]
    running.migration.applier.apply(waiting)
    assert ("users", other, "email", False) in running.issues()
    running.migration.addresses.store({other: "second@example.org"})
    running.migration.applier.apply(waiting)
    assert running.issues() == set()
    assert [running.photo(photo).owner for photo in photos] == ["ann@example.org", "second@example.org"]


def test_albums_and_photos_of_a_deleted_user_are_issues_where_the_source_has_no_foreign_keys(
    running: Running, superuser: psycopg.Connection
) -> None:
    for table, constraint in (
        ("gallery_albums", "gallery_albums_user_id_fkey"),
        ("gallery_images", "gallery_images_user_id_fkey"),
        ("gallery_images", "gallery_images_album_id_fkey"),
    ):
        superuser.execute(f"ALTER TABLE {table} DROP CONSTRAINT {constraint}")
    ann, bob = add_user(running.app, email="ann@example.org"), add_user(running.app, email="bob@example.org")
    album = add_album(running.app, ann)
    hers, his = (add_photo(running.app, running.objects, user, album_id=album) for user in (ann, bob))
    running.follow()
    running.app.execute("DELETE FROM users WHERE id = %s", (ann,))
    running.follow()
    assert running.issues() == {
        ("gallery_albums", album, "user_id", False),
        ("gallery_images", hers, "user_id", False),
        ("gallery_images", hers, "album_id", False),
        ("gallery_images", his, "album_id", True),
    }
    running.check()
    assert verify_now(running) == []


# -- Photos


def test_a_photo_without_an_object_finds_its_album_when_that_is_taken(running: Running) -> None:
    first, second = (add_user(running.app, email=email) for email in ("ann@example.org", "ANN@example.org"))
    bob = add_user(running.app, email="bob@example.org")
    album = add_album(running.app, second)
    photo = add_image(running.app, bob, album_id=album, s3_key=MISSING)
    running.follow()
    assert ("gallery_images", photo, "album_id", True) in running.issues()
    running.app.execute("DELETE FROM users WHERE id = %s", (first,))
    running.follow()
    assert running.issues() == {("gallery_images", photo, "s3_key", True)}
    running.check()


def test_an_object_that_comes_later_is_taken_when_its_row_is_tried_again(running: Running) -> None:
    photo = add_image(running.app, add_user(running.app), s3_key=MISSING)
    running.follow()
    assert running.photo(photo).state is PhotoState.FAILED
    put_object(running.objects, MISSING, "later")
    running.migration.applier.apply([("gallery_images", photo)])
    assert running.photo(photo).state is PhotoState.PENDING
    assert running.issues() == set()
    running.check()


def test_a_photo_with_another_object_or_owner_is_made_anew_under_the_same_id(running: Running) -> None:
    ann, bob = add_user(running.app), add_user(running.app)
    photo = add_photo(running.app, running.objects, ann)
    running.follow()
    before = running.photo(photo)
    put_object(running.objects, "images/other.jpg", "other")
    running.app.execute("UPDATE gallery_images SET s3_key = 'images/other.jpg' WHERE id = %s", (photo,))
    running.follow()
    running.check()
    running.app.execute("UPDATE gallery_images SET user_id = %s WHERE id = %s", (bob, photo))
    running.follow()
    running.check()
    after = running.photo(photo)
    assert (after.image_id, after.owner != before.owner) == (before.image_id, True)


def test_a_photo_keeps_its_id_when_the_time_of_its_row_and_its_owner_change(running: Running) -> None:
    ann, bob = add_user(running.app), add_user(running.app)
    photo = add_photo(running.app, running.objects, ann, created_at="2020-01-01 00:00+00")
    running.follow()
    before = running.photo(photo)
    change = "UPDATE gallery_images SET user_id = %s, created_at = '2021-01-01 00:00+00' WHERE id = %s"
    running.app.execute(change, (bob, photo))
    running.follow()
    running.check()
    assert running.photo(photo).image_id == before.image_id


def test_a_photo_in_the_trash_of_sparks_follows_its_row(running: Running) -> None:
    user = add_user(running.app)
    album = add_album(running.app, user)
    photo = add_photo(running.app, running.objects, user)
    running.follow()
    trash_photo(running.photo(photo), at=now(), table=running.stores.table)
    running.app.execute("UPDATE gallery_images SET album_id = %s, title = 'moved' WHERE id = %s", (album, photo))
    running.follow()
    running.check()


def test_a_key_that_changes_is_a_deletion_and_a_new_row(running: Running) -> None:
    user = add_user(running.app)
    photo = add_photo(running.app, running.objects, user)
    running.follow()
    running.app.execute("UPDATE gallery_images SET id = gen_random_uuid() WHERE id = %s", (photo,))
    running.follow()
    running.check()


def test_a_deleted_photo_that_comes_back_under_its_id_is_there_once(running: Running) -> None:
    user = add_user(running.app)
    photo = add_photo(running.app, running.objects, user)
    running.follow()
    running.app.execute("DELETE FROM gallery_images WHERE id = %s", (photo,))
    running.follow()
    running.check()
    add_photo(running.app, running.objects, user, id=photo)
    running.follow()
    running.check()


# -- Verification


def verify_now(running: Running) -> list[Any]:
    follower = Follower(running.migration)
    rows = {(row.system, row.old_id) for row in rows_with_issues(running.stores.table)}
    return follower.compare(rows, with_bytes=True)


def test_verify_finds_what_was_damaged_in_the_target_and_repairs_it(
    database: LegacyDatabase, tmp_path: Path, app: App
) -> None:
    stores, objects = memory_stores(), tmp_path / "objects"
    photos = add_some(app, objects, users=1, photos=4)
    with captured(database, objects, stores) as migration:
        backfill(migration)
        follow(migration)
        made = [migration.target.photo_of(migration.target.known("gallery_images", [each])[each]) for each in photos]
        damaged, lost, changed = (each for each in made[:3] if each is not None)
        stores.blobs.put(damaged.original_key or "", [b"other bytes"], content_type="image/jpeg")
        migration.target.remove_photo(
            migration.target.known("gallery_images", [lost.source_id or ""])[lost.source_id or ""]
        )
        trash_photo(changed, at=now(), table=stores.table)
    found = verify(stores)
    assert {(each.id, each.field) for each in found.differences} >= {
        (damaged.source_id, "object"),
        (lost.source_id, "row"),
    }
    assert (found.missing, found.extra) == (1, 0)
    assert verify(stores, repair=True).differences == []
    difference = checker_of(database, objects, stores).differences()
    assert not difference, "\n".join(difference)


# -- A target that throttles and conflicts


class Unreliable(TableWrapper):
    """A table that refuses some writes, before or after it has carried them out."""

    def __init__(self, seed: int) -> None:
        super().__init__(MemoryTable())
        self._choice = random.Random(seed)
        self.share = 0.0
        self.refused = 0

    def write(self, *changes: Change, token: str | None = None) -> None:
        chance = self._choice.random()
        if chance < self.share:
            self.refused += 1
            raise Busy("the table is throttled")
        super().write(*changes, token=token)
        if chance < 1.5 * self.share:
            self.refused += 1
            raise Conflict("the answer was lost, and the transaction conflicts with another one")


@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_lost_on_a_target_that_throttles_and_conflicts(
    database: LegacyDatabase, tmp_path: Path, app: App, seed: int
) -> None:
    table = Unreliable(seed)
    stores, objects = memory_stores(table), tmp_path / "objects"
    photos = add_some(app, objects, users=2, photos=10)
    with captured(database, objects, stores) as migration:
        table.share = 0.1
        tried(lambda: backfill(migration))
        app.execute("UPDATE gallery_images SET title = 'changed'")
        app.execute("DELETE FROM gallery_images WHERE id = ANY(%s)", (photos[::3],))
        tried(lambda: follow(migration))
        table.share = 0.0
        follow(migration)
    assert table.refused > 0
    assert verify(stores).differences == []
    found = checker_of(database, objects, stores).differences()
    assert not found, "\n".join(found)


def tried(run: Any, *, times: int = 200) -> None:
    """Runs the command again for as long as it fails, as an operator does."""
    for _ in range(times):
        try:
            run()
        except (Busy, Conflict):
            continue
        return
    raise AssertionError(f"it failed {times} times")
