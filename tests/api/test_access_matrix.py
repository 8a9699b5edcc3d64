"""The access matrix: every kind of caller at every route, about things in every state.

The routes are those of the application, so a new one is in the matrix by itself. What is expected comes from the action
that it declares and from what is written down here and in `samples`; `authorize` is not asked.
"""

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from sparks.model.access import Action
from tests.api.access_sample import Sample
from tests.api.access_samples import BRINGING, IN_ALBUM, UPLOADING, WAITING
from tests.api.callers import Caller
from tests.api.community import Community
from tests.api.face_library import SIGNED, Place, SampleCommunity, places_of

OK, NOT_SIGNED_IN, NOT_ALLOWED, NOT_FOUND, CONFLICT = 200, 401, 403, 404, 409


# -- Access rules


class Needs(NamedTuple):
    """`scope`: the scope that a key needs, None where no key is enough. `link`: permissions of a link, at least one of
    these at least. `own_face`: it
    is for the person, who none of the callers is, or for administrators.
    """

    scope: str | None = None
    link: str = ""
    admin: bool = False
    owner: bool = False
    own_face: bool = False
    members: bool = True


ANY = "view download upload find"
NEEDS = {
    Action.SIGN_OUT: Needs(),
    Action.SEE_OWN_ACCOUNT: Needs("read"),
    Action.CHANGE_OWN_ACCOUNT: Needs("edit"),
    Action.MANAGE_OWN_CREDENTIALS: Needs(),
    Action.SEE_USERS: Needs("read"),
    Action.MANAGE_USERS: Needs("admin", admin=True),
    Action.MANAGE_INVITATIONS: Needs("admin", admin=True),
    Action.SEE_AUDIT: Needs("admin", admin=True),
    Action.SEE_JOBS: Needs("admin", admin=True),
    Action.MANAGE_JOBS: Needs("admin", admin=True),
    Action.SEE_SETTINGS: Needs("admin", admin=True),
    Action.LIST_PHOTOS: Needs("read"),
    Action.SEE_TIMELINE: Needs("read", "view"),
    Action.SEE_PHOTO: Needs("read", ANY),
    Action.DOWNLOAD_ORIGINAL: Needs("read", "download"),
    Action.UPLOAD_PHOTO: Needs("upload", "upload", owner=True),
    Action.EDIT_PHOTO: Needs("edit", owner=True),
    Action.TRASH_PHOTO: Needs("edit", owner=True),
    Action.DELETE_PHOTO: Needs("edit", "upload", owner=True),
    Action.MARK_PHOTO: Needs("edit", "view find"),
    Action.SEE_PERSONS: Needs("read", "view find"),
    Action.CHANGE_PERSONS: Needs("people"),
    Action.FIND_BY_SELFIE: Needs("people", "find"),
    Action.ERASE_FACE: Needs("people", own_face=True),
    Action.MANAGE_FACES: Needs("admin", admin=True),
    Action.SEE_ALBUM: Needs("read", ANY),
    Action.LIST_ALBUMS: Needs("read"),
    Action.SEE_MEMBERS: Needs("read"),
    Action.MAKE_ALBUM: Needs("edit"),
    Action.ADD_TO_ALBUM: Needs("edit", owner=True),
    Action.TAKE_FROM_ALBUM: Needs("edit", "upload"),
    Action.COMMENT_IN_ALBUM: Needs("edit", "view"),
    Action.REMOVE_COMMENT: Needs("edit", "view", owner=True),
    Action.LEAVE_ALBUM: Needs("edit"),
    Action.EDIT_ALBUM: Needs("edit", owner=True),
    Action.MODERATE_ALBUM: Needs("edit", owner=True),
    Action.MANAGE_ALBUM: Needs("edit", owner=True),
    Action.STAY_AS_GUEST: Needs(link=ANY, members=False),
}


def may_ask(caller: Caller, needs: Needs) -> int:
    if not caller.is_known:
        return NOT_SIGNED_IN
    if caller.allowed is not None:
        return OK if caller.allowed & set(needs.link.split()) else NOT_ALLOWED
    if not needs.members:
        return NOT_ALLOWED
    if caller.scopes is not None and needs.scope not in caller.scopes:
        return NOT_ALLOWED
    if needs.admin and (caller.user is None or caller.user.role != "admin"):
        return NOT_ALLOWED
    return OK


# -- Visible things


FINDS = {  # where it is not those who are seen by everyone that are found
    ("GET", "/api/users/{email}/removal"): {"being removed"},
    ("DELETE", "/api/users/{email}"): {"Ann", "Bob", "administrator", "with a picture and a claim", "being removed"},
    ("GET", "/api/users/{email}/picture"): {"with a picture and a claim"},
    ("HEAD", "/api/users/{email}/picture"): {"with a picture and a claim"},
    ("POST", "/api/admin/claims/{email}"): {"with a picture and a claim"},
}
MOVE = ("POST", "/api/albums/{albumId}/photos/move")  # none of the albums is in an order by hand
MEMBERS = ("DELETE", "/api/albums/{albumId}/members/{email}")
TOGETHER = {  # what belongs to each album, where one is asked for in the other
    "personId": {("the album", what) for what in IN_ALBUM},
    "imageId": {*(("the album", what) for what in IN_ALBUM), ("Bob's album", "Bob's in his album")},
    "linkId": {("the album", "link to the album"), ("Bob's album", "link to Bob's album")},
}
FITS = {  # actions that work with some of them only, for all callers
    ("POST", "/api/photos/{imageId}/retry"): {"on its way", "failed"},
    ("DELETE", "/api/uploads/{imageId}"): {UPLOADING, BRINGING},
    ("POST", "/api/uploads/{imageId}/parts"): {UPLOADING, BRINGING},
    ("POST", "/api/photos/{imageId}/faces"): {
        "in the community",
        "in the community and the album",
        "private",
        "private in the album",
        "private in another album",
        "Bob's in the community",
        "Bob's private",
        "Bob's in his album",
        WAITING,
    },
}
TOO_SOON = {  # where it cannot be done with these
    ("POST", "/api/uploads/{imageId}/complete"): {UPLOADING, BRINGING},
}

NOT_SET_UP = {  # without a provider, faces and linked persons these are not found by all callers
    ("POST", "/api/me/identities"),
    ("GET", "/api/me/photos-with-me"),
    ("DELETE", "/api/me/biometrics"),
    ("POST", "/api/selfie"),
    ("PUT", "/api/me/profile-picture"),
    ("POST", "/api/admin/rebuild"),
}
PLACES = places_of(Community(Path("data")).app.router.routes)


@pytest.fixture(scope="module")
def sample_community(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SampleCommunity]:
    sample_community = SampleCommunity(tmp_path_factory.mktemp("data"))
    yield sample_community
    sample_community.close()


def expected(place: Place, caller: Caller, samples: tuple[Sample, ...]) -> int:
    assert place.action is not None
    needs = NEEDS[place.action]
    if place.path in SIGNED and any(sample.is_malformed for sample in samples):
        return NOT_FOUND
    if place.path in SIGNED and caller.viewer is None:
        return NOT_ALLOWED
    may = may_ask(caller, needs)
    if may != OK:
        return may
    if "albumId" in place.names:
        return in_album(place, caller, *samples)
    if (place.method, place.path) in NOT_SET_UP or not all(finds(place, caller, sample) for sample in samples):
        return NOT_FOUND
    if not stand_together(samples):
        return NOT_FOUND
    if place.path.startswith("/api/timeline") and caller.allowed is not None:
        return NOT_FOUND  # whose it is, is told by a scope: guests have none of their own
    if needs.owner and not all(sample.is_of(caller) for sample in samples):
        return NOT_ALLOWED
    if needs.own_face and "personId" in place.names and may_ask(caller, NEEDS[Action.MANAGE_FACES]) != OK:
        return NOT_ALLOWED
    return OK if all(fits(place, sample) for sample in samples) else CONFLICT


def in_album(place: Place, caller: Caller, album: Sample, inside: Sample | None = None) -> int:
    """The rights in the album are checked first, then the things in it."""
    assert place.action is not None
    if not album.is_seen_by(caller):
        return NOT_FOUND
    if NEEDS[place.action].owner and not album.is_of(caller):
        return NOT_ALLOWED
    if (place.method, place.path) == MEMBERS and inside is not None:
        return of_member(caller, album, inside)
    if (place.method, place.path) == MOVE:
        return CONFLICT
    if inside is None:
        return OK
    both = album.what, inside.what
    if not inside.is_seen_by(caller) or both not in TOGETHER.get(place.names[-1], {both}):
        return NOT_FOUND
    return CONFLICT if inside.id == album.owner else OK


def of_member(caller: Caller, album: Sample, member: Sample) -> int:
    """A member leaves an album, unless they own it; only its owner removes others."""
    is_self = member.id == caller.email
    if not is_self and album.owner != caller.email:
        return NOT_ALLOWED
    if member.id == album.owner:
        return CONFLICT
    return OK if (album.what, member.what) == ("the album", "Bob") else NOT_FOUND


def fits(place: Place, sample: Sample) -> bool:
    asked = place.method, place.path
    return sample.what in FITS.get(asked, {sample.what}) and sample.what not in TOO_SOON.get(asked, ())


def finds(place: Place, caller: Caller, sample: Sample) -> bool:
    found = FINDS.get((place.method, place.path))
    return sample.is_seen_by(caller) if found is None else sample.what in found


def stand_together(samples: tuple[Sample, ...]) -> bool:
    """Whether the face is requested in its own photo."""
    others = samples[:-1]
    return not others or samples[-1].within in (None, others[-1].id)


def hidden_among(place: Place, caller: Caller, samples: tuple[Sample, ...]) -> tuple[Sample, ...]:
    """The thing that the caller does not find; where they find each, the one that is not in the other; else all."""
    hidden = tuple(sample for sample in samples if not finds(place, caller, sample))
    return hidden or (samples[-1:] if expected(place, caller, samples) == NOT_FOUND else samples)


def status_of(answer: httpx.Response) -> int:
    return OK if answer.status_code < 400 else answer.status_code


def in_full(answer: httpx.Response) -> tuple[int, list[tuple[str, str]], bytes]:
    return answer.status_code, sorted(answer.headers.items()), answer.content


# -- The matrix


@pytest.mark.parametrize("place", [place for place in PLACES if place.action is not Action.VISIT], ids=str)
def test_only_callers_with_the_right_are_served(sample_community: SampleCommunity, place: Place) -> None:
    wrong = []
    for caller, samples in product(sample_community.callers, sample_community.samples_at(place)):
        answer, hoped = sample_community.ask(place, caller, samples), expected(place, caller, samples)
        if status_of(answer) != hoped:
            about = ", ".join(sample.what for sample in samples)
            wrong.append(f"{caller.name} ({about}): {answer.status_code} instead of {hoped}: {answer.text[:200]}")
    advice = "a 422 means that BODIES of tests/api/face_library.py lacks a body for this route"
    assert not wrong, "\n".join([str(place), *wrong, advice])


@pytest.mark.parametrize(
    "place", [place for place in PLACES if place.action is not Action.VISIT and place.names], ids=str
)
def test_invisible_things_get_byte_for_byte_the_response_of_missing_ones(
    sample_community: SampleCommunity, place: Place
) -> None:
    told_apart = []
    formed = [
        samples for samples in sample_community.samples_at(place) if not any(sample.is_malformed for sample in samples)
    ]
    for caller, samples in product(sample_community.callers, formed):
        nothing = sample_community.nothing_like(place, samples, hidden_among(place, caller, samples))
        if expected(place, caller, samples) == expected(place, caller, nothing) != OK:
            seen, answer = (in_full(sample_community.ask(place, caller, each)) for each in (samples, nothing))
            told_apart += [f"{caller.name} ({samples[0].what}): {seen}"] if seen != answer else []
    assert not told_apart, "\n".join([str(place), *told_apart])


@pytest.mark.parametrize("place", [place for place in PLACES if place.action is Action.VISIT], ids=str)
def test_public_routes_respond_to_all_callers_alike(sample_community: SampleCommunity, place: Place) -> None:
    (samples,) = sample_community.samples_at(place)
    answers = {
        caller.name: sample_community.ask(place, caller, samples).status_code for caller in sample_community.callers
    }
    assert len(set(answers.values())) == 1, answers
    assert answers["anonymous"] != 500


# -- The matrix is complete


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_every_route_is_in_the_matrix(sample_community: SampleCommunity, place: Place) -> None:
    assert place.action is not None, f"{place} declares no action: add it through the gate"
    assert place.action is Action.VISIT or place.action in NEEDS, (
        f"{place} does {place.action!r}: write down in NEEDS of {__name__} who may"
    )
    for name in place.names:
        assert name in sample_community.samples, (
            f"{place} has a {{{name}}}: add some to samples_in of tests/api/samples.py"
        )


def test_the_matrix_is_large(sample_community: SampleCommunity) -> None:
    cases = sum(len(sample_community.callers) * len(sample_community.samples_at(place)) for place in PLACES)
    assert cases > 1500


def test_every_authenticated_caller_may_use_some_route(sample_community: SampleCommunity) -> None:
    users = Place("GET", "/api/users", Action.SEE_USERS)
    audit = Place("GET", "/api/admin/audit", Action.SEE_AUDIT)
    profile = Place("PATCH", "/api/me/profile", Action.CHANGE_OWN_ACCOUNT)
    allowed = {
        caller.name
        for caller, place in product(sample_community.callers, (users, audit, profile))
        if sample_community.ask(place, caller).status_code == OK
    }
    assert allowed == {
        "administrator",
        "owner",
        "other member",
        "key of the owner to read",
        "key of the owner to edit",
        "key of the administrator",
    }
