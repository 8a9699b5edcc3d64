"""Properties of the access rules for arbitrary callers, actions and resources."""

from dataclasses import replace
from datetime import datetime

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sparks.model.access import (
    RULES,
    Action,
    AlbumResource,
    PersonResource,
    PhotoResource,
    Resource,
    UserResource,
    authorize,
)
from sparks.model.account import Role
from sparks.model.album import AlbumRole
from sparks.model.caller import ANONYMOUS, Caller, Credential, GuestCaller, Member
from sparks.model.credential import KeyScope
from sparks.model.errors import NotAllowed, NotFound, NotSignedIn, SparksError
from sparks.model.photo import PhotoState, Visibility
from sparks.model.share import Guest, LinkPermission
from tests.factories import ANN, BOB, NOON, a_person, a_photo, a_user, an_album
from tests.model.access_cases import ALBUM, a_guest, a_member
from tests.strategies import scopes

addresses = st.sampled_from([ANN, BOB])
albums = st.sampled_from([ALBUM, "album2"])
guest_ids = st.sampled_from(["guest1", "guest2"])
persons = st.lists(st.sampled_from(["person1", "person2"]), max_size=2).map(tuple)
times = st.sampled_from([None, NOON.replace(hour=11), NOON, NOON.replace(hour=13)])
actions = st.sampled_from(Action)
scope_sets = st.frozensets(st.sampled_from(KeyScope))

users = st.builds(a_user, addresses, role=st.sampled_from(Role), removed_at=times)
members = st.builds(Member, users, st.builds(Credential, st.sampled_from(["session", "token"]), st.just("id")))
guests = st.builds(
    lambda allow, guest_id, found, **changes: replace(
        a_guest(*allow, **changes),
        guest=Guest(link_id="link1", guest_id=guest_id, secret_hash="", created_at=NOON, persons=found),
    ),
    st.sets(st.sampled_from(LinkPermission), min_size=1),
    guest_ids,
    persons,
    album_id=albums,
    persons=persons,
    reveal_at=times,
)
photos = st.builds(
    a_photo,
    owner=addresses,
    state=st.sampled_from(PhotoState) | st.just(PhotoState.READY),
    visibility=st.sampled_from(Visibility),
    albums=st.lists(albums, max_size=2).map(tuple),
    persons=persons,
    guest_id=st.none() | guest_ids,
    expires_at=times,
)
asked_photos = st.builds(PhotoResource, photos, st.frozensets(st.sampled_from(AlbumRole), max_size=2))
whats: st.SearchStrategy[Resource] = st.one_of(
    st.none(),
    asked_photos,
    st.builds(PersonResource, st.builds(a_person, st.integers(1, 3)), st.frozensets(scopes, max_size=2)),
    st.builds(AlbumResource, st.builds(an_album, album_id=albums), st.none() | st.sampled_from(AlbumRole)),
    st.builds(UserResource, users),
)


def key_of(owner: Member, scopes: frozenset[KeyScope]) -> Member:
    return replace(owner, via=Credential("key", "id"), scopes=scopes)


def answer(caller: Caller, action: Action, resource: Resource, at: datetime = NOON) -> str | None:
    """The error with its message; None where the action is allowed."""
    try:
        authorize(caller, action, resource, at=at)
    except SparksError as error:
        return f"{type(error).__name__}: {error}"
    return None


@given(members, scope_sets, actions, whats)
def test_a_key_never_allows_more_than_its_owner(
    owner: Member, held: frozenset[KeyScope], action: Action, resource: Resource
) -> None:
    if answer(key_of(owner, held), action, resource) is None:
        assert answer(owner, action, resource) is None


@given(members, scope_sets, scope_sets, actions, whats)
def test_a_scope_less_never_allows_more(
    owner: Member, held: frozenset[KeyScope], more: frozenset[KeyScope], action: Action, resource: Resource
) -> None:
    if answer(key_of(owner, held), action, resource) is None:
        assert answer(key_of(owner, held | more), action, resource) is None


@given(members, actions, asked_photos)
def test_an_administrator_does_no_more_with_photos_than_a_member(
    caller: Member, action: Action, resource: PhotoResource
) -> None:
    assume(not RULES[action].administrators)
    error = [answer(replace(caller, user=replace(caller.user, role=role)), action, resource) for role in Role]
    assert error[0] == error[1]


@given(actions, whats)
def test_an_anonymous_caller_may_only_take_actions_open_to_everyone(action: Action, resource: Resource) -> None:
    if action is not Action.VISIT:
        with pytest.raises(NotSignedIn):
            authorize(ANONYMOUS, action, resource, at=NOON)


@given(members | guests, actions, asked_photos)
def test_a_photo_that_is_being_deleted_is_visible_to_no_caller(
    caller: Caller, action: Action, resource: PhotoResource
) -> None:
    gone = replace(resource, photo=replace(resource.photo, state=PhotoState.DELETING))
    with pytest.raises((NotFound, NotAllowed)) as refused:
        authorize(caller, action, gone, at=NOON)
    if answer(caller, action, None) is None:
        assert refused.type is NotFound


@given(members | guests, actions, whats)
def test_every_invisible_resource_gives_the_same_error(caller: Caller, action: Action, resource: Resource) -> None:
    error = answer(caller, action, resource)
    if error is not None and error.startswith("NotFound"):
        kind = type(resource).__name__.removesuffix("Resource").lower()
        assert error == f"NotFound: there is no such {kind}, or you may not see it"


@given(members | guests, actions, whats, whats)
def test_whether_an_action_is_allowed_at_all_does_not_depend_on_the_resource(
    caller: Caller, action: Action, one: Resource, other: Resource
) -> None:
    """So a NotAllowed does not reveal that a resource exists."""
    error = answer(caller, action, None)
    if error is not None:
        assert answer(caller, action, one) == answer(caller, action, other) == error


@given(guests, asked_photos)
def test_a_guest_sees_only_photos_that_the_link_reaches(caller: GuestCaller, resource: PhotoResource) -> None:
    photo, link = resource.photo, caller.link
    if answer(caller, Action.SEE_PHOTO, resource) is not None:
        return
    if photo.guest_id == caller.guest.guest_id:
        assert photo.state is not PhotoState.DELETING
        return
    assert link.album_id in photo.albums
    assert photo.state is PhotoState.READY
    assert link.reveal_at is None or link.reveal_at <= NOON
    assert set(link.persons) <= set(photo.persons)
    assert LinkPermission.VIEW in link.allow or set(caller.guest.persons) & set(photo.persons)


@given(guests, actions, asked_photos)
def test_a_guest_changes_no_photo_but_their_own(caller: GuestCaller, action: Action, resource: PhotoResource) -> None:
    if answer(caller, action, resource) is None and resource.photo.guest_id != caller.guest.guest_id:
        assert action in {
            Action.SEE_PHOTO,
            Action.DOWNLOAD_ORIGINAL,
            Action.MARK_PHOTO,
            Action.SEE_PERSONS,
            Action.VISIT,
        }


@given(members, asked_photos)
def test_a_private_photo_is_seen_by_its_owner_and_in_its_albums_only(caller: Member, resource: PhotoResource) -> None:
    private = replace(resource, photo=replace(resource.photo, visibility=Visibility.PRIVATE))
    if answer(caller, Action.SEE_PHOTO, private) is None:
        assert caller.email == private.photo.owner or private.roles


def test_the_repr_of_a_caller_holds_no_secret() -> None:
    assert "kept" not in repr((a_guest(password_hash="kept"), a_member()))
