"""The access rules, stated a second time as tables: for guests of a link, and on persons, albums and users."""

from dataclasses import replace
from typing import Any, Final

import pytest

from sparks.model.access import (
    Action,
    AlbumResource,
    PersonResource,
    PhotoResource,
    UserResource,
    action_to_remove_member,
    may_add_photo,
    may_remove_comment,
    may_remove_photo,
)
from sparks.model.account import Role
from sparks.model.album import AlbumPhoto, AlbumRole, Comment
from sparks.model.caller import Caller, caller_name
from sparks.model.credential import KeyScope
from sparks.model.errors import NotAllowed, NotFound
from sparks.model.photo import PhotoState, Visibility
from sparks.model.scope import COMMUNITY, Scope, scope_of_album, scope_of_owner
from sparks.model.share import LinkPermission
from tests.factories import ANN, BOB, NOON, a_person, a_photo, a_user, an_album
from tests.model.access_cases import ALBUM, SECOND, a_guest, a_member, answer, cells_of

# -- Guests: what the link leads to

GUESTS: Final = """
                                 shown  not revealed  revealed  of one  of two
a photo of the album             yes    -             yes       -       -
of person1                       yes    -             yes       yes     -
of person1 and person2           yes    -             yes       yes     yes
their own                        yes    yes           yes       yes     yes
their own, elsewhere             yes    yes           yes       yes     yes
their own, unapproved            yes    yes           yes       yes     yes
their own, not finished          yes    yes           yes       yes     yes
their own, thrown away           -      -             -         -       -
another guest's, unapproved      -      -             -         -       -
another guest's                  yes    -             yes       -       -
"""
PHOTOS: Final[dict[str, dict[str, Any]]] = {
    "a photo of the album": {},
    "of person1": {"persons": ("person1",)},
    "of person1 and person2": {"persons": ("person2", "person1", "person3")},
    "their own": {"guest_id": "guest1"},
    "their own, elsewhere": {"guest_id": "guest1", "albums": ("album2",)},
    "their own, unapproved": {"guest_id": "guest1", "albums": ()},
    "their own, not finished": {"guest_id": "guest1", "state": PhotoState.PENDING},
    "their own, thrown away": {"guest_id": "guest1", "state": PhotoState.TRASHED},
    "another guest's, unapproved": {"guest_id": "guest2", "albums": ()},
    "another guest's": {"guest_id": "guest2"},
}
LINKS: Final[dict[str, dict[str, Any]]] = {
    "shown": {},
    "not revealed": {"reveal_at": NOON + SECOND},
    "revealed": {"reveal_at": NOON},
    "of one": {"persons": ("person1",)},
    "of two": {"persons": ("person1", "person2")},
}


@pytest.mark.parametrize(("row", "column", "cell"), cells_of(GUESTS))
def test_guests_see_photos_by_this_table(row: str, column: str, cell: str) -> None:
    changes = {"albums": (ALBUM,), "visibility": Visibility.PRIVATE, **PHOTOS[row]}
    guest = a_guest(**LINKS[column])
    assert answer(guest, Action.SEE_PHOTO, PhotoResource(a_photo(**changes))) is (None if cell == "yes" else NotFound)


FINDING: Final = """
                        found   other  nobody  before reveal
of them                 yes     -      -       -
of them and others      yes     yes    -       -
of others               -       yes    -       -
"""
FOUND: Final[dict[str, tuple[str, ...]]] = {"found": ("person1",), "other": ("person2",), "nobody": ()}
SHOWN: Final[dict[str, tuple[str, ...]]] = {
    "of them": ("person1",),
    "of them and others": ("person1", "person2"),
    "of others": ("person2",),
}


@pytest.mark.parametrize(("row", "column", "cell"), cells_of(FINDING))
def test_a_guest_who_may_only_find_sees_the_photos_that_show_them(row: str, column: str, cell: str) -> None:
    later: dict[str, Any] = {"reveal_at": NOON + SECOND} if column == "before reveal" else {}
    caller = a_guest(LinkPermission.FIND, LinkPermission.UPLOAD, **later)
    guest = replace(caller, guest=replace(caller.guest, persons=FOUND.get(column, ("person1",))))
    photo = a_photo(albums=(ALBUM,), visibility=Visibility.PRIVATE, persons=SHOWN[row])
    assert answer(guest, Action.SEE_PHOTO, PhotoResource(photo)) is (None if cell == "yes" else NotFound)


# -- Persons, albums, users

PERSONS: Final = """
                  member  guest  not revealed  of one  of another
nowhere           -       -      -             -       -
in the community  yes     -      -             -       -
of mine           yes     -      -             -       -
in the album      yes     yes    -             yes     -
in another album  yes     -      -             -       -
"""
SCOPES: Final = {
    "nowhere": frozenset(),
    "in the community": frozenset({COMMUNITY}),
    "of mine": frozenset({scope_of_owner(BOB)}),
    "in the album": frozenset({scope_of_album(ALBUM)}),
    "in another album": frozenset({scope_of_album("album2")}),
}
LOOKING: Final[dict[str, Caller]] = {
    "member": a_member(),
    "guest": a_guest(),
    "not revealed": a_guest(reveal_at=NOON + SECOND),
    "of one": a_guest(persons=("person1",)),
    "of another": a_guest(persons=("person2",)),
}


@pytest.mark.parametrize(("row", "column", "cell"), cells_of(PERSONS))
def test_persons_are_visible_by_this_table(row: str, column: str, cell: str) -> None:
    resource = PersonResource(a_person(1), SCOPES[row])
    assert answer(LOOKING[column], Action.SEE_PERSONS, resource) is (None if cell == "yes" else NotFound)


FORGETTING: Final = """
         themselves  member      administrator  key of theirs  people key
seen     yes         NotAllowed  yes            yes            NotAllowed
unseen   yes         NotFound    NotFound       NotFound       NotFound
"""
ASKING: Final[dict[str, Caller]] = {
    "themselves": a_member(),
    "member": a_member(),
    "administrator": a_member(BOB, Role.ADMIN),
    "key of theirs": replace(a_member(BOB, Role.ADMIN), scopes=frozenset({KeyScope.PEOPLE, KeyScope.ADMIN})),
    "people key": replace(a_member(BOB, Role.ADMIN), scopes=frozenset({KeyScope.PEOPLE})),
}


@pytest.mark.parametrize(("row", "column", "cell"), cells_of(FORGETTING))
def test_a_face_is_erased_for_its_person_or_an_administrator(row: str, column: str, cell: str) -> None:
    scopes = frozenset({COMMUNITY}) if row == "seen" else frozenset[Scope]()
    resource = PersonResource(a_person(1), scopes, is_caller=column == "themselves")
    expected = {"yes": None, "NotAllowed": NotAllowed, "NotFound": NotFound}[cell]
    assert answer(ASKING[column], Action.ERASE_FACE, resource) is expected


ALBUMS: Final = """
                                      owner  editor  contributor  viewer  guest
see an album                          yes    yes     yes          yes     yes
list photos                           yes    yes     yes          yes     -
see a timeline                        yes    yes     yes          yes     yes
download an original                  yes    yes     yes          yes     yes
see persons                           yes    yes     yes          yes     yes
find by a selfie                      yes    yes     yes          yes     yes
upload a photo                        yes    yes     yes          -       yes
add photos to an album                yes    yes     yes          -       -
take photos out of an album           yes    yes     yes          yes     yes
like or comment in an album           yes    yes     yes          yes     yes
remove a comment                      yes    yes     yes          yes     yes
see the members of an album           yes    yes     yes          yes     -
leave an album                        yes    yes     yes          yes     -
edit an album                         yes    yes     -            -       -
approve photos of an album            yes    -       -            -       -
manage members and links of an album  yes    -       -            -       -
delete a photo                        -      -       -            -       -
"""


@pytest.mark.parametrize(("row", "column", "cell"), cells_of(ALBUMS))
def test_actions_on_an_album_are_allowed_by_this_table(row: str, column: str, cell: str) -> None:
    role = None if column == "guest" else AlbumRole(column)
    who: Caller = a_guest() if role is None else a_member()
    resource = AlbumResource(an_album(album_id=ALBUM), role)
    assert answer(who, Action(row), resource) is (None if cell == "yes" else NotAllowed)


@pytest.mark.parametrize("caller", [a_member(), a_member(BOB, Role.ADMIN), a_guest(album_id="album2")])
def test_an_album_of_others_is_not_there(caller: Caller) -> None:
    assert answer(caller, Action.SEE_ALBUM, AlbumResource(an_album(album_id=ALBUM))) is NotFound


def test_a_user_who_is_being_removed_is_not_there() -> None:
    for who, action in ((a_member(), Action.SEE_USERS), (a_member(BOB, Role.ADMIN), Action.MANAGE_USERS)):
        assert answer(who, action, UserResource(a_user(ANN))) is None
        assert answer(who, action, UserResource(a_user(ANN, removed_at=NOON))) is NotFound


# -- Photos and comments within an album

WITHIN: Final = """
                             owner  editor  contributor  viewer
add a photo of theirs        yes    yes     yes          yes
add a photo of another user  yes    yes     -            -
remove what they own         yes    yes     yes          yes
remove what they added       yes    yes     yes          yes
remove what others added     yes    yes     -            -
remove a comment of theirs   yes    yes     yes          yes
remove a comment of another  yes    yes     -            -
"""


@pytest.mark.parametrize(("row", "column", "cell"), cells_of(WITHIN))
def test_who_may_change_a_photo_or_comment_within_an_album(row: str, column: str, cell: str) -> None:
    role, bob = AlbumRole(column), a_member(BOB)
    allowed = {
        "add a photo of theirs": may_add_photo(bob, role, a_photo(owner=BOB)),
        "add a photo of another user": may_add_photo(bob, role, a_photo(owner=ANN)),
        "remove what they own": may_remove_photo(bob, role, album_photo(owner=BOB, added_by=ANN)),
        "remove what they added": may_remove_photo(bob, role, album_photo(owner=ANN, added_by=BOB)),
        "remove what others added": may_remove_photo(bob, role, album_photo(owner=ANN, added_by=ANN)),
        "remove a comment of theirs": may_remove_comment(bob, role, a_comment(who=BOB)),
        "remove a comment of another": may_remove_comment(bob, role, a_comment(who=ANN)),
    }
    assert allowed[row] is (cell == "yes")


def test_a_guest_removes_only_what_they_added_and_wrote() -> None:
    guest = a_guest()
    assert may_remove_photo(guest, None, album_photo(owner=ANN, added_by=caller_name(guest)))
    assert not may_remove_photo(guest, None, album_photo(owner=ANN, added_by=ANN))
    assert may_remove_comment(guest, None, a_comment(who=caller_name(guest)))
    assert not may_remove_comment(guest, None, a_comment(who=ANN))


def test_a_member_leaves_an_album_and_needs_its_management_to_remove_others() -> None:
    assert action_to_remove_member(a_member(BOB), BOB) is Action.LEAVE_ALBUM
    assert action_to_remove_member(a_member(BOB), ANN) is Action.MANAGE_ALBUM
    assert action_to_remove_member(a_member(BOB), None) is Action.MANAGE_ALBUM


def album_photo(*, owner: str, added_by: str) -> AlbumPhoto:
    return AlbumPhoto(image_id="photo1", owner=owner, album_id=ALBUM, added_by=added_by, added_at=NOON)


def a_comment(*, who: str) -> Comment:
    return Comment(
        image_id="photo1", owner=ANN, album_id=ALBUM, created_at=NOON, comment_id="comment1", who=who, text="Nice"
    )
