"""The access rules, stated a second time as tables: actions by caller, and actions on photos."""

from dataclasses import replace
from typing import Final

import pytest

from sparks.model.access import RULES, Action, PhotoResource, allows_action
from sparks.model.account import Role
from sparks.model.album import AlbumRole
from sparks.model.caller import ANONYMOUS, Caller, Credential, Member
from sparks.model.credential import KeyScope
from sparks.model.errors import NotAllowed, NotFound, NotSignedIn
from sparks.model.photo import PhotoState, Visibility
from sparks.model.share import LinkPermission
from tests.factories import ANN, BOB, NOON, a_photo
from tests.model.access_cases import ALBUM, a_guest, a_member, answer, cells_of, rows_of

# -- Who may ask at all

ASKING: Final = """
                                          anybody  guest      member  admin  key
visit                                     yes      yes        yes     yes    yes
sign out                                  -        -          yes     yes    -
see own account                           -        -          yes     yes    read
change own account                        -        -          yes     yes    edit
manage own sessions, keys and identities  -        -          yes     yes    -
see users                                 -        -          yes     yes    read
manage users                              -        -          -       yes    admin
manage invitations                        -        -          -       yes    admin
see the audit log                       -        -          -       yes    admin
see jobs                                  -        -          -       yes    admin
manage jobs                               -        -          -       yes    admin
see settings                              -        -          -       yes    admin
list photos                               -        -          yes     yes    read
see a timeline                            -        view       yes     yes    read
see a photo                               -        yes        yes     yes    read
download an original                      -        download   yes     yes    read
upload a photo                            -        upload     yes     yes    upload
edit a photo                              -        -          yes     yes    edit
trash or restore a photo                  -        -          yes     yes    edit
delete a photo                            -        upload     yes     yes    edit
mark a photo as a favorite                 -        view+find  yes     yes    edit
see persons                               -        view+find  yes     yes    read
name, merge or split persons              -        -          yes     yes    people
find by a selfie                          -        find       yes     yes    people
erase a face                              -        -          yes     yes    people
switch face detection               -        -          -       yes    admin
see an album                              -        yes        yes     yes    read
list albums                               -        -          yes     yes    read
see the members of an album               -        -          yes     yes    read
take photos out of an album               -        upload     yes     yes    edit
approve photos of an album                -        -          yes     yes    edit
like or comment in an album               -        view       yes     yes    edit
remove a comment                          -        view       yes     yes    edit
leave an album                            -        -          yes     yes    edit
create an album                             -        -          yes     yes    edit
add photos to an album                    -        -          yes     yes    edit
edit an album                             -        -          yes     yes    edit
manage members and links of an album      -        -          yes     yes    edit
stay as a guest                           -        yes        -       -      -
"""


def test_every_action_has_a_rule_and_a_row() -> None:
    assert set(RULES) == set(Action)
    assert sorted(row for row, _ in rows_of(ASKING)) == sorted(Action)


@pytest.mark.parametrize(("row", "column", "cell"), cells_of(ASKING))
def test_actions_are_allowed_to_callers_by_this_table(row: str, column: str, cell: str) -> None:
    action = Action(row)
    match column:
        case "anybody":
            assert answer(ANONYMOUS, action) is (None if cell == "yes" else NotSignedIn)
        case "guest":
            allowing = {each for each in LinkPermission if answer(a_guest(each), action) is None}
            assert allowing == (set(LinkPermission) if cell == "yes" else set(cell.split("+")) - {"-"})
        case "key":
            min_photos = {each for each in KeyScope if answer(a_member(BOB, Role.ADMIN, each), action) is None}
            assert min_photos == (set(KeyScope) if cell == "yes" else {cell} - {"-"})
        case role:
            assert answer(a_member(BOB, Role(role)), action) is (None if cell == "yes" else NotAllowed)


@pytest.mark.parametrize("action", [action for action, rule in RULES.items() if rule.administrators])
def test_a_members_key_does_not_allow_actions_of_administrators(action: Action) -> None:
    assert answer(a_member(BOB, Role.MEMBER, *KeyScope), action) is NotAllowed


@pytest.mark.parametrize("action", Action)
def test_a_token_of_an_issuer_allows_what_a_session_does_except_session_only_actions(action: Action) -> None:
    session = a_member(BOB, Role.ADMIN)
    if not RULES[action].members:
        pytest.skip("no member does this")
    token = replace(session, via=Credential("token", "subject"))
    only_sessions = RULES[action].scope is None and action is not Action.VISIT
    assert answer(session, action) is None
    assert answer(token, action) is (NotAllowed if only_sessions else None)
    assert allows_action(token, action) is not only_sessions


# -- Photos: who sees them

SEEING: Final = """
                        owner  other  admin  in album  guest  other guest
community               yes    yes    yes    yes       -      -
community, in album     yes    yes    yes    yes       yes    -
private                 yes    -      -      -         -      -
private, in album       yes    -      -      yes       yes    -
reserved                yes    -      -      -         -      -
reserved, over          -      -      -      -         -      -
pending                 yes    -      -      -         -      -
pending, in album       yes    -      -      -         -      -
failed                  yes    -      -      -         -      -
trashed                 yes    -      -      -         -      -
trashed, in album       yes    -      -      -         -      -
deleting                -      -      -      -         -      -
deleting, in album      -      -      -      -         -      -
community, over         -      -      -      -         -      -
in album, over          -      -      -      -         -      -
"""

CALLERS: Final[dict[str, Caller]] = {
    "owner": a_member(ANN),
    "other": a_member(BOB),
    "admin": a_member(BOB, Role.ADMIN),
    "in album": a_member("cyd@example.com"),
    "guest": a_guest(),
    "other guest": a_guest(album_id="album2"),
}
STATES: Final = {
    "reserved": PhotoState.RESERVED,
    "pending": PhotoState.PENDING,
    "failed": PhotoState.FAILED,
    "trashed": PhotoState.TRASHED,
    "deleting": PhotoState.DELETING,
}


def photo_resource(row: str, caller: str) -> PhotoResource:
    words = row.split(", ")
    albums = (ALBUM,) if "in album" in words else ()
    photo = a_photo(
        state=STATES.get(words[0], PhotoState.READY),
        visibility=Visibility.PRIVATE if "private" in words else Visibility.COMMUNITY,
        albums=albums,
        expires_at=NOON if "over" in words else None,
    )
    return PhotoResource(photo, frozenset({AlbumRole.VIEWER}) if albums and caller == "in album" else frozenset())


@pytest.mark.parametrize(("row", "caller", "cell"), cells_of(SEEING))
def test_photos_are_visible_to_callers_by_this_table(row: str, caller: str, cell: str) -> None:
    resource = photo_resource(row, caller)
    for action in (Action.SEE_PHOTO, Action.DOWNLOAD_ORIGINAL, Action.MARK_PHOTO):
        assert answer(CALLERS[caller], action, resource) is (None if cell == "yes" else NotFound)


@pytest.mark.parametrize("scopes", [(KeyScope.READ,), tuple(KeyScope)])
@pytest.mark.parametrize(("row", "caller", "cell"), cells_of(SEEING))
def test_a_key_sees_what_its_owner_sees(row: str, caller: str, cell: str, scopes: tuple[KeyScope, ...]) -> None:
    who = CALLERS[caller]
    if isinstance(who, Member):
        key = a_member(who.email, who.user.role, *scopes)
        assert answer(key, Action.SEE_PHOTO, photo_resource(row, caller)) is (None if cell == "yes" else NotFound)


# -- Photos: who does something with one that they see

DOING: Final = """
                              owner  other  admin  in album  guest
list photos                   yes    yes    yes    yes       -
see a photo                   yes    yes    yes    yes       yes
download an original          yes    yes    yes    yes       yes
mark a photo as a favorite     yes    yes    yes    yes       yes
see persons                   yes    yes    yes    yes       yes
name, merge or split persons  yes    yes    yes    yes       -
upload a photo                yes    -      -      -         -
edit a photo                  yes    -      -      -         -
trash or restore a photo      yes    -      -      -         -
delete a photo                yes    -      -      -         -
add photos to an album        yes    yes    yes    yes       -
"""


@pytest.mark.parametrize(("row", "caller", "cell"), cells_of(DOING))
def test_actions_on_a_visible_photo_are_allowed_by_this_table(row: str, caller: str, cell: str) -> None:
    resource = photo_resource("community, in album", caller)
    assert answer(CALLERS[caller], Action(row), resource) is (None if cell == "yes" else NotAllowed)


@pytest.mark.parametrize("role", AlbumRole)
def test_no_role_in_an_album_gives_a_right_to_change_its_photos(role: AlbumRole) -> None:
    resource = PhotoResource(a_photo(albums=(ALBUM,), visibility=Visibility.PRIVATE), frozenset({role}))
    assert answer(a_member(), Action.SEE_PHOTO, resource) is None
    for action in (Action.EDIT_PHOTO, Action.TRASH_PHOTO, Action.DELETE_PHOTO, Action.ADD_TO_ALBUM):
        assert answer(a_member(), action, resource) is NotAllowed
