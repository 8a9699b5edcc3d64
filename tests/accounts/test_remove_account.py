"""Removal of an account: nothing is left after any interruption, and other users lose nothing."""

from datetime import timedelta
from typing import NamedTuple

import pytest

from sparks.accounts import remove_account as account_removal
from sparks.accounts.remove_account import (
    PROGRESS_EVERY,
    close_account,
    removal_progress,
    remove_account,
    resume_removals,
)
from sparks.auth.account_creation import NewAccount, UploadAllowance, add_user
from sparks.auth.api_keys import authenticate_key, make_key
from sparks.auth.invitations import make_invitation
from sparks.auth.sessions import SessionLifetime, authenticate_session, open_session
from sparks.blobs.memory import MemoryBlobs
from sparks.jobs.memory import MemoryJobs
from sparks.jobs.port import Job, Jobs
from sparks.library import blob_keys, keys
from sparks.library.accounts.identities import link_identity
from sparks.library.accounts.users import find_identity, find_user
from sparks.library.albums.album_details import create_album
from sparks.library.albums.album_lookup import find_album
from sparks.library.albums.album_photos import AlbumPlacement, add_photo
from sparks.library.albums.comments import CommentAuthor, comment_on, comments_on, like_photo
from sparks.library.albums.members import set_member
from sparks.library.audit import page_of_entries
from sparks.library.live_events import announce, photo_of
from sparks.library.photo_followups import update_followups
from sparks.library.photos.photo_rows import find_photo
from sparks.library.records import from_item
from sparks.library.timeline_blobs import ScopeMonth, month_copy
from sparks.library.upload_limits.photo_usage import confirm_photo, reserve_photo
from sparks.model.account import Role, User
from sparks.model.album import AlbumMember, AlbumRole
from sparks.model.errors import Conflict, NotFound, NotSignedIn, Unavailable
from sparks.model.events import AccountRemovalBegun, UpkeepDue
from sparks.model.ids import new_image_id
from sparks.model.keyring import Keyring
from sparks.model.person import PersonInScope
from sparks.model.photo import PhotoState, Visibility
from sparks.model.photo_index import Favorite, MonthCounter, TagCounter
from sparks.model.scope import COMMUNITY, scope_of_owner
from sparks.model.system_records import LiveEvent
from sparks.table.memory import MemoryTable
from sparks.table.port import Item, Put, Table, every
from tests.account_makers import an_account, at_once, everything, hang, interrupted, keep, stored_keys
from tests.factories import ANN, BOB, NOON, a_photo
from tests.library.tables import Meddled, a_reservation, arrived

ISSUER = "https://id.example.com"
DAY = timedelta(days=1)
SPAN = SessionLifetime(DAY, DAY)
PICTURE = blob_keys.profile_picture("opaque")
CLOSED = AccountRemovalBegun(ANN)
KEYRING = Keyring("test", {"test": b"t" * 32})


@pytest.fixture
def blobs() -> MemoryBlobs:
    return MemoryBlobs()


def add_accounts(table: Table, blobs: MemoryBlobs, *, photos: int = 1) -> None:
    """Ann and Bob, each with rows of every kind."""
    for email in (ANN, BOB):
        add_account(table, blobs, email)
        for _ in range(photos - 1):
            hang(table, blobs, owner=email)
    blobs.put(PICTURE, [b"Ann"])


def add_account(table: Table, blobs: MemoryBlobs, email: str = ANN) -> None:
    picture = PICTURE if email == ANN else None
    user = an_account(table, email, with_password=False, role=Role.ADMIN, profile_picture=picture)
    link_identity(email, ISSUER, f"first of {email}", table=table)
    link_identity(email, ISSUER, f"second#of {email}", table=table)
    open_session(user, span=SPAN, at=NOON, table=table)
    make_key(user, name="backup", at=NOON, table=table)
    make_invitation(user, expires_at=NOON + DAY, at=NOON, table=table)
    scope = scope_of_owner(email)
    keep(
        table,
        AlbumMember(album_id="album1", email=email, role=AlbumRole.EDITOR),
        Favorite(image_id=new_image_id(), owner="cyd@example.com", who=email, created_at=NOON),
        PersonInScope(person_id="person1", scope=scope, listed=True),
        PersonInScope(person_id="person2", scope=scope),
        MonthCounter(scope=scope, month="2025-08", count=1),
        TagCounter(scope=scope, tag="sea", count=1),
    )
    for state in PhotoState:
        hang(table, blobs, owner=email, state=state)
    hang(table, blobs, owner=email, visibility=Visibility.PRIVATE, guest_id=f"guest of {email}")


def remove(event: AccountRemovalBegun, *, table: Table, blobs: MemoryBlobs, jobs: Jobs | None = None) -> None:
    remove_account(event, table=table, blobs=blobs, jobs=jobs or MemoryJobs(), keyring=KEYRING)


def resume(event: UpkeepDue, *, table: Table, blobs: MemoryBlobs) -> None:
    resume_removals(event, table=table, blobs=blobs, jobs=MemoryJobs(), keyring=KEYRING)


class Left(NamedTuple):
    """Counts of what is left of another user."""

    rows: int
    blobs: int


def left_of_bob(table: Table, blobs: MemoryBlobs) -> Left:
    return Left(len(rows_of(BOB, table)), len(stored_keys(blobs)))


def closed(table: Table) -> AccountRemovalBegun:
    return close_account(ANN, by=BOB, at=NOON, table=table)


def rows_of(email: str, table: Table) -> list[Item]:
    """All rows that name the address, except the audit log."""
    return [item for item in everything(table) if email in repr(item) and not item["PK"].startswith("AUDIT#")]


def test_nothing_is_left_of_a_removed_user_and_all_of_the_others(table: MemoryTable, blobs: MemoryBlobs) -> None:
    add_accounts(table, blobs)
    before = left_of_bob(table, blobs)
    remove(closed(table), table=table, blobs=blobs)
    assert rows_of(ANN, table) == []
    assert left_of_bob(table, blobs) == Left(before.rows, before.blobs // 2)
    assert PICTURE not in stored_keys(blobs)
    entries, _ = page_of_entries("2025-08", limit=20, after=None, table=table)
    assert (BOB, "user-removed", ANN) in [(entry.who, entry.action, entry.target) for entry in entries]
    with pytest.raises(NotFound, match="no removal of this account is running"):
        removal_progress(ANN, table=table)


def test_a_removal_that_is_interrupted_at_any_write_ends_as_an_uninterrupted_one() -> None:
    for writes in range(1000):
        table, blobs = MemoryTable(), MemoryBlobs()
        an_account(table, BOB, with_password=False, role=Role.ADMIN)
        add_account(table, blobs)
        event = closed(table)
        try:
            remove(event, table=interrupted(table, after=writes), blobs=blobs)
            is_through = True
        except Unavailable:
            is_through = False
            assert find_user(ANN, table=table) is None
            remove(event, table=table, blobs=blobs)
        assert (rows_of(ANN, table), stored_keys(blobs)) == ([], [])
        if is_through:
            return
    pytest.fail("it never ended")


def test_a_removal_that_is_interrupted_again_and_again_finishes(table: MemoryTable, blobs: MemoryBlobs) -> None:
    add_accounts(table, blobs)
    event = closed(table)
    for _ in range(500):
        try:
            remove(event, table=interrupted(table, after=3), blobs=blobs)
        except Unavailable:
            continue
        break
    assert rows_of(ANN, table) == []


def test_a_removal_reports_its_progress(table: MemoryTable, blobs: MemoryBlobs) -> None:
    an_account(table, with_password=False)
    for _ in range(PROGRESS_EVERY + 1):
        hang(table, blobs)
    event = close_account(ANN, by=BOB, at=NOON, table=table)
    assert (removal_progress(ANN, table=table).started_at, removal_progress(ANN, table=table).photos_removed) == (
        NOON,
        0,
    )
    seen = set()

    def look() -> None:
        seen.add(removal_progress(ANN, table=table).photos_removed)

    remove(event, table=Meddled(table, *[look] * 1000), blobs=blobs)
    assert seen == {0, PROGRESS_EVERY}
    assert rows_of(ANN, table) == []


def test_closing_an_account_again_returns_the_event_again_and_writes_nothing(table: MemoryTable) -> None:
    an_account(table, with_password=False)
    assert close_account(ANN, by=BOB, at=NOON, table=table) == CLOSED
    before = everything(table)
    assert close_account(ANN, by=BOB, at=NOON + DAY, table=table) == CLOSED
    assert everything(table) == before


def test_the_last_administrator_is_not_removed(table: MemoryTable) -> None:
    an_account(table, with_password=False, role=Role.ADMIN)
    before = everything(table)
    with pytest.raises(Conflict, match="last administrator"):
        close_account(ANN, by=ANN, at=NOON, table=table)
    assert everything(table) == before


def test_nothing_happens_where_no_removal_is_running(table: MemoryTable, blobs: MemoryBlobs) -> None:
    remove(CLOSED, table=table, blobs=blobs)
    add_accounts(table, blobs)
    before = (everything(table), stored_keys(blobs))
    remove(CLOSED, table=table, blobs=blobs)
    assert (everything(table), stored_keys(blobs)) == before


# -- The same address again


def come_back(table: Table) -> User:
    newcomer, allowance = NewAccount.called(ANN, None), UploadAllowance(photos=5, bytes=1000)
    return add_user(newcomer, allowance=allowance, by=BOB, at=NOON + DAY / 2, table=table)


def test_old_credentials_do_not_open_a_new_account_of_the_same_address(table: MemoryTable, blobs: MemoryBlobs) -> None:
    user = an_account(table, with_password=False)
    session = open_session(user, span=SPAN, at=NOON, table=table)
    _, key = make_key(user, name="backup", at=NOON, table=table)
    link_identity(ANN, ISSUER, "sub", table=table)
    keep(table, AlbumMember(album_id="album1", email=ANN, role=AlbumRole.OWNER))
    kept = [item for item in everything(table) if item["PK"].startswith(("SESSION#", "KEY#"))]
    remove(closed(table), table=table, blobs=blobs)
    come_back(table)
    for item in kept:  # as an index that is behind would have left them
        table.write(Put(item))
    at = NOON + DAY / 2
    with pytest.raises(NotSignedIn):
        authenticate_session(session.text, idle=DAY, at=at, table=table)
    with pytest.raises(NotSignedIn):
        authenticate_key(key, at=at, table=table)
    assert find_identity(ISSUER, "sub", table=table) is None
    assert table.get(keys.album_member("album1", ANN)) is None


def test_a_delayed_run_does_not_touch_a_new_account_of_the_same_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """At every write of the first run, the second one gets through and the address is registered anew."""
    monkeypatch.setattr(account_removal, "PROGRESS_EVERY", 1)
    for writes in range(1000):
        table, blobs = MemoryTable(), MemoryBlobs()
        an_account(table, BOB, with_password=False, role=Role.ADMIN)
        add_account(table, blobs)
        event, then = closed(table), []

        def overtake() -> None:
            remove(event, table=table, blobs=blobs)  # noqa: B023
            user = come_back(table)  # noqa: B023
            make_key(user, name="new", at=NOON + DAY, table=table)  # noqa: B023
            open_session(user, span=SPAN, at=NOON + DAY, table=table)  # noqa: B023
            for state in (PhotoState.READY, PhotoState.TRASHED, PhotoState.RESERVED):
                hang(table, blobs, state=state)  # noqa: B023
            then.extend([everything(table), stored_keys(blobs)])  # noqa: B023

        remove(event, table=Meddled(table, *[lambda: None] * writes, overtake), blobs=blobs)
        if not then:
            assert rows_of(ANN, table) == []
            return
        assert then == [everything(table), stored_keys(blobs)]
    pytest.fail("it never ended")


# -- Whatever else happens meanwhile


def test_an_upload_that_is_completed_during_the_removal_is_deleted_too(table: MemoryTable, blobs: MemoryBlobs) -> None:
    an_account(table, with_password=False)
    photos = [a_reservation(ANN, expires_at=NOON + DAY) for _ in range(3)]
    for photo in photos:
        reserve_photo(photo, table=table)
    closed_event = close_account(ANN, by=BOB, at=NOON, table=table)
    with pytest.raises(NotFound):
        reserve_photo(a_reservation(ANN), table=table)
    uploads = [lambda photo=photo: confirm_photo(photo, arrived(photo), at=NOON, table=table) for photo in photos]
    remove(closed_event, table=Meddled(table, *uploads), blobs=blobs)
    assert rows_of(ANN, table) == []


def test_two_concurrent_runs_both_finish(sqlite: Table, blobs: MemoryBlobs) -> None:
    add_accounts(sqlite, blobs, photos=5)
    of_bob = len(rows_of(BOB, sqlite))
    event = closed(sqlite)
    results = at_once(*[lambda: remove(event, table=sqlite, blobs=blobs)] * 3)
    assert results == [None] * 3
    assert rows_of(ANN, sqlite) == []
    assert len(rows_of(BOB, sqlite)) == of_bob


def test_an_interrupted_removal_is_resumed_by_upkeep_after_a_while(table: MemoryTable, blobs: MemoryBlobs) -> None:
    add_accounts(table, blobs)
    closed(table)
    resume(UpkeepDue(NOON + timedelta(minutes=59)), table=table, blobs=blobs)
    assert rows_of(ANN, table) != []
    resume(UpkeepDue(NOON + timedelta(hours=1)), table=table, blobs=blobs)
    assert rows_of(ANN, table) == []
    assert find_user(BOB, table=table) is not None


# -- Blobs, events, jobs and albums


def test_cached_months_of_the_user_are_deleted_too(table: MemoryTable, blobs: MemoryBlobs) -> None:
    add_accounts(table, blobs)
    copies = {
        email: month_copy(ScopeMonth(scope_of_owner(email), "2019-01"), 1, keyring=KEYRING) for email in (ANN, BOB)
    }
    for copy in copies.values():
        blobs.put(copy, [b"a month"])
    remove(closed(table), table=table, blobs=blobs)
    assert copies[ANN] not in stored_keys(blobs)
    assert copies[BOB] in stored_keys(blobs)


def test_live_events_of_the_user_are_deleted_too(table: MemoryTable, blobs: MemoryBlobs) -> None:
    add_accounts(table, blobs)
    for email in (ANN, BOB):
        announce(None, a_photo(owner=email), at=NOON, table=table, keyring=KEYRING)
    remove(closed(table), table=table, blobs=blobs)
    assert list(every(table, keys.events(scope_of_owner(ANN)))) == []
    assert len(list(every(table, keys.events(scope_of_owner(BOB))))) == 1


def test_jobs_about_the_users_photos_are_deleted_too(table: MemoryTable, blobs: MemoryBlobs) -> None:
    add_accounts(table, blobs)
    photos, jobs = [hang(table, blobs, owner=email) for email in (ANN, BOB)], MemoryJobs()
    for photo in photos:
        jobs.send(Job("make_renditions", {"image_id": photo.image_id, "owner": photo.owner}))
    remove(closed(table), table=table, blobs=blobs, jobs=jobs)
    assert [delivery.job.body["owner"] for delivery in jobs.receive(wait=0)] == [BOB]


def test_the_community_gets_events_for_the_deleted_photos(table: MemoryTable, blobs: MemoryBlobs) -> None:
    an_account(table, with_password=False)
    photo = hang(table, blobs)
    hang(table, blobs, visibility=Visibility.PRIVATE)
    remove(close_account(ANN, by=BOB, at=NOON, table=table), table=table, blobs=blobs)
    events = [from_item(LiveEvent, row) for row in every(table, keys.events(COMMUNITY))]
    assert [photo_of(event, keyring=KEYRING).image_id for event in events] == [photo.image_id]


def test_albums_of_the_user_are_deleted_and_other_albums_lose_the_users_content(
    table: Table, blobs: MemoryBlobs
) -> None:
    ann, bob = an_account(table, ANN), an_account(table, BOB)
    anns, bobs = create_album(ann, "Sea", at=NOON, table=table), create_album(bob, "Lake", at=NOON, table=table)
    set_member(anns, bob, AlbumRole.EDITOR, at=NOON, table=table)
    set_member(bobs, ann, AlbumRole.EDITOR, at=NOON, table=table)
    mine, his = hang(table, blobs, owner=ANN), hang(table, blobs, owner=BOB)
    for album in (anns, bobs):
        for photo in (mine, his):
            add_photo(photo, AlbumPlacement(album_id=album.album_id, by=photo.owner, at=NOON), table=table)
            update_followups(photo.image_id, photo.owner, table=table, blobs=blobs, keyring=KEYRING)
            like_photo(photo, album.album_id, CommentAuthor(ANN), at=NOON, table=table)
            comment_on(photo, album.album_id, "Hello", CommentAuthor(ANN), table=table)
            comment_on(photo, album.album_id, "Hello back", CommentAuthor(BOB), table=table)
    close_account(ANN, by=BOB, at=NOON, table=table)
    remove_account(CLOSED, table=table, blobs=blobs, jobs=MemoryJobs(), keyring=KEYRING)
    left = [row for row in everything(table) if not row["PK"].startswith(("AUDIT#", "EVENT#"))]
    assert [row for row in left if ANN in str(row) or anns.album_id in str(row)] == []
    lake, kept = find_album(bobs.album_id, table=table), find_photo(his.image_id, table=table)
    assert lake is not None
    assert kept is not None
    assert (lake.photo_count, lake.cover_image_id, kept.albums) == (1, his.image_id, (bobs.album_id,))
    assert [each.text for each in comments_on(his.image_id, bobs.album_id, limit=9, after=None, table=table)[0]] == [
        "Hello back"
    ]
