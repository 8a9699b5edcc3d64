"""The audience of a photo, stated a second time as tables, and that no other module compares a visibility."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest

import sparks
from sparks.model.album import AlbumPhoto
from sparks.model.audience import (
    GuestReach,
    audience_key,
    audience_of,
    caller_reach,
    deciding_albums,
    is_community_value,
    is_for_community,
    is_in_album,
    is_in_community,
    is_kept,
    is_listed_in,
    is_shown,
    is_shown_in_album,
    link_reaches,
    listing_scopes,
    own_scopes,
    person_scopes,
    possible_scopes,
    reach_of,
    reaches,
    shows_cover,
)
from sparks.model.caller import ANONYMOUS
from sparks.model.photo import Photo, PhotoState, Visibility
from sparks.model.scope import Scope, scope_of_album, scope_of_owner, scope_of_private
from sparks.model.share import LinkPermission, who_is_guest
from tests.factories import ANN, BOB, NOON, a_photo
from tests.model.access_cases import ALBUM, SECOND, a_guest, a_member, cells_of, rows_of

OTHER: Final = "album2"
LETTERS: Final[dict[str, Scope]] = {
    "o": scope_of_owner(ANN),
    "p": scope_of_private(ANN),
    "a": scope_of_album(ALBUM),
    "c": Scope("ALL"),
}
VISIBILITY_IS_WRITTEN_IN: Final = {"model/audience.py", "model/photo.py", "uploads/upload_request.py"}


def photo_from(words: str, **changes: Any) -> Photo:
    """Ann's photo in one album; such as `ready private expired`."""
    state, visibility, *expiry = words.split()
    expires_at = {"expiring": NOON + SECOND, "ending": NOON, "expired": NOON - SECOND}
    return a_photo(
        owner=ANN,
        state=PhotoState[state.upper()],
        visibility=Visibility(visibility),
        albums=(ALBUM,),
        expires_at=expires_at[expiry[0]] if expiry else None,
        **changes,
    )


# -- The one module

SOURCE: Final = Path(sparks.__file__).parent


def test_only_the_audience_compares_a_visibility_with_the_community() -> None:
    named = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if "Visibility.COMMUNITY" in path.read_text(encoding="utf-8")
    }
    assert {name for name in named if not name.startswith("settings/")} == VISIBILITY_IS_WRITTEN_IN


@pytest.mark.parametrize("name", ["model/photo.py", "uploads/upload_request.py"])
def test_where_a_visibility_is_written_the_community_is_only_the_default(name: str) -> None:
    lines = (SOURCE / name).read_text(encoding="utf-8").split("\n")
    default = "visibility: Visibility = Visibility.COMMUNITY"
    assert [line.strip() for line in lines if "Visibility.COMMUNITY" in line] == [default]


# -- Scopes: (o)wner, (p)rivate, (a)lbum, (c)ommunity

SCOPES: Final = """
                              audience  listing  persons  possible
reserved community            o         -        -        oac
reserved private              o         -        -        oac
pending community             o         -        -        oac
pending private               o         -        -        oac
failed community              o         -        -        oac
failed private                o         -        -        oac
ready community               oac       oac      oac      oac
ready community expiring      oac       -        -        oac
ready community expired       oac       -        -        oac
ready private                 oa        oa       opa      oac
ready private expiring        oa        -        -        oac
ready private expired         oa        -        -        oac
trashed community             o         -        -        oac
trashed private               o         -        -        oac
trashed community expiring    o         -        -        oac
deleting community            o         -        -        oac
deleting private              o         -        -        oac
"""
SCOPES_BY: Final[dict[str, Callable[[Photo], frozenset[Scope]]]] = {
    "audience": audience_of,
    "listing": listing_scopes,
    "persons": person_scopes,
    "possible": possible_scopes,
}


@pytest.mark.parametrize(("row", "column", "cell"), cells_of(SCOPES))
def test_the_scopes_of_a_photo_follow_its_state_visibility_and_expiry(row: str, column: str, cell: str) -> None:
    assert SCOPES_BY[column](photo_from(row)) == {LETTERS[letter] for letter in cell if letter != "-"}


def test_a_photo_in_two_albums_is_in_the_scopes_of_both() -> None:
    photo = a_photo(state=PhotoState.READY, visibility=Visibility.PRIVATE, owner=ANN, albums=(ALBUM, OTHER))
    albums = {scope_of_album(ALBUM), scope_of_album(OTHER)}
    assert audience_of(photo) == listing_scopes(photo) == {scope_of_owner(ANN), *albums}
    assert person_scopes(photo) == {scope_of_owner(ANN), scope_of_private(ANN), *albums}


def test_a_photo_in_no_album_is_in_the_scopes_of_none() -> None:
    photo = a_photo(state=PhotoState.READY, owner=ANN, albums=())
    assert audience_of(photo) == listing_scopes(photo) == person_scopes(photo) == {LETTERS["o"], LETTERS["c"]}


# -- Questions about one photo

QUESTIONS: Final = """
                              for community  in community  in album  listed in album  shown  kept
reserved community            yes            -             -         -                -      yes
reserved private              -              -             -         -                -      yes
pending community             yes            -             -         -                -      yes
failed community              yes            -             -         -                -      yes
ready community               yes            yes           yes       yes              yes    yes
ready community expiring      yes            yes           yes       -                yes    yes
ready community ending        yes            yes           yes       -                -      -
ready community expired       yes            yes           yes       -                -      -
ready private                 -              -             yes       yes              yes    yes
ready private expiring        -              -             yes       -                yes    yes
ready private expired         -              -             yes       -                -      -
trashed community             yes            -             -         -                -      yes
trashed community expired     yes            -             -         -                -      -
trashed private               -              -             -         -                -      yes
deleting community            yes            -             -         -                -      -
deleting private              -              -             -         -                -      -
"""
ANSWERS: Final[dict[str, Callable[[Photo], bool]]] = {
    "for community": is_for_community,
    "in community": is_in_community,
    "in album": lambda photo: is_in_album(photo, ALBUM),
    "listed in album": lambda photo: is_listed_in(photo, ALBUM),
    "shown": lambda photo: is_shown(photo, NOON),
    "kept": lambda photo: is_kept(photo, NOON),
}


@pytest.mark.parametrize(("row", "column", "cell"), cells_of(QUESTIONS))
def test_each_question_about_a_photo_has_its_own_states_and_expiry(row: str, column: str, cell: str) -> None:
    assert ANSWERS[column](photo_from(row)) is (cell == "yes")


@pytest.mark.parametrize("row", [row for row, _ in rows_of(QUESTIONS)])
def test_an_album_shows_a_photo_that_is_in_it_and_has_not_expired(row: str) -> None:
    photo = photo_from(row)
    assert is_shown_in_album(photo, ALBUM, NOON) is (is_in_album(photo, ALBUM) and is_shown(photo, NOON))


def test_no_photo_is_in_an_album_that_its_row_does_not_name() -> None:
    photo = photo_from("ready community")
    assert not is_in_album(photo, OTHER)
    assert not is_shown_in_album(photo, OTHER, NOON)
    assert not is_listed_in(photo, OTHER)


@pytest.mark.parametrize("words", ["ready community", "ready private", "trashed community expired"])
def test_community_and_albums_are_in_the_audience_exactly_when_they_show_the_photo(words: str) -> None:
    photo = photo_from(words)
    assert is_in_community(photo) is (Scope("ALL") in audience_of(photo))
    assert is_in_album(photo, ALBUM) is (scope_of_album(ALBUM) in audience_of(photo))


@pytest.mark.parametrize(("stored", "expected"), [("community", True), ("private", False), ("", False), ("?", False)])
def test_an_unknown_visibility_is_not_for_the_community(stored: str, expected: bool) -> None:
    assert is_community_value(stored) is expected


# -- Albums' rows


@pytest.mark.parametrize(
    ("added_by", "visibility", "approved", "expected"),
    [
        (ANN, "community", True, True),
        (ANN, "private", True, True),
        (BOB, "community", True, True),
        (BOB, "private", True, False),
        (who_is_guest("guest1"), "private", True, True),
        (who_is_guest("guest2"), "private", True, False),
        (ANN, "community", False, False),
        (ANN, "private", False, False),
    ],
)
@pytest.mark.parametrize("state", ["reserved", "pending", "ready", "trashed"])
def test_an_album_row_shows_approved_photos_that_are_for_the_community_or_added_by_their_owner(
    state: str, added_by: str, visibility: str, approved: bool, expected: bool
) -> None:
    photo = photo_from(f"{state} {visibility}", guest_id="guest1")
    row = AlbumPhoto(
        image_id=photo.image_id, owner=ANN, album_id=ALBUM, added_by=added_by, added_at=NOON, approved=approved
    )
    assert row.shows(photo) is expected


# -- Callers


def test_a_member_sees_the_community_and_their_private_photos_without_any_album() -> None:
    assert own_scopes(a_member(BOB)) == (Scope("ALL"), scope_of_private(BOB))


def test_a_guest_sees_the_scope_of_the_album_of_the_link() -> None:
    assert own_scopes(a_guest()) == (scope_of_album(ALBUM),)


def test_an_anonymous_caller_sees_no_scope() -> None:
    assert own_scopes(ANONYMOUS) == ()


@pytest.mark.parametrize("state", PhotoState)
def test_albums_decide_only_for_members_who_are_not_the_owner_and_only_about_private_photos(state: PhotoState) -> None:
    private = replace(photo_from("ready private"), state=state)
    assert deciding_albums(a_member(BOB), private) == (ALBUM,)
    assert deciding_albums(a_member(ANN), private) == ()
    assert deciding_albums(a_member(BOB), replace(private, visibility=Visibility("community"))) == ()
    assert deciding_albums(a_guest(), private) == ()
    assert deciding_albums(ANONYMOUS, private) == ()


def test_photos_of_the_community_share_one_audience_key() -> None:
    photo = photo_from("ready community")
    assert audience_key(photo) == audience_key(replace(photo, owner=BOB, albums=(), state=PhotoState.TRASHED)) == ()


def test_private_photos_share_an_audience_key_when_they_have_the_same_owner_and_albums() -> None:
    photo = replace(photo_from("ready private"), albums=(ALBUM, OTHER))
    assert audience_key(photo) == audience_key(replace(photo, albums=(OTHER, ALBUM))) == (ANN, ALBUM, OTHER)
    assert audience_key(photo) != audience_key(replace(photo, owner=BOB))
    assert audience_key(photo) != audience_key(replace(photo, albums=(ALBUM,)))


# -- Guests

VIEW: Final = LinkPermission.VIEW
FIND: Final = LinkPermission.FIND


@pytest.mark.parametrize(
    ("allow", "link_persons", "guest_persons", "expected"),
    [
        ((VIEW,), (), (), GuestReach.ALL),
        ((VIEW, FIND), (), ("person1",), GuestReach.ALL),
        ((VIEW,), ("person1",), (), GuestReach.PERSONS),
        ((FIND,), (), (), GuestReach.NOTHING),
        ((FIND,), (), ("person1",), GuestReach.PERSONS),
        ((FIND,), ("person2",), ("person1",), GuestReach.PERSONS),
        ((LinkPermission.UPLOAD, LinkPermission.DOWNLOAD), (), ("person1",), GuestReach.NOTHING),
    ],
)
def test_the_reach_of_a_guest_follows_from_the_permissions_and_persons_of_the_link(
    allow: tuple[LinkPermission, ...],
    link_persons: tuple[str, ...],
    guest_persons: tuple[str, ...],
    expected: GuestReach,
) -> None:
    caller = a_guest(*allow, persons=link_persons)
    guest = replace(caller.guest, persons=guest_persons)
    assert reach_of(caller.link, guest, NOON) is expected
    later = replace(caller.link, reveal_at=NOON + timedelta(hours=1))
    assert reach_of(later, guest, NOON) is GuestReach.NOTHING
    assert reach_of(later, guest, NOON + timedelta(hours=1)) is expected


@pytest.mark.parametrize(
    ("allow", "link_persons", "guest_persons", "photo_persons", "expected"),
    [
        ((VIEW,), (), (), (), True),
        ((VIEW,), ("person1",), (), ("person1", "person2"), True),
        ((VIEW,), ("person1", "person2"), (), ("person1",), False),
        ((FIND,), (), ("person1",), ("person1",), True),
        ((FIND,), (), ("person1",), ("person2",), False),
        ((FIND,), (), (), ("person1",), False),
        ((FIND,), ("person2",), ("person1",), ("person1",), False),
        ((FIND,), ("person2",), ("person1",), ("person1", "person2"), True),
    ],
)
def test_a_guest_reaches_photos_that_show_all_persons_of_the_link_and_unless_it_allows_to_view_the_guest_too(
    allow: tuple[LinkPermission, ...],
    link_persons: tuple[str, ...],
    guest_persons: tuple[str, ...],
    photo_persons: tuple[str, ...],
    expected: bool,
) -> None:
    caller = a_guest(*allow, persons=link_persons)
    caller = replace(caller, guest=replace(caller.guest, persons=guest_persons))
    assert reaches(caller.link, caller.guest, photo_persons, NOON) is expected
    photo = photo_from("ready private", persons=photo_persons)
    assert link_reaches(caller, photo, NOON) is expected
    assert not link_reaches(caller, replace(photo, albums=(OTHER,)), NOON)


def test_a_member_sees_all_of_an_album_and_a_guest_what_the_link_reaches() -> None:
    assert caller_reach(a_member(BOB), NOON) is GuestReach.ALL
    assert caller_reach(a_guest(LinkPermission.VIEW), NOON) is GuestReach.ALL
    assert caller_reach(a_guest(LinkPermission.VIEW, persons=("person1",)), NOON) is GuestReach.PERSONS
    assert caller_reach(a_guest(LinkPermission.UPLOAD), NOON) is GuestReach.NOTHING


def test_a_link_shows_the_cover_before_it_is_opened_only_where_every_guest_sees_it() -> None:
    assert shows_cover(a_guest(LinkPermission.VIEW).link, NOON)
    assert not shows_cover(a_guest(LinkPermission.UPLOAD).link, NOON)
    assert not shows_cover(a_guest(LinkPermission.VIEW, persons=("person1",)).link, NOON)
    assert not shows_cover(a_guest(LinkPermission.VIEW, reveal_at=NOON + SECOND).link, NOON)
