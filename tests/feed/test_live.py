"""Live events: announced in scopes, and heard by whoever follows these."""

import uuid
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.feed.live import MOST_MISSED, OVERLAP, Heard, Tail, missed_since
from sparks.library import keys
from sparks.library.accounts import create_user
from sparks.library.live import KEPT, Named, announce, announce_in, announce_people
from sparks.library.records import from_item, to_item
from sparks.model import times
from sparks.model.ids import lowest_id_at, new_event_id
from sparks.model.keyring import Keyring
from sparks.model.ledger import LiveEvent
from sparks.model.photo import Photo, PhotoState, Visibility
from sparks.model.scope import COMMUNITY, Scope, scope_of_owner, scope_of_private
from sparks.table.memory import MemoryTable
from sparks.table.port import Put, Table, every
from tests.accounts import everything
from tests.factories import a_photo, a_user
from tests.traces import traces_of

KEYRING: Final = Keyring("test", {"test": b"t" * 32})
OTHER: Final = Keyring("other", {"other": b"o" * 32})
SECOND: Final = timedelta(seconds=1)


def a_scope() -> Scope:
    """Nobody else's: a table on a server is not empty."""
    return scope_of_owner(f"{uuid.uuid4()}@example.com")


def named(scope: Scope) -> Named:
    return Named(str(uuid.uuid4()), scope)


def follow(scope: Scope, table: Table, at: datetime | None = None) -> Tail:
    return Tail(scope, at=at or times.now(), table=table, keyring=KEYRING)


def tell(scope: Scope, table: Table, *, at: datetime | None = None) -> Named:
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


def photos(heard: list[Heard] | None) -> list[Named]:
    assert heard is not None
    return [each.photo for each in heard if each.photo is not None]


def scopes_told(photo: Photo, table: Table) -> set[str]:
    places = (scope_of_owner(photo.owner), COMMUNITY)
    return {scope for scope in places for _ in every(table, keys.events(scope))}


# -- Persons


def test_that_persons_are_others_now_names_nobody_and_reaches_everyone_once() -> None:
    """The community's tail is everyone's; scopes that no page follows are passed over."""
    table, scope = MemoryTable(), a_scope()
    create_user(a_user(scope), photos=1, bytes=1, table=table)
    tails = {each: follow(each, table) for each in (scope, COMMUNITY)}
    announce_people({scope_of_private(scope), scope}, at=times.now(), table=table)
    [heard] = tails[scope].read(times.now())
    assert heard.photo is None
    assert tails[COMMUNITY].read(times.now()) == []
    announce_people({COMMUNITY, scope}, at=times.now(), table=table)
    assert [each.photo for each in tails[COMMUNITY].read(times.now())] == [None]
    assert tails[scope].read(times.now()) == []


def test_nobody_is_told_of_persons_whose_account_is_gone() -> None:
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
def test_those_are_told_who_see_the_photo_or_saw_it(
    before: Photo | None, after: Photo | None, scopes: set[str]
) -> None:
    table = MemoryTable()
    announce(before, after, at=times.now(), table=table, keyring=KEYRING)
    assert scopes_told(a_photo(), table) == scopes


def test_an_event_tells_no_id_and_goes_after_an_hour() -> None:
    table, photo, at = MemoryTable(), a_photo(), times.now()
    announce(None, photo, at=at, table=table, keyring=KEYRING)
    rows = everything(table)
    assert len(rows) == 2
    assert traces_of(photo.image_id, table=table, blobs=MemoryBlobs()) == []
    assert {row["ttl"] for row in rows} == {times.unix(at + KEPT)}


# -- Following


def test_what_comes_is_heard_once_and_in_its_order(any_table: Table) -> None:
    scope = a_scope()
    tell(scope, any_table)
    tail = follow(scope, any_table)
    first, second = tell(scope, any_table), tell(scope, any_table)
    assert photos(tail.read(times.now())) == [first, second]
    third = tell(scope, any_table)
    assert photos(tail.read(times.now())) == [third]
    assert tail.read(times.now()) == []


def test_one_that_comes_late_is_heard_behind_those_it_sorts_before(any_table: Table) -> None:
    scope, at = a_scope(), times.now()
    tail = follow(scope, any_table)
    tell(scope, any_table, at=at)
    assert len(tail.read(at)) == 1
    late = tell(scope, any_table, at=at - OVERLAP + SECOND)
    assert photos(tail.read(at)) == [late]


@pytest.mark.parametrize("ahead", [-timedelta(hours=5), timedelta(hours=5)], ids=["behind", "ahead"])
def test_a_clock_that_is_hours_off_hears_all_the_same(ahead: timedelta) -> None:
    table, scope, at = MemoryTable(), a_scope(), times.now()
    tell(scope, table, at=at)
    tail = follow(scope, table, at + ahead)
    heard = [tell(scope, table, at=at + number * SECOND) for number in range(1, 4)]
    assert photos(tail.read(at + ahead)) == heard


def test_a_writer_whose_clock_is_hours_ahead_silences_nobody_else() -> None:
    table, scope, at = MemoryTable(), a_scope(), times.now()
    tail = follow(scope, table, at)
    tell(scope, table, at=at + timedelta(hours=5))
    tail.read(at)
    told = tell(scope, table, at=at + SECOND)
    assert photos(tail.read(at + SECOND)) == [told]


def test_an_event_whose_secret_is_out_of_use_is_passed_over() -> None:
    table, scope = MemoryTable(), a_scope()
    tail = Tail(scope, at=times.now(), table=table, keyring=OTHER)
    tell(scope, table)
    assert tail.read(times.now()) == []


# -- Taking it up again


def test_who_comes_back_is_told_what_happened_meanwhile(any_table: Table) -> None:
    mine, ours, at = a_scope(), a_scope(), times.now()
    tell(mine, any_table, at=at - timedelta(minutes=30))
    missed = [tell(mine, any_table, at=at - timedelta(minutes=5)), tell(ours, any_table, at=at)]
    position = lowest_id_at(at - timedelta(minutes=10))
    heard = missed_since(position, [mine, ours], at=at, table=any_table, keyring=KEYRING)
    assert photos(heard) == missed


def test_what_came_late_before_they_left_is_told_too() -> None:
    table, scope, at = MemoryTable(), a_scope(), times.now()
    late = tell(scope, table, at=at - OVERLAP + SECOND)
    assert photos(missed_since(lowest_id_at(at), [scope], at=at, table=table, keyring=KEYRING)) == [late]


@pytest.mark.parametrize("position", ["", "x", "null", "0" * 36, "00000000-0000-4000-8000-000000000000"])
def test_a_position_that_is_none_is_not_gone_on_from(position: str) -> None:
    assert missed_since(position, [COMMUNITY], at=times.now(), table=MemoryTable(), keyring=KEYRING) is None


def test_one_that_is_older_than_events_are_kept_is_not_gone_on_from() -> None:
    at = times.now()
    for age, is_good in [(KEPT - OVERLAP, True), (KEPT - OVERLAP + SECOND, False)]:
        heard = missed_since(lowest_id_at(at - age), [COMMUNITY], at=at, table=MemoryTable(), keyring=KEYRING)
        assert (heard == []) is is_good


def test_who_missed_too_much_begins_anew() -> None:
    table, scope, at = MemoryTable(), a_scope(), times.now()
    position = lowest_id_at(at)
    for _ in range(MOST_MISSED):
        tell(scope, table)
    assert len(missed_since(position, [scope], at=at, table=table, keyring=KEYRING) or []) == MOST_MISSED
    tell(scope, table)
    assert missed_since(position, [scope], at=at, table=table, keyring=KEYRING) is None
