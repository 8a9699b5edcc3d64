"""What holds of access whoever asks for whatever, however odd."""

from dataclasses import replace
from datetime import datetime

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sparks.model.access import RULES, Action, AskedAlbum, AskedPerson, AskedPhoto, AskedUser, What, authorize
from sparks.model.account import Role
from sparks.model.album import AlbumRole
from sparks.model.caller import ANONYMOUS, Credential, GuestCaller, Member, Who
from sparks.model.credential import KeyScope
from sparks.model.errors import NotAllowed, NotFound, NotSignedIn, SparksError
from sparks.model.photo import PhotoState, Visibility
from sparks.model.share import Guest, LinkPermission
from tests.factories import ANN, BOB, NOON, a_person, a_photo, a_user, an_album
from tests.model.asking import ALBUM, a_guest, a_member
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
asked_photos = st.builds(AskedPhoto, photos, st.frozensets(st.sampled_from(AlbumRole), max_size=2))
whats: st.SearchStrategy[What] = st.one_of(
    st.none(),
    asked_photos,
    st.builds(AskedPerson, st.builds(a_person, st.integers(1, 3)), st.frozensets(scopes, max_size=2)),
    st.builds(AskedAlbum, st.builds(an_album, album_id=albums), st.none() | st.sampled_from(AlbumRole)),
    st.builds(AskedUser, users),
)


def key_of(owner: Member, scopes: frozenset[KeyScope]) -> Member:
    return replace(owner, via=Credential("key", "id"), scopes=scopes)


def answer(who: Who, action: Action, what: What, at: datetime = NOON) -> str | None:
    """What they hear, word for word; None where they may."""
    try:
        authorize(who, action, what, at=at)
    except SparksError as error:
        return f"{type(error).__name__}: {error}"
    return None


@given(members, scope_sets, actions, whats)
def test_a_key_may_never_more_than_its_owner(
    owner: Member, held: frozenset[KeyScope], action: Action, what: What
) -> None:
    if answer(key_of(owner, held), action, what) is None:
        assert answer(owner, action, what) is None


@given(members, scope_sets, scope_sets, actions, whats)
def test_a_scope_less_never_allows_more(
    owner: Member, held: frozenset[KeyScope], more: frozenset[KeyScope], action: Action, what: What
) -> None:
    if answer(key_of(owner, held), action, what) is None:
        assert answer(key_of(owner, held | more), action, what) is None


@given(members, actions, asked_photos)
def test_an_administrator_does_no_more_with_photos_than_a_member(
    who: Member, action: Action, asked: AskedPhoto
) -> None:
    assume(not RULES[action].administrators)
    told = [answer(replace(who, user=replace(who.user, role=role)), action, asked) for role in Role]
    assert told[0] == told[1]


@given(actions, whats)
def test_whom_nobody_knows_gets_nowhere_but_to_what_is_open(action: Action, what: What) -> None:
    if action is not Action.VISIT:
        with pytest.raises(NotSignedIn):
            authorize(ANONYMOUS, action, what, at=NOON)


@given(members | guests, actions, asked_photos)
def test_a_photo_that_is_being_deleted_is_there_for_nobody(who: Who, action: Action, asked: AskedPhoto) -> None:
    gone = replace(asked, photo=replace(asked.photo, state=PhotoState.DELETING))
    with pytest.raises((NotFound, NotAllowed)) as refused:
        authorize(who, action, gone, at=NOON)
    if answer(who, action, None) is None:
        assert refused.type is NotFound


@given(members | guests, actions, whats)
def test_what_cannot_be_seen_is_told_in_the_same_words_whatever_it_is(who: Who, action: Action, what: What) -> None:
    told = answer(who, action, what)
    if told is not None and told.startswith("NotFound"):
        kind = type(what).__name__.removeprefix("Asked").lower()
        assert told == f"NotFound: there is no such {kind}, or it is not for you to see"


@given(members | guests, actions, whats, whats)
def test_whether_they_may_ask_does_not_depend_on_what_is_there(
    who: Who, action: Action, one: What, other: What
) -> None:
    """So nobody learns from a NotAllowed that something is there."""
    told = answer(who, action, None)
    if told is not None:
        assert answer(who, action, one) == answer(who, action, other) == told


@given(guests, asked_photos)
def test_a_guest_sees_nothing_but_what_the_link_leads_to(who: GuestCaller, asked: AskedPhoto) -> None:
    photo, link = asked.photo, who.link
    if answer(who, Action.SEE_PHOTO, asked) is not None:
        return
    if photo.guest_id == who.guest.guest_id:
        assert photo.state is not PhotoState.DELETING
        return
    assert link.album_id in photo.albums
    assert photo.state is PhotoState.READY
    assert link.reveal_at is None or link.reveal_at <= NOON
    assert set(link.persons) <= set(photo.persons)
    assert LinkPermission.VIEW in link.allow or set(who.guest.persons) & set(photo.persons)


@given(guests, actions, asked_photos)
def test_a_guest_changes_no_photo_but_their_own(who: GuestCaller, action: Action, asked: AskedPhoto) -> None:
    if answer(who, action, asked) is None and asked.photo.guest_id != who.guest.guest_id:
        assert action in {
            Action.SEE_PHOTO,
            Action.DOWNLOAD_ORIGINAL,
            Action.MARK_PHOTO,
            Action.SEE_PERSONS,
            Action.VISIT,
        }


@given(members, asked_photos)
def test_a_private_photo_is_seen_by_its_owner_and_in_its_albums_only(who: Member, asked: AskedPhoto) -> None:
    private = replace(asked, photo=replace(asked.photo, visibility=Visibility.PRIVATE))
    if answer(who, Action.SEE_PHOTO, private) is None:
        assert who.email == private.photo.owner or private.roles


def test_no_secret_is_in_what_is_printed_of_a_caller() -> None:
    assert "kept" not in repr((a_guest(password_hash="kept"), a_member()))
