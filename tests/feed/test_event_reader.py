"""Live events: announced in scopes, and received by the pages that follow these."""

import uuid
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.feed.event_reader import MAX_MISSED, OVERLAP, EventTail, ScopeEvent, missed_since
from sparks.library import keys
from sparks.library.accounts.lifecycle import create_user
from sparks.library.live_events import KEEP_FOR, EventPhoto, announce, announce_in, announce_people
from sparks.library.records import from_item, to_item
from sparks.model import times
from sparks.model.ids import lowest_id_at, new_event_id
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo, PhotoState, Visibility
from sparks.model.scope import COMMUNITY, Scope, scope_of_owner, scope_of_private
from sparks.model.system_records import LiveEvent
from sparks.table.memory import MemoryTable
from sparks.table.port import Put, Table, every
from tests.account_makers import everything
from tests.factories import a_photo, a_user
from tests.stored_traces import traces_of

KEYRING: Final = Keyring("test", {"test": b"t" * 32})
OTHER: Final = Keyring("other", {"other": b"o" * 32})
SECOND: Final = timedelta(seconds=1)


def a_scope() -> Scope:
    """A scope of this test alone, because a table on a server is not empty."""
    return scope_of_owner(f"{uuid.uuid4()}@example.com")


def named(scope: Scope) -> EventPhoto:
    return EventPhoto(str(uuid.uuid4()), scope)


def follow(scope: Scope, table: Table, at: datetime | None = None) -> EventTail:
    return EventTail(scope, at=at or times.now(), table=table, keyring=KEYRING)


def announce_photo(scope: Scope, table: Table, *, at: datetime | None = None) -> EventPhoto:
    """Announces a photo, by a clock that shows `at`."""
    photo = named(scope)
    if at is None:
        announce_in([scope], photo, at=times.now(), table=table, keyring=KEYRING)
    else:
        kept = MemoryTable()
        announce_in([scope], photo, at=at, table=kept, keyring=KEYRING)
        event = from_item(LiveEvent, everything(kept)[0])
        event_id = lowest_id_at(at)[:19] + new_event_id()[19:]
        table.write(Put(to_item(replace(event, event_id=event_id))))
    return photo


def photos(received: list[ScopeEvent] | None) -> list[EventPhoto]:
    assert received is not None
    return [each.photo for each in received if each.photo is not None]


def scopes_announced(photo: Photo, table: Table) -> set[str]:
    places = (scope_of_owner(photo.owner), COMMUNITY)
    return {scope for scope in places for _ in every(table, keys.events(scope))}


# -- Persons


def test_a_change_of_persons_names_no_person_and_reaches_each_user_once() -> None:
    """The community's tail is everyone's; scopes that no page follows are passed over."""
    table, scope = MemoryTable(), a_scope()
    create_user(a_user(scope), photos=1, bytes=1, table=table)
    tails = {each: follow(each, table) for each in (scope, COMMUNITY)}
    announce_people({scope_of_private(scope), scope}, at=times.now(), table=table)
    [received] = tails[scope].read(times.now())
    assert received.photo is None
    assert tails[COMMUNITY].read(times.now()) == []
    announce_people({COMMUNITY, scope}, at=times.now(), table=table)
    assert [each.photo for each in tails[COMMUNITY].read(times.now())] == [None]
    assert tails[scope].read(times.now()) == []


def test_a_removed_account_gets_no_event_of_persons() -> None:
    table, scope = MemoryTable(), a_scope()
    announce_people({scope}, at=times.now(), table=table)
    assert list(every(table, keys.events(scope))) == []


# -- Announcing


@pytest.mark.parametrize(
    ("before", "after", "scopes"),
    [
        (None, a_photo(), {"ann@example.com", "ALL"}),
        (None, a_photo(state=PhotoState.PENDING), {"ann@example.com"}),
        (None, a_photo(visibility=Visibility.PRIVATE), {"ann@example.com"}),
        (a_photo(), a_photo(visibility=Visibility.PRIVATE), {"ann@example.com", "ALL"}),
        (a_photo(), a_photo(state=PhotoState.TRASHED), {"ann@example.com", "ALL"}),
        (a_photo(), None, {"ann@example.com", "ALL"}),
        (a_photo(state=PhotoState.FAILED), None, {"ann@example.com"}),
    ],
)
def test_an_event_reaches_those_who_see_or_saw_the_photo(
    before: Photo | None, after: Photo | None, scopes: set[str]
) -> None:
    table = MemoryTable()
    announce(before, after, at=times.now(), table=table, keyring=KEYRING)
    assert scopes_announced(a_photo(), table) == scopes


def test_an_event_row_holds_no_photo_id_and_expires_after_an_hour() -> None:
    table, photo, at = MemoryTable(), a_photo(), times.now()
    announce(None, photo, at=at, table=table, keyring=KEYRING)
    rows = everything(table)
    assert len(rows) == 2
    assert traces_of(photo.image_id, table=table, blobs=MemoryBlobs()) == []
    assert {row["ttl"] for row in rows} == {times.unix(at + KEEP_FOR)}


# -- Following


def test_events_are_read_once_and_in_order(any_table: Table) -> None:
    scope = a_scope()
    announce_photo(scope, any_table)
    tail = follow(scope, any_table)
    first, second = announce_photo(scope, any_table), announce_photo(scope, any_table)
    assert photos(tail.read(times.now())) == [first, second]
    third = announce_photo(scope, any_table)
    assert photos(tail.read(times.now())) == [third]
    assert tail.read(times.now()) == []


def test_a_late_event_is_read_after_those_it_sorts_before(any_table: Table) -> None:
    scope, at = a_scope(), times.now()
    tail = follow(scope, any_table)
    announce_photo(scope, any_table, at=at)
    assert len(tail.read(at)) == 1
    late = announce_photo(scope, any_table, at=at - OVERLAP + SECOND)
    assert photos(tail.read(at)) == [late]


@pytest.mark.parametrize("ahead", [-timedelta(hours=5), timedelta(hours=5)], ids=["behind", "ahead"])
def test_a_reader_whose_clock_is_hours_off_misses_no_event(ahead: timedelta) -> None:
    table, scope, at = MemoryTable(), a_scope(), times.now()
    announce_photo(scope, table, at=at)
    tail = follow(scope, table, at + ahead)
    received = [announce_photo(scope, table, at=at + number * SECOND) for number in range(1, 4)]
    assert photos(tail.read(at + ahead)) == received


def test_a_writer_whose_clock_is_hours_ahead_hides_no_other_events() -> None:
    table, scope, at = MemoryTable(), a_scope(), times.now()
    tail = follow(scope, table, at)
    announce_photo(scope, table, at=at + timedelta(hours=5))
    tail.read(at)
    told = announce_photo(scope, table, at=at + SECOND)
    assert photos(tail.read(at + SECOND)) == [told]


def test_an_event_sealed_with_a_retired_secret_is_skipped() -> None:
    table, scope = MemoryTable(), a_scope()
    tail = EventTail(scope, at=times.now(), table=table, keyring=OTHER)
    announce_photo(scope, table)
    assert tail.read(times.now()) == []


# -- Taking it up again


def test_a_resumed_stream_gets_the_missed_events(any_table: Table) -> None:
    mine, ours, at = a_scope(), a_scope(), times.now()
    announce_photo(mine, any_table, at=at - timedelta(minutes=30))
    missed = [announce_photo(mine, any_table, at=at - timedelta(minutes=5)), announce_photo(ours, any_table, at=at)]
    position = lowest_id_at(at - timedelta(minutes=10))
    received = missed_since(position, [mine, ours], at=at, table=any_table, keyring=KEYRING)
    assert photos(received) == missed


def test_a_resumed_stream_gets_late_events_from_before_its_position() -> None:
    table, scope, at = MemoryTable(), a_scope(), times.now()
    late = announce_photo(scope, table, at=at - OVERLAP + SECOND)
    assert photos(missed_since(lowest_id_at(at), [scope], at=at, table=table, keyring=KEYRING)) == [late]


@pytest.mark.parametrize("position", ["", "x", "null", "0" * 36, "00000000-0000-4000-8000-000000000000"])
def test_a_stream_is_not_resumed_from_an_invalid_position(position: str) -> None:
    assert missed_since(position, [COMMUNITY], at=times.now(), table=MemoryTable(), keyring=KEYRING) is None


def test_a_stream_is_not_resumed_from_a_position_older_than_the_stored_events() -> None:
    at = times.now()
    for age, is_good in [(KEEP_FOR - OVERLAP, True), (KEEP_FOR - OVERLAP + SECOND, False)]:
        received = missed_since(lowest_id_at(at - age), [COMMUNITY], at=at, table=MemoryTable(), keyring=KEYRING)
        assert (received == []) is is_good


def test_a_stream_that_missed_too_many_events_is_not_resumed() -> None:
    table, scope, at = MemoryTable(), a_scope(), times.now()
    position = lowest_id_at(at)
    for _ in range(MAX_MISSED):
        announce_photo(scope, table)
    assert len(missed_since(position, [scope], at=at, table=table, keyring=KEYRING) or []) == MAX_MISSED
    announce_photo(scope, table)
    assert missed_since(position, [scope], at=at, table=table, keyring=KEYRING) is None
