"""Write guard: what people may change during a migration, and the entries that their changes leave for the mirror."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import Any, Final

import pytest

from sparks.library import entity_types, keys
from sparks.library.accounts.lifecycle import begin_removal, create_user, finish_removal
from sparks.library.accounts.users import rename_user, set_password
from sparks.library.albums.album_details import AlbumEdit, create_album, edit_album
from sparks.library.albums.album_photos import AlbumPlacement, add_photo, approve_photo, remove_photo
from sparks.library.photos.edit_and_trash import edit_photo, restore_photo, trash_photo
from sparks.library.photos.photo_edit import PhotoEdit
from sparks.library.photos.processing_state import begin_processing, fail_processing, retry_processing
from sparks.library.photos.reconcile_links import reconcile_links
from sparks.library.records import changes, from_item, key_of, to_item
from sparks.library.upload_limits.photo_usage import confirm_photo, release_photo, reserve_photo
from sparks.migrate.write_guard import SECONDS_HELD, TRIES, GuardedTable
from sparks.model.album import Album, AlbumMember, AlbumPhoto, AlbumRole, Comment
from sparks.model.errors import Busy, ConditionFailed, Migrating
from sparks.model.migration import (
    OUTBOX_SHARDS,
    MigrationPhase,
    MigrationState,
    MirrorOutboxEntry,
    WriteSide,
)
from sparks.model.photo import Photo, PhotoState, ProcessingStatus, Visibility
from sparks.model.scope import scope_of_owner
from sparks.model.stored import Stored
from sparks.table.memory import MemoryTable
from sparks.table.port import (
    MAX_CHANGES,
    Absent,
    Add,
    Change,
    Check,
    Delete,
    Equals,
    Item,
    Key,
    Present,
    Put,
    Set,
    Table,
    every,
)
from sparks.table.wrapper import TableWrapper
from tests.factories import ANN, BOB, NOON, a_photo, a_user, an_album

BEFORE_CUTOVER: Final = MigrationState(phase=MigrationPhase.BACKFILLED, writes=WriteSide.SOURCE)
DECIDED: Final = MigrationState(phase=MigrationPhase.BACKFILLED, writes=WriteSide.NEITHER)
AFTER_CUTOVER: Final = MigrationState(phase=MigrationPhase.CUTOVER, writes=WriteSide.TARGET)
FINISHED: Final = MigrationState(phase=MigrationPhase.FINISHED, writes=WriteSide.TARGET)
NOT_FOR_PEOPLE: Final = (BEFORE_CUTOVER, DECIDED)

source_writes = pytest.mark.parametrize("state", NOT_FOR_PEOPLE, ids=lambda state: state.writes)


class CountedReads(TableWrapper):
    """Counts the reads of the migration's state, and lets a test act right before a write."""

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self.reads = 0
        self.before_writes: list[Sequence[Change]] = []
        self.written: list[Sequence[Change]] = []

    def get(self, key: Key) -> Item | None:
        self.reads += key == keys.MIGRATION_STATE
        return super().get(key)

    def write(self, *changes: Change, token: str | None = None) -> None:
        if self.before_writes:
            self._table.write(*self.before_writes.pop(0))
        super().write(*changes, token=token)
        self.written.append(changes)


@pytest.fixture
def below() -> CountedReads:
    return CountedReads(MemoryTable())


@pytest.fixture
def table(below: CountedReads) -> GuardedTable:
    """Reads the state before every write."""
    return GuardedTable(below, clock=count(step=SECONDS_HELD).__next__)


def keep(table: CountedReads, *rows: Stored) -> None:
    for row in rows:
        table._table.write(Put(to_item(row)))


def outbox(table: Table) -> list[tuple[str, str, str | None, str | None]]:
    rows = [row for shard in range(OUTBOX_SHARDS) for row in every(table, keys.mirror_outbox(shard))]
    entries = sorted((from_item(MirrorOutboxEntry, row) for row in rows), key=lambda entry: entry.entry_id)
    return [(entry.kind.value, entry.id, entry.owner, entry.source_id) for entry in entries]


def migrated(**more: Any) -> Photo:
    return replace(a_photo(source_id="old", **more), file_size=1)


def edit(photo: Photo, table: Table) -> Photo:
    return edit_photo(photo, PhotoEdit(title="Sea"), version=photo.version, at=NOON, table=table)


# -- Without a migration


@pytest.mark.parametrize("state", [None, MigrationState(), FINISHED], ids=["no row", "none", "finished"])
def test_without_a_migration_every_write_passes_untouched(
    state: MigrationState | None, below: CountedReads, table: GuardedTable
) -> None:
    photo = migrated()
    keep(below, photo, *(() if state is None else (state,)))
    change = Set(key_of(photo), {"title": "Sea"})
    table.write(change, token="once")
    assert below.written == [(change,)]
    assert outbox(below) == []


def test_the_state_is_read_once_a_second(below: CountedReads) -> None:
    now = [0.0]
    table = GuardedTable(below, clock=lambda: now[0])
    for at in (0.0, 0.5, 0.99, 1.0, 1.5, 2.5):
        now[0] = at
        table.write(Put({"PK": "a", "SK": "b"}))
    assert below.reads == 3


# -- While the source takes writes


@source_writes
def test_changes_of_a_migrated_photo_are_refused(
    state: MigrationState, below: CountedReads, table: GuardedTable
) -> None:
    photo, trashed = migrated(), migrated(state=PhotoState.TRASHED, trashed_at=NOON)
    keep(below, state, photo, trashed)
    before = below.get(key_of(photo)), below.get(key_of(trashed))
    for edited in (
        PhotoEdit(title="x"),
        PhotoEdit(description="x"),
        PhotoEdit(alt_text="x"),
        PhotoEdit(tags=("x",)),
        PhotoEdit(visibility=Visibility.PRIVATE),
        PhotoEdit(taken_at=NOON),
    ):
        with pytest.raises(Migrating, match="change it there"):
            edit_photo(photo, edited, version=1, at=NOON, table=table)
    with pytest.raises(Migrating):
        trash_photo(photo, at=NOON, table=table)
    with pytest.raises(Migrating):
        restore_photo(trashed, at=NOON, table=table)
    for each in (photo, trashed):
        with pytest.raises(Migrating):
            release_photo(each, table=table)
    with pytest.raises(Migrating):
        table.write(Delete(key_of(photo)))
    with pytest.raises(Migrating):
        table.write(Put(to_item(photo)))
    assert (below.get(key_of(photo)), below.get(key_of(trashed))) == before
    assert below.written == []


@source_writes
def test_a_photo_that_was_uploaded_to_sparks_may_be_changed(
    state: MigrationState, below: CountedReads, table: GuardedTable
) -> None:
    photo = a_photo()
    keep(below, state, photo)
    edited = edit(photo, table)
    restore_photo(trash_photo(edited, at=NOON, table=table), at=NOON, table=table)
    table.write(Delete(key_of(photo)))
    assert below.get(key_of(photo)) is None
    assert outbox(below) == []


@source_writes
def test_processing_of_a_migrated_photo_goes_on(
    state: MigrationState, below: CountedReads, table: GuardedTable
) -> None:
    photo = migrated(state=PhotoState.PENDING, processing_status=ProcessingStatus.PENDING)
    keep(below, state, photo)
    begun = begin_processing(photo, at=NOON, table=table)
    failed = fail_processing(begun, "no", at=NOON, table=table)
    assert retry_processing(failed, at=NOON, table=table).state is PhotoState.PENDING
    ready = replace(failed, state=PhotoState.READY, processing_status=ProcessingStatus.COMPLETED)
    table.write(changes(failed, replace(ready, persons=("person1",), face_count=1, width=3)))
    reconcile_links(photo.image_id, ANN, table=table)
    assert below.get(keys.month_link(photo.image_id, scope_of_owner(ANN))) is not None


@source_writes
def test_an_upload_is_reserved_and_completed(state: MigrationState, below: CountedReads, table: GuardedTable) -> None:
    keep(below, state)
    create_user(a_user(), photos=5, bytes=100, table=table)
    reserved = a_photo(state=PhotoState.RESERVED, file_size=1)
    reserve_photo(reserved, table=table)
    pending = replace(reserved, state=PhotoState.PENDING)
    confirm_photo(reserved, pending, at=NOON, table=table)
    item = below.get(key_of(reserved))
    assert item is not None
    assert item["entityType"] == "IMAGE_PENDING"


@source_writes
def test_changes_of_a_migrated_album_are_refused(
    state: MigrationState, below: CountedReads, table: GuardedTable
) -> None:
    album = an_album(source_id="old")
    keep(below, state, album)
    for edited in (AlbumEdit(title="x"), AlbumEdit(description="x")):
        with pytest.raises(Migrating):
            edit_album(album, edited, at=NOON, table=table)
    with pytest.raises(Migrating):
        table.write(Set(key_of(album), {"deletingAt": "2025-08-01T12:00:00.000Z"}))
    table.write(Add(key_of(album), {"photoCount": 1}, {"coverImageId": "x"}))
    table.write(Set(key_of(album), {"order": "hand", "updatedAt": "2025-08-01T12:00:00.000Z"}))
    keep(below, a_user())
    create_album(a_user(), "Mine", at=NOON, table=table)


@source_writes
def test_a_migrated_photo_is_neither_put_into_an_album_nor_taken_out(
    state: MigrationState, below: CountedReads, table: GuardedTable
) -> None:
    photo, album, other = migrated(), an_album(source_id="old"), an_album()
    place = AlbumPlacement(album_id=album.album_id, by=ANN, at=NOON)
    keep(below, photo, album, other, *members(album, other))
    add_photo(photo, place, table=below)
    keep(below, state)
    with pytest.raises(Migrating):
        add_photo(photo, replace(place, album_id=other.album_id), table=table)
    with pytest.raises(Migrating):
        remove_photo(photo, album.album_id, table=table)
    with pytest.raises(Migrating):
        table.write(Delete(keys.album_photo(photo.image_id, album.album_id)))
    table.write(Set(keys.album_photo(photo.image_id, album.album_id), {"position": 3, "counted": True}))
    table.write(Delete(keys.album_photo(a_photo().image_id, album.album_id)))


def members(*albums: Album) -> list[AlbumMember]:
    return [AlbumMember(album_id=album.album_id, email=ANN, role=AlbumRole.OWNER) for album in albums]


@source_writes
def test_a_new_photo_may_be_put_into_a_migrated_album(
    state: MigrationState, below: CountedReads, table: GuardedTable
) -> None:
    photo, album = a_photo(), an_album(source_id="old")
    keep(below, state, photo, album, *members(album))
    add_photo(photo, AlbumPlacement(album_id=album.album_id, by=ANN, at=NOON), table=table)
    remove_photo(photo, album.album_id, table=table)


@source_writes
def test_what_is_being_deleted_may_be_deleted_completely(
    state: MigrationState, below: CountedReads, table: GuardedTable
) -> None:
    deleting, photo = migrated(state=PhotoState.DELETING), migrated()
    album, leaving = an_album(source_id="old"), an_album(source_id="old", deleting_at=NOON)
    removed = a_user(source_id="old", removed_at=NOON)
    rows = [
        AlbumPhoto(image_id=each.image_id, owner=ANN, album_id=within.album_id, added_by=ANN, added_at=NOON)
        for each, within in ((deleting, album), (photo, leaving))
    ]
    keep(below, state, deleting, photo, album, leaving, removed, *rows)
    reconcile_links(deleting.image_id, ANN, table=table)
    table.write(Delete(key_of(deleting)))
    remove_photo(photo, leaving.album_id, table=table)
    table.write(Delete(key_of(leaving)))
    release_photo(photo, Check(key_of(removed), (Equals("removedAt", "2025-08-01T12:00:00.000Z"),)), table=table)
    finish_removal(ANN, table=table)
    assert [below.get(key_of(row)) for row in (deleting, leaving, removed, *rows)] == [None] * 5


@source_writes
def test_the_name_and_the_removal_of_a_migrated_account_are_refused(
    state: MigrationState, below: CountedReads, table: GuardedTable
) -> None:
    keep(below, state, a_user(source_id="old"))
    with pytest.raises(Migrating):
        rename_user(ANN, "Anna", table=table)
    with pytest.raises(Migrating):
        begin_removal(ANN, table=table)
    set_password(ANN, "hash", table=table)
    create_user(a_user(BOB), photos=1, bytes=1, table=table)
    rename_user(BOB, "Bobby", table=table)
    begin_removal(BOB, table=table)
    finish_removal(BOB, table=table)
    assert below.get(keys.user(BOB)) is None


@source_writes
def test_comments_are_taken(state: MigrationState, below: CountedReads, table: GuardedTable) -> None:
    photo = migrated()
    keep(below, state, photo)
    table.write(Put(to_item(a_comment(photo))))
    assert outbox(below) == []


def a_comment(photo: Photo) -> Comment:
    return Comment(
        image_id=photo.image_id, owner=ANN, album_id="a1", created_at=NOON, comment_id="c1", who=BOB, text="Oh"
    )


# -- While Sparks takes writes


def test_each_change_by_people_leaves_an_entry_for_the_mirror(below: CountedReads, table: GuardedTable) -> None:
    photo, album = migrated(), an_album(source_id="old album")
    keep(below, AFTER_CUTOVER, photo, album, a_user(source_id="old user"))
    trash_photo(edit(photo, table), at=NOON, table=table)
    edit_album(album, AlbumEdit(title="x"), at=NOON, table=table)
    rename_user(ANN, "Anna", table=table)
    table.write(Delete(key_of(photo)))
    assert outbox(below) == [
        ("photo", photo.image_id, ANN, "old"),
        ("photo", photo.image_id, ANN, "old"),
        ("album", album.album_id, ANN, "old album"),
        ("user", ANN, None, "old user"),
        ("photo", photo.image_id, ANN, "old"),
    ]


def test_new_photos_albums_and_accounts_leave_an_entry_for_the_mirror(below: CountedReads, table: GuardedTable) -> None:
    keep(below, AFTER_CUTOVER)
    user = a_user()
    create_user(user, photos=5, bytes=100, table=table)
    reserved = a_photo(state=PhotoState.RESERVED, file_size=1)
    reserve_photo(reserved, table=table)
    assert outbox(below) == [("user", ANN, None, None)]
    confirm_photo(reserved, replace(reserved, state=PhotoState.PENDING), at=NOON, table=table)
    album = create_album(user, "Sea", at=NOON, table=table)
    table.write(Put(to_item(a_photo(image_id=reserved.image_id))))
    made = [("photo", reserved.image_id, ANN, None), ("album", album.album_id, ANN, None)]
    assert outbox(below)[1:] == [*made, made[0]]


def test_albums_and_comments_leave_an_entry_of_their_photo(below: CountedReads, table: GuardedTable) -> None:
    photo, album = migrated(), an_album()
    comment = a_comment(photo)
    keep(below, AFTER_CUTOVER, photo, album, *members(album))
    place = AlbumPlacement(album_id=album.album_id, by=ANN, at=NOON, approved=False)
    add_photo(photo, place, table=table)
    approve_photo(photo, album.album_id, table=table)
    remove_photo(photo, album.album_id, table=table)
    table.write(Put(to_item(comment)))
    table.write(Delete(key_of(comment)))
    table.write(Set(key_of(comment), {"text": "Ah"}))
    assert outbox(below) == [("photo", photo.image_id, ANN, "old")] * 5


def test_processing_leaves_no_entry(below: CountedReads, table: GuardedTable) -> None:
    photo = migrated(state=PhotoState.PENDING, processing_status=ProcessingStatus.PENDING)
    keep(below, AFTER_CUTOVER, photo)
    fail_processing(begin_processing(photo, at=NOON, table=table), "no", at=NOON, table=table)
    table.write(Put({"PK": photo.image_id, "SK": "TAG#sea"}), Check(key_of(photo), (Present(),)))
    assert outbox(below) == []


def test_a_refused_change_leaves_no_entry_and_is_reported_at_its_position(
    below: CountedReads, table: GuardedTable
) -> None:
    photo = migrated()
    keep(below, AFTER_CUTOVER, photo)
    with pytest.raises(ConditionFailed) as failed:
        table.write(Set(key_of(photo), {"title": "Sea"}), Put({"PK": "x", "SK": "y"}, (Present(),)))
    assert failed.value.position == 1
    assert outbox(below) == []


def test_a_full_transaction_has_its_entries_before_and_after(below: CountedReads, table: GuardedTable) -> None:
    photo = migrated()
    keep(below, AFTER_CUTOVER, photo)
    rest = [Put({"PK": "x", "SK": f"{n}"}) for n in range(MAX_CHANGES - 1)]
    table.write(Set(key_of(photo), {"title": "Sea"}), *rest)
    assert [len(written) for written in below.written] == [2, MAX_CHANGES, 1]
    assert outbox(below) == [("photo", photo.image_id, ANN, "old")] * 2


def test_a_transaction_with_just_enough_space_holds_its_entry(below: CountedReads, table: GuardedTable) -> None:
    photo = migrated()
    keep(below, AFTER_CUTOVER, photo)
    rest = [Put({"PK": "x", "SK": f"{n}"}) for n in range(MAX_CHANGES - 3)]
    table.write(Set(key_of(photo), {"title": "Sea"}), *rest)
    assert [len(written) for written in below.written] == [MAX_CHANGES]
    assert len(outbox(below)) == 1


def test_a_transaction_may_change_as_many_photos_as_it_holds(below: CountedReads, table: GuardedTable) -> None:
    photos = [migrated() for _ in range(MAX_CHANGES)]
    keep(below, AFTER_CUTOVER, *photos)
    table.write(*(Set(key_of(photo), {"title": "Sea"}) for photo in photos))
    assert len(outbox(below)) == 2 * MAX_CHANGES


def test_a_write_with_a_token_may_be_repeated(below: CountedReads, table: GuardedTable) -> None:
    photo = migrated()
    keep(below, AFTER_CUTOVER, photo)
    for _ in range(2):
        table.write(Add(keys.user(BOB), {"count": 1}), Set(key_of(photo), {"title": "Sea"}), token="once")
    counted = below.get(keys.user(BOB))
    assert counted is not None
    assert counted["count"] == 1
    assert set(outbox(below)) == {("photo", photo.image_id, ANN, "old")}


# -- Races


def test_a_change_that_is_overtaken_by_a_rollback_is_refused(below: CountedReads) -> None:
    photo = migrated()
    keep(below, AFTER_CUTOVER, photo)
    table = GuardedTable(below, clock=lambda: 0.0)
    below.before_writes = [(Put(to_item(BEFORE_CUTOVER)),)]
    with pytest.raises(Migrating):
        edit(photo, table)
    assert outbox(below) == []
    item = below.get(key_of(photo))
    assert item == to_item(photo)


@pytest.mark.parametrize("changes_before", [0, MAX_CHANGES - 1], ids=["with space", "full"])
def test_a_change_that_is_overtaken_by_the_cutover_is_mirrored(below: CountedReads, changes_before: int) -> None:
    photo = a_photo()
    keep(below, BEFORE_CUTOVER, photo)
    table = GuardedTable(below, clock=lambda: 0.0)
    below.before_writes = [(Put(to_item(AFTER_CUTOVER)),)]
    rest = [Put({"PK": "x", "SK": f"{n}"}) for n in range(changes_before)]
    table.write(*rest, Set(key_of(photo), {"title": "Sea"}))
    assert set(outbox(below)) == {("photo", photo.image_id, ANN, None)}


def test_a_write_with_a_token_that_is_overtaken_by_a_rollback_is_refused(below: CountedReads) -> None:
    photo = migrated()
    keep(below, AFTER_CUTOVER, photo)
    table = GuardedTable(below, clock=lambda: 0.0)
    below.before_writes = [(Put(to_item(DECIDED)),)]
    with pytest.raises(Migrating):
        table.write(Set(key_of(photo), {"title": "Sea"}), token="once")
    assert below.get(key_of(photo)) == to_item(photo)


def test_a_change_passes_when_the_migration_is_finished_at_the_same_moment(below: CountedReads) -> None:
    photo = migrated()
    keep(below, AFTER_CUTOVER, photo)
    table = GuardedTable(below, clock=lambda: 0.0)
    below.before_writes = [(Put(to_item(FINISHED)),)]
    assert edit(photo, table).title == "Sea"
    assert outbox(below) == []


def test_a_state_that_never_rests_is_busy(below: CountedReads) -> None:
    photo = a_photo()
    keep(below, BEFORE_CUTOVER, photo)
    table = GuardedTable(below, clock=lambda: 0.0)
    states = [AFTER_CUTOVER, BEFORE_CUTOVER] * TRIES
    below.before_writes = [(Put(to_item(state)),) for state in states]
    with pytest.raises(Busy):
        edit(photo, table)


def test_a_failed_condition_of_the_caller_is_not_taken_for_a_change_of_the_state(
    below: CountedReads, table: GuardedTable
) -> None:
    photo = a_photo()
    keep(below, BEFORE_CUTOVER, photo)
    with pytest.raises(ConditionFailed) as failed:
        table.write(Put(to_item(photo), (Absent(),)))
    assert failed.value.position == 0


def test_reads_of_all_kinds_pass(below: CountedReads, table: GuardedTable) -> None:
    photo = migrated()
    keep(below, BEFORE_CUTOVER, photo)
    key = key_of(photo)
    assert table.get(key) == to_item(photo)
    assert table.get_many([key]) == {key: to_item(photo)}
    assert table.query(entity_types.FEED).items == [to_item(photo)]
