"""Random programs of photos that come into albums and leave them, are hidden, thrown away and deleted, while people are
found in them, with rivals and power cuts.

At every moment an album counts what says it is counted, and a photo is in the albums that rows put it into. Once all is
settled, counts, months and persons are what a recount gives; once the albums are deleted, nothing of them is left, and
every photo is.
"""

from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from sparks.blobs.memory import MemoryBlobs
from sparks.library import keys
from sparks.library.albums.album_deletion import begin_album_deletion, delete_album_rows, remove_member_content
from sparks.library.albums.album_lookup import find_album
from sparks.library.albums.album_photos import AlbumPlacement, add_photo, approve_photo, remove_photo
from sparks.library.albums.members import remove_member, set_member
from sparks.library.people.apply_decision import reconcile_person
from sparks.library.people.face_assignment import assign_face, found_person
from sparks.library.people.face_rows import store_face
from sparks.library.people.person_decisions import merge_persons
from sparks.library.photo_deletion import delete_rows_and_blobs
from sparks.library.photo_followups import update_followups
from sparks.library.photos.edit_and_trash import edit_photo, restore_photo, trash_photo
from sparks.library.photos.photo_edit import PhotoEdit
from sparks.library.photos.photo_rows import find_photo
from sparks.model import ids
from sparks.model.album import Album, AlbumRole
from sparks.model.errors import BadInput, Conflict, NotFound, Unavailable
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo, Visibility
from sparks.sqlitefile import SqliteFile
from sparks.table.memory import MemoryTable
from sparks.table.port import Delete, Key, Table
from sparks.table.sqlite import SqliteTable
from tests.account_makers import everything, interrupted, keep
from tests.factories import ANN, BOB, NOON, a_face, a_photo
from tests.library.albums.rows import a_member_of, an_album_in, check_counts, check_settled
from tests.library.people import rows as people
from tests.library.tables import Meddled

PHOTOS: Final = {ids.new_image_id(): owner for owner in (ANN, ANN, BOB, BOB)}
KEYRING: Final = Keyring("test", {"test": b"t" * 32})
BLOBS: Final = MemoryBlobs()
REFUSALS: Final = (NotFound, Conflict, BadInput)

Deed = Callable[[Table], object]

image_ids = st.sampled_from(list(PHOTOS))
albums = st.integers(0, 1)


class Albums(RuleBasedStateMachine):
    """Ann and Bob have an album each; Bob is a member of Ann's, and she of his."""

    open_table: ClassVar[Callable[[], Table]] = MemoryTable

    def __init__(self) -> None:
        super().__init__()
        self.table: Table = type(self).open_table()
        self.persons: list[str] = []
        self.albums: list[Album] = []

    # -- What happens

    @initialize()
    def begin(self) -> None:
        self.albums = [an_album_in(self.table, owner) for owner in (ANN, BOB)]
        for image_id in PHOTOS:
            self.upload(image_id)
        for album, other in zip(self.albums, (BOB, ANN), strict=True):
            self.join(album, other)

    @rule(data=st.data())
    def act(self, data: st.DataObject) -> None:
        self.run(data.draw(self.deeds()), self.table)

    @rule(data=st.data())
    def act_while_somebody_else_does(self, data: st.DataObject) -> None:
        """Right before the first write, or a later one."""
        deed, rival = data.draw(self.deeds()), data.draw(self.deeds())
        pause = data.draw(st.integers(0, 2))
        rest: list[Callable[[], object]] = [lambda: None] * pause
        self.run(deed, Meddled(self.table, *rest, partial(self.run, rival, self.table)))

    @rule(data=st.data(), after=st.integers(0, 4))
    def act_until_the_power_is_cut(self, data: st.DataObject, after: int) -> None:
        with suppress(Unavailable):
            self.run(data.draw(self.deeds()), interrupted(self.table, after=after))

    @rule(image_id=image_ids)
    def upload(self, image_id: str) -> None:
        if find_photo(image_id, table=self.table) is not None:
            return
        photo = a_photo(image_id=image_id, owner=PHOTOS[image_id])
        keep(self.table, photo)
        face = a_face(photo, people.a_box(), embedding=b"vector")
        kept = store_face(face, at=NOON, table=self.table)
        if self.persons and len(self.persons) > 2:
            with suppress(*REFUSALS):
                assign_face(kept, self.persons[-1], at=NOON, table=self.table)
        elif (person := found_person(kept, at=NOON, table=self.table)) is not None:
            self.persons.append(person.person_id)

    @rule()
    def settle(self) -> None:
        for image_id in PHOTOS:
            self.follow(image_id, self.table)

    # -- Deeds

    def deeds(self) -> st.SearchStrategy[Deed]:
        """Each is one that a person does, or one that follows."""
        return st.one_of(
            st.builds(self.adding, image_ids, albums, st.sampled_from([ANN, BOB]), st.booleans()),
            st.builds(self.on_photo, st.just(approve_photo), image_ids, albums),
            st.builds(self.on_photo, st.just(remove_photo), image_ids, albums),
            st.builds(self.seeing, image_ids, st.sampled_from(Visibility)),
            st.builds(self.throwing, image_ids, st.sampled_from([trash_photo, restore_photo])),
            st.builds(self.deleting, image_ids),
            st.builds(self.following, image_ids),
            st.builds(self.leaving, albums),
            st.builds(self.merging, st.integers(0, 5), st.integers(0, 5)),
        )

    def adding(self, image_id: str, number: int, by: str, approved: bool) -> Deed:
        place = AlbumPlacement(album_id=self.albums[number].album_id, by=by, at=NOON, approved=approved)
        return lambda table: add_photo(self.photo(image_id, table), place, table=table)

    def on_photo(self, do: Callable[..., object], image_id: str, number: int) -> Deed:
        return lambda table: do(self.photo(image_id, table), self.albums[number].album_id, table=table)

    def seeing(self, image_id: str, visibility: Visibility) -> Deed:
        def see(table: Table) -> None:
            photo = self.photo(image_id, table)
            edit_photo(photo, PhotoEdit(visibility=visibility), version=photo.version, at=NOON, table=table)

        return see

    def throwing(self, image_id: str, do: Callable[..., object]) -> Deed:
        return lambda table: do(self.photo(image_id, table), at=NOON, table=table)

    def deleting(self, image_id: str) -> Deed:
        return lambda table: delete_rows_and_blobs(self.photo(image_id, table), table=table, blobs=BLOBS)

    def following(self, image_id: str) -> Deed:
        return lambda table: self.follow(image_id, table)

    def leaving(self, number: int) -> Deed:
        """And coming back."""
        album, other = self.albums[number], (BOB, ANN)[number]

        def leave(table: Table) -> None:
            remove_member(album, other, table=table)
            remove_member_content(album.album_id, other, table=table, blobs=BLOBS, keyring=KEYRING)
            self.join(album, other, table)

        return leave

    def merging(self, one: int, another: int) -> Deed:
        def merge(table: Table) -> None:
            first, second = self.persons[one % len(self.persons)], self.persons[another % len(self.persons)]
            merge_persons(first, second, who=ANN, at=NOON, table=table)
            reconcile_person(second, min_photos=people.FEW, table=table)

        return merge

    # -- Pieces

    def run(self, deed: Deed, table: Table) -> None:
        with suppress(*REFUSALS):
            deed(table)

    def join(self, album: Album, email: str, table: Table | None = None) -> None:
        user = a_member_of(self.table, email)
        set_member(album, user, AlbumRole.EDITOR, at=NOON, table=table or self.table)

    def follow(self, image_id: str, table: Table) -> None:
        owner = PHOTOS[image_id]
        update_followups(image_id, owner, min_photos=people.FEW, table=table, blobs=BLOBS, keyring=KEYRING)

    def photo(self, image_id: str, table: Table) -> Photo:
        photo = find_photo(image_id, table=table)
        if photo is None:
            raise NotFound(image_id)
        return photo

    # -- What holds

    @invariant()
    def counters_are_what_is_counted(self) -> None:
        items = everything(self.table)
        check_counts(items)
        people.check_counts(items)

    def teardown(self) -> None:
        if not self.albums:
            return
        self.finish_deletions()
        for _ in range(2):
            for image_id in PHOTOS:
                self.follow(image_id, self.table)
            for person_id in self.persons:
                reconcile_person(person_id, min_photos=people.FEW, table=self.table)
        check_settled(self.table, *self.albums)
        people.check_settled(self.table)
        photos = [image_id for image_id in PHOTOS if find_photo(image_id, table=self.table) is not None]
        self.delete_albums()
        assert [image_id for image_id in PHOTOS if find_photo(image_id, table=self.table) is not None] == photos
        for item in everything(self.table):
            self.table.write(Delete(Key(item["PK"], item["SK"])))

    def finish_deletions(self) -> None:
        """Those that the power was cut in: their rows lead there."""
        for image_id, owner in PHOTOS.items():
            photo = find_photo(image_id, table=self.table)
            if photo is not None and photo.state.name == "DELETING":
                delete_rows_and_blobs(photo, table=self.table, blobs=BLOBS)
            elif photo is None:
                assert self.table.get(keys.photo(image_id, owner)) is None

    def delete_albums(self) -> None:
        for album in self.albums:
            there = find_album(album.album_id, table=self.table)
            assert there is not None
            begin_album_deletion(there, at=NOON, table=self.table)
            delete_album_rows(album.album_id, at=NOON, table=self.table, blobs=BLOBS, keyring=KEYRING)
            left = [row for row in everything(self.table) if not row["PK"].startswith("EVENT#")]
            assert [row for row in left if album.album_id in str(row)] == []


def run(machine: type[Albums], *, examples: int, **more: Any) -> None:
    run_state_machine_as_test(machine, settings=settings(max_examples=examples, stateful_step_count=25, **more))


def test_random_programs_keep_the_counts_of_albums_true() -> None:
    run(Albums, examples=40, derandomize=True, database=None)


def test_random_programs_keep_the_counts_of_albums_true_on_sqlite(tmp_path: Path) -> None:
    with closing(SqliteFile(tmp_path / "sparks.db")) as file:

        class OnSqlite(Albums):
            open_table = lambda: SqliteTable(file)  # noqa: E731  emptied by each program's end

        run(OnSqlite, examples=5, derandomize=True, database=None)


@pytest.mark.long
def test_many_random_programs_keep_the_counts_of_albums_true() -> None:
    run(Albums, examples=1500)
