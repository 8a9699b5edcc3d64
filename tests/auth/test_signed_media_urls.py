"""Signed URLs of renditions: one signature a photo, every bit counts, and it is valid after a rotation of secrets."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import combinations, product
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparks.auth.signed_media_urls import (
    PURPOSE,
    MediaGrant,
    Viewer,
    ViewerKind,
    media_urls,
    sign_media,
    verify_media,
    viewer_of,
)
from sparks.model.caller import Credential, GuestCaller, Member
from sparks.model.errors import BadInput, BadSignature
from sparks.model.ids import new_image_id
from sparks.model.keyring import Keyring
from sparks.model.photo import Rendition
from sparks.model.share import Guest, ShareLink
from sparks.model.times import from_unix
from tests.factories import NOON, a_user

DAY = timedelta(days=1)
QUARTER_HOUR = timedelta(minutes=15)
RING = Keyring("old", {"old": b"o" * 32})
ROTATED = Keyring("new", {"old": b"o" * 32, "new": b"n" * 32})
AFTER_ROTATION = Keyring("new", {"new": b"n" * 32})
IMAGE, OTHER_IMAGE = "0198653a-6ebd-7f4e-8000-1f2e3d4c5b6a", "0198653a-6ebd-7f4e-8000-1f2e3d4c5b6b"
SESSION = Viewer(ViewerKind.SESSION, "c4x1r8t0w2y3z5a6b7c8")
KEY = Viewer(ViewerKind.KEY, "k1k2k3k4k5k6k7k8k9k0")
TOKEN = Viewer(ViewerKind.TOKEN, "auth0|5f7c8ec7c33c6c004bbafe82 é/+&=?#")
GUEST = Viewer(ViewerKind.GUEST, "link0000000000000000_guest000000000000000")

viewers = st.sampled_from([SESSION, KEY, TOKEN, GUEST])
times = st.datetimes(
    datetime(2020, 1, 1),  # noqa: DTZ001  hypothesis wants its bounds naive
    datetime(2100, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)


def signed(image_id: str = IMAGE, viewer: Viewer = SESSION, *, now: datetime = NOON, keyring: Keyring = RING) -> str:
    return sign_media(image_id, viewer, now=now, keyring=keyring)


def grant(query: str, image_id: str = IMAGE, *, now: datetime = NOON, keyring: Keyring = RING) -> MediaGrant:
    return verify_media(image_id, query, now=now, keyring=keyring)


def refuse(query: str, image_id: str = IMAGE, *, now: datetime = NOON, keyring: Keyring = RING) -> None:
    with pytest.raises(BadSignature):
        grant(query, image_id, now=now, keyring=keyring)


def test_every_rendition_of_a_photo_has_a_url_on_this_site() -> None:
    urls = media_urls(IMAGE, SESSION, now=NOON, keyring=RING)
    assert set(urls) == {"large", "medium", "thumb"} == set(Rendition)
    for size, url in urls.items():
        path, _, query = url.partition("?")
        assert path == f"/media/{IMAGE}/{size}"
        assert query == signed()


def test_a_url_holds_its_photo_its_viewer_and_its_end() -> None:
    for viewer in (SESSION, KEY, TOKEN, GUEST):
        found = grant(signed(viewer=viewer))
        assert (found.image_id, found.viewer) == (IMAGE, viewer)
        assert found.until > NOON


def test_urls_of_earlier_versions_stay_valid() -> None:
    """A fixed answer: what a browser was given stays good over an update of Sparks."""
    query = (
        "viewer=s.c4x1r8t0w2y3z5a6b7c8&until=1754164185&by=old&signature=27XxrIGG6UOUDBDCYZFBHdERJVLIbb4NP-2KpF8dACI"
    )
    assert signed() == query


def test_a_url_needs_no_quoting() -> None:
    for viewer in (SESSION, KEY, TOKEN, GUEST):
        assert re.fullmatch(r"[A-Za-z0-9_.&=-]+", signed(viewer=viewer))


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=75))
def test_the_subject_of_a_token_may_be_any_text(subject: str) -> None:
    viewer = Viewer(ViewerKind.TOKEN, subject)
    assert grant(signed(viewer=viewer)).viewer == viewer


@pytest.mark.parametrize(
    "viewer",
    [Viewer(ViewerKind.GUEST, name) for name in ("", "a&until=9", "é", "a" * 401)]
    + [Viewer(ViewerKind.TOKEN, ""), Viewer(ViewerKind.TOKEN, "a" * 500)],
)
def test_a_viewer_that_does_not_fit_into_a_url_is_not_signed(viewer: Viewer) -> None:
    with pytest.raises(BadInput):
        signed(viewer=viewer)


def test_the_credential_of_the_caller_is_the_viewer() -> None:
    for via in (Credential("session", "id"), Credential("key", "id"), Credential("token", "id")):
        assert viewer_of(Member(a_user(), via)) == Viewer(ViewerKind[via.kind.upper()], "id")
    link = ShareLink(
        link_id="l1", album_id="a1", secret_hash="", allow=frozenset(), created_by="ann@example.com", created_at=NOON
    )
    guest = Guest(link_id="l1", guest_id="g1", secret_hash="", created_at=NOON)
    assert viewer_of(GuestCaller(link, guest)) == Viewer(ViewerKind.GUEST, "l1_g1")


def test_a_page_costs_one_signature_a_photo() -> None:
    made: list[str] = []

    class Counting(Keyring):
        def signer(self, purpose: str) -> Callable[[bytes], str]:
            def sign(message: bytes) -> str:
                made.append(purpose)
                return super(Counting, self).signer(purpose)(message)

            return sign

    ring = Counting(RING.current, RING.secrets)
    page = [media_urls(new_image_id(), SESSION, now=NOON, keyring=ring) for _ in range(100)]
    assert made == [PURPOSE] * 100
    assert len({url for urls in page for url in urls.values()}) == 300


# -- How long


@given(st.uuids().map(str), viewers, times)
def test_a_url_is_valid_for_one_to_two_periods(image_id: str, viewer: Viewer, now: datetime) -> None:
    period = DAY if viewer in (SESSION, KEY) else QUARTER_HOUR
    left = grant(signed(image_id, viewer, now=now), image_id, now=now).until - now
    assert period - timedelta(seconds=1) < left <= 2 * period


@given(st.uuids().map(str), viewers, times)
def test_a_photo_keeps_its_url_for_a_period(image_id: str, viewer: Viewer, now: datetime) -> None:
    period = DAY if viewer in (SESSION, KEY) else QUARTER_HOUR
    query = signed(image_id, viewer, now=now)
    changes = grant(query, image_id, now=now).until - period
    assert signed(image_id, viewer, now=changes - timedelta(seconds=1)) == query
    assert signed(image_id, viewer, now=changes - period) == query
    assert signed(image_id, viewer, now=changes) != query
    assert signed(image_id, viewer, now=changes - period - timedelta(seconds=1)) != query


def test_urls_of_photos_change_at_different_times() -> None:
    ends = {grant(signed(image_id), image_id).until for image_id in (new_image_id() for _ in range(100))}
    assert len(ends) > 90
    assert max(ends) - min(ends) > DAY / 2


def test_a_url_expires() -> None:
    query = signed()
    until = grant(query).until
    assert grant(query, now=until - timedelta(milliseconds=1)).until == until
    refuse(query, now=until)
    refuse(query, now=until + timedelta(days=400))


# -- As it was made


def test_every_bit_of_a_query_counts() -> None:
    query = signed()
    for position, bit in product(range(len(query)), range(8)):
        refuse(query[:position] + chr(ord(query[position]) ^ 1 << bit) + query[position + 1 :])


def test_every_bit_of_the_image_id_counts() -> None:
    query = signed()
    for position, bit in product(range(len(IMAGE)), range(8)):
        refuse(query, IMAGE[:position] + chr(ord(IMAGE[position]) ^ 1 << bit) + IMAGE[position + 1 :])


def test_every_cut_of_a_query_is_refused() -> None:
    query = signed()
    for length in range(len(query)):
        refuse(query[:length])
        refuse(query[length + 1 :])


def test_no_field_of_one_url_fits_another() -> None:
    """Two addresses that differ in all fields, mixed in every way: only the two themselves are good."""
    one = dict(parse_qsl(signed()))
    other = dict(parse_qsl(signed(OTHER_IMAGE, GUEST, now=NOON + 3 * QUARTER_HOUR, keyring=ROTATED)))
    assert all(one[name] != other[name] for name in one)
    good = 0
    for chosen in product([one, other], repeat=len(one)):
        query = "&".join(f"{name}={fields[name]}" for name, fields in zip(one, chosen, strict=True))
        for image_id, fields in ((IMAGE, one), (OTHER_IMAGE, other)):
            if all(these is fields for these in chosen):
                assert grant(query, image_id, keyring=ROTATED).image_id == image_id
                good += 1
            else:
                refuse(query, image_id, keyring=ROTATED)
    assert good == 2


@pytest.mark.parametrize("changed", ["image", "viewer", "until", "kind"])
def test_urls_that_differ_in_one_field_have_different_signatures(changed: str) -> None:
    other = {
        "image": signed(OTHER_IMAGE),
        "viewer": signed(viewer=Viewer(ViewerKind.SESSION, "another")),
        "until": signed(now=NOON + DAY),
        "kind": signed(viewer=Viewer(ViewerKind.KEY, SESSION.id)),
    }[changed]
    refuse(signed().rpartition("=")[0] + "=" + other.rpartition("=")[2])


def test_a_query_has_one_form_only() -> None:
    query = signed()
    fields = query.split("&")
    for one, other in combinations(range(len(fields)), 2):
        swapped = list(fields)
        swapped[one], swapped[other] = swapped[other], swapped[one]
        refuse("&".join(swapped))
    for added in ("&", "&a=b", "=", "#", " ", "\n", "\0", "%00", f"&{fields[0]}", "&signature="):
        refuse(query + added)
        refuse(added + query)
    refuse(query.replace("s.", "s%2E"))
    refuse(query.replace("until=", "until=0"))
    refuse(query.replace("&", ";"))


@given(st.text())
def test_any_other_text_is_refused(text: str) -> None:
    refuse(text)


def test_a_signature_for_another_purpose_is_refused() -> None:
    told, _, _ = signed().rpartition("&signature=")
    _, signature = RING.sign("blob address", f"{IMAGE}\n{told}".encode())
    refuse(f"{told}&signature={signature}")


# -- Secrets


def test_after_a_rotation_old_urls_stay_valid_and_new_ones_use_the_new_secret() -> None:
    query = signed()
    assert grant(query, keyring=ROTATED).viewer == SESSION
    refuse(query, now=grant(query).until, keyring=ROTATED)
    assert "&by=new&" in signed(keyring=ROTATED)


def test_a_url_is_invalid_once_its_secret_is_retired() -> None:
    refuse(signed(), keyring=AFTER_ROTATION)


def test_a_url_of_one_secret_does_not_pass_as_that_of_another() -> None:
    refuse(signed().replace("by=old", "by=new"), keyring=ROTATED)


def test_the_end_of_a_url_is_in_whole_seconds() -> None:
    until = grant(signed()).until
    assert until == from_unix(int(dict(parse_qsl(signed()))["until"]))
