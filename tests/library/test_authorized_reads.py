"""Reads with authorization: by key, with the same error for hidden and missing resources."""

from dataclasses import replace

import pytest

from sparks.library.accounts.lifecycle import begin_removal
from sparks.library.authorized_reads import photo_for, user_for
from sparks.model import ids
from sparks.model.access import Action
from sparks.model.account import Role
from sparks.model.album import AlbumMember, AlbumRole
from sparks.model.caller import ANONYMOUS, Caller, Credential, Member
from sparks.model.credential import KeyScope
from sparks.model.errors import NotAllowed, NotFound, NotSignedIn
from sparks.model.photo import Photo, PhotoState, Visibility
from sparks.table.memory import MemoryTable
from tests.account_makers import an_account, keep
from tests.factories import ANN, BOB, NOON, a_photo, a_user

ANN_IN = Member(a_user(ANN), Credential("session", "1"))
BOB_IN = Member(a_user(BOB), Credential("session", "2"))
ADMIN_IN = Member(a_user(BOB, role=Role.ADMIN), Credential("session", "3"))
HIDDEN = a_photo(visibility=Visibility.PRIVATE, albums=("album1", "album2"))


def see(table: MemoryTable, caller: Caller, photo: Photo | str, action: Action = Action.SEE_PHOTO) -> Photo:
    image_id = photo if isinstance(photo, str) else photo.image_id
    return photo_for(caller, action, image_id, at=NOON, table=table)


@pytest.fixture
def table() -> MemoryTable:
    table = MemoryTable()
    keep(table, HIDDEN)
    return table


def test_the_owner_gets_the_photo(table: MemoryTable) -> None:
    assert see(table, ANN_IN, HIDDEN) == HIDDEN


@pytest.mark.parametrize("role", AlbumRole)
def test_a_member_of_one_of_its_albums_gets_the_photo(table: MemoryTable, role: AlbumRole) -> None:
    keep(table, AlbumMember(album_id="album2", email=BOB, role=role))
    assert see(table, BOB_IN, HIDDEN) == HIDDEN


def test_a_member_loses_access_when_they_or_the_photo_leave_the_album(table: MemoryTable) -> None:
    keep(table, AlbumMember(album_id="album2", email=BOB, role=AlbumRole.EDITOR))
    keep(table, replace(HIDDEN, albums=("album1",)))
    with pytest.raises(NotFound):
        see(table, BOB_IN, HIDDEN)


def test_hidden_and_missing_photos_give_the_same_error(table: MemoryTable) -> None:
    gone = a_photo(state=PhotoState.DELETING)
    keep(table, gone)
    words = set()
    for who in (BOB_IN, ADMIN_IN):
        for image_id in (HIDDEN, gone, ids.new_image_id(), "no id", "", "x" * 5000, "\ud800", HIDDEN.image_id.upper()):
            with pytest.raises(NotFound) as refused:
                see(table, who, image_id)
            words.add(str(refused.value))
    assert words == {"there is no such photo, or you may not see it"}


@pytest.mark.parametrize(
    ("caller", "action", "error"),
    [
        (ANONYMOUS, Action.SEE_PHOTO, NotSignedIn),
        (replace(ANN_IN, scopes=frozenset({KeyScope.READ})), Action.EDIT_PHOTO, NotAllowed),
    ],
)
def test_a_caller_without_the_right_gets_the_same_error_for_existing_and_missing_photos(
    table: MemoryTable, caller: Caller, action: Action, error: type[Exception]
) -> None:
    for image_id in (HIDDEN, ids.new_image_id()):
        with pytest.raises(error):
            see(table, caller, image_id, action)


def test_changing_a_visible_photo_of_another_user_is_not_allowed(table: MemoryTable) -> None:
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


def test_removed_and_unknown_users_give_the_same_error(table: MemoryTable) -> None:
    an_account(table, BOB)
    begin_removal(BOB, table=table)
    for email in (BOB, "cyd@example.com", "no address", "", "\ud800@example.com"):
        with pytest.raises(NotFound, match=r"^there is no such user, or you may not see it$"):
            user_for(ANN_IN, Action.SEE_USERS, email, at=NOON, table=table)


def test_a_member_who_may_not_manage_users_does_not_learn_which_exist(table: MemoryTable) -> None:
    an_account(table, BOB)
    for email in (BOB, "cyd@example.com", "no address"):
        with pytest.raises(NotAllowed):
            user_for(ANN_IN, Action.MANAGE_USERS, email, at=NOON, table=table)
