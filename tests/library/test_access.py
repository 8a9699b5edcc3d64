"""What is loaded for `authorize`: by key, and no word more for what is hidden than for what is not there."""

from dataclasses import replace

import pytest

from sparks.library.access import photo_for, user_for
from sparks.library.accounts import begin_removal
from sparks.model import ids
from sparks.model.access import Action
from sparks.model.account import Role
from sparks.model.album import AlbumMember, AlbumRole
from sparks.model.caller import ANONYMOUS, Credential, Member, Who
from sparks.model.credential import KeyScope
from sparks.model.errors import NotAllowed, NotFound, NotSignedIn
from sparks.model.photo import Photo, PhotoState, Visibility
from sparks.table.memory import MemoryTable
from tests.accounts import an_account, keep
from tests.factories import ANN, BOB, NOON, a_photo, a_user

ANN_IN = Member(a_user(ANN), Credential("session", "1"))
BOB_IN = Member(a_user(BOB), Credential("session", "2"))
ADMIN_IN = Member(a_user(BOB, role=Role.ADMIN), Credential("session", "3"))
HIDDEN = a_photo(visibility=Visibility.PRIVATE, albums=("album1", "album2"))


def see(table: MemoryTable, who: Who, photo: Photo | str, action: Action = Action.SEE_PHOTO) -> Photo:
    image_id = photo if isinstance(photo, str) else photo.image_id
    return photo_for(who, action, image_id, at=NOON, table=table)


@pytest.fixture
def table() -> MemoryTable:
    table = MemoryTable()
    keep(table, HIDDEN)
    return table


def test_its_owner_gets_the_photo(table: MemoryTable) -> None:
    assert see(table, ANN_IN, HIDDEN) == HIDDEN


@pytest.mark.parametrize("role", AlbumRole)
def test_a_member_of_one_of_its_albums_gets_the_photo(table: MemoryTable, role: AlbumRole) -> None:
    keep(table, AlbumMember(album_id="album2", email=BOB, role=role))
    assert see(table, BOB_IN, HIDDEN) == HIDDEN


def test_who_leaves_the_album_or_whose_photo_does_is_out_at_once(table: MemoryTable) -> None:
    keep(table, AlbumMember(album_id="album2", email=BOB, role=AlbumRole.EDITOR))
    keep(table, replace(HIDDEN, albums=("album1",)))
    with pytest.raises(NotFound):
        see(table, BOB_IN, HIDDEN)


def test_what_is_hidden_and_what_is_not_there_are_told_in_the_same_words(table: MemoryTable) -> None:
    gone = a_photo(state=PhotoState.DELETING)
    keep(table, gone)
    words = set()
    for who in (BOB_IN, ADMIN_IN):
        for asked in (HIDDEN, gone, ids.new_image_id(), "no id", "", "x" * 5000, "\ud800", HIDDEN.image_id.upper()):
            with pytest.raises(NotFound) as refused:
                see(table, who, asked)
            words.add(str(refused.value))
    assert words == {"there is no such photo, or it is not for you to see"}


@pytest.mark.parametrize(
    ("who", "action", "error"),
    [
        (ANONYMOUS, Action.SEE_PHOTO, NotSignedIn),
        (replace(ANN_IN, scopes=frozenset({KeyScope.READ})), Action.EDIT_PHOTO, NotAllowed),
    ],
)
def test_who_may_not_ask_learns_nothing_of_what_there_is(
    table: MemoryTable, who: Who, action: Action, error: type[Exception]
) -> None:
    for asked in (HIDDEN, ids.new_image_id()):
        with pytest.raises(error):
            see(table, who, asked, action)


def test_what_is_seen_and_may_not_be_changed_is_not_allowed(table: MemoryTable) -> None:
    shown = a_photo()
    keep(table, shown)
    for action in (Action.EDIT_PHOTO, Action.TRASH_PHOTO, Action.DELETE_PHOTO):
        assert see(table, ANN_IN, shown, action) == shown
        with pytest.raises(
            NotAllowed, match=r"this photo is not yours: only its owner may (edit|trash or restore|delete) it"
        ):
            see(table, ADMIN_IN, shown, action)


# -- Users


def test_members_find_each_other_however_the_address_is_written(table: MemoryTable) -> None:
    user = an_account(table, BOB)
    assert user_for(ANN_IN, Action.SEE_USERS, f" {BOB.upper()}", at=NOON, table=table) == user


def test_who_is_not_there_any_more_and_who_never_was_are_told_alike(table: MemoryTable) -> None:
    an_account(table, BOB)
    begin_removal(BOB, table=table)
    for email in (BOB, "cyd@example.com", "no address", "", "\ud800@example.com"):
        with pytest.raises(NotFound, match=r"^there is no such user, or it is not for you to see$"):
            user_for(ANN_IN, Action.SEE_USERS, email, at=NOON, table=table)


def test_who_may_not_manage_users_does_not_learn_who_there_is(table: MemoryTable) -> None:
    an_account(table, BOB)
    for email in (BOB, "cyd@example.com", "no address"):
        with pytest.raises(NotAllowed):
            user_for(ANN_IN, Action.MANAGE_USERS, email, at=NOON, table=table)
