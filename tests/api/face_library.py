"""A community whose application can be called by any caller at every route."""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from itertools import count, product
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import httpx
from starlette.routing import BaseRoute

from sparks.api.http.authentication import action_of
from sparks.auth.signed_media_urls import sign_media
from sparks.model.access import Action
from tests.api.access_sample import RANDOM, Sample
from tests.api.access_samples import IN_ALBUM, samples_in
from tests.api.callers import Caller, callers_of
from tests.api.client import Client
from tests.api.community import HERE, KEYRING, PASSWORD, Community

_numbers: Final = count()

# A signed URL needs no other credential.
SIGNED: Final = {  # with what stands before the id where it is signed
    "/media/{image_id}/{size}": "",
    "/media/{image_id}/faces/{face_id}": "",
    "/archives/{archive_id}": "archives/",
}
BODIES: Final[dict[tuple[str, str], Callable[[], dict[str, Any]]]] = {  # good ones: what they ask for could be done
    ("POST", "/api/session"): lambda: {"email": f"nobody{next(_numbers)}@example.com", "password": PASSWORD},
    ("POST", "/api/setup"): lambda: {"token": "x", "email": "new@example.com", "password": PASSWORD},
    ("POST", "/api/register"): lambda: {"invitation": "x", "email": "new@example.com", "password": PASSWORD},
    ("PATCH", "/api/me/profile"): lambda: {"username": "Somebody"},
    ("PUT", "/api/me/person"): lambda: {"personId": "person1"},
    ("POST", "/api/admin/claims/{email}"): lambda: {"confirm": True, "personId": "person1"},
    ("POST", "/api/admin/rebuild"): dict,
    ("POST", "/api/admin/jobs/retry"): lambda: {"all": True},
    ("POST", "/api/admin/jobs/drop"): lambda: {"ids": ["no such job"]},
    ("PUT", "/api/me/password"): lambda: {"oldPassword": PASSWORD, "newPassword": "staple horse battery"},
    ("POST", "/api/me/keys"): lambda: {"name": "a key"},
    ("POST", "/api/me/identities"): dict,
    ("POST", "/api/users"): lambda: {"email": "new@example.com"},
    ("PUT", "/api/me/consent"): lambda: {"faces": False},
    ("PUT", "/api/admin/consent"): lambda: {"faces": False},
    ("PATCH", "/api/users/{email}"): lambda: {"limit": 1},
    ("POST", "/api/invitations"): dict,
    ("PATCH", "/api/photos/{imageId}"): lambda: {"version": 1, "title": "Sea"},
    ("POST", "/api/uploads"): lambda: {"filename": "sea.jpg", "size": 1000},
    ("POST", "/api/uploads/{imageId}/parts"): lambda: {"partNumbers": [1]},
    ("POST", "/api/photos/change"): lambda: {"ids": ["nothing"], "addTags": ["Sea"]},
    ("POST", "/api/photos/trash"): lambda: {"ids": ["nothing"]},
    ("POST", "/api/photos/restore"): lambda: {"ids": ["nothing"]},
    ("POST", "/api/photos/delete"): lambda: {"ids": ["nothing"]},
    ("PATCH", "/api/persons/{personId}"): lambda: {"displayName": "Eve", "sameName": True, "hidden": True},
    ("POST", "/api/persons/{personId}/merge"): lambda: {"into": "person1"},
    ("PUT", "/api/faces/{faceId}/person"): lambda: {"personId": "person1"},
    ("POST", "/api/photos/{imageId}/faces"): lambda: {
        "bbox": {"Left": 0.7, "Top": 0.7, "Width": 0.1, "Height": 0.1},
        "personId": "person1",
    },
    ("POST", "/api/suggestions/{suggestionId}"): lambda: {"same": True},
    ("PATCH", "/api/tags/{tag:path}"): lambda: {"name": "ocean"},
    ("POST", "/api/albums/{albumId}/links"): lambda: {"allow": ["view"]},
    ("PATCH", "/api/albums/{albumId}/links/{linkId}"): lambda: {"moderated": True},
    ("POST", "/api/albums/{albumId}/queue"): lambda: {"approve": ["nothing"]},
    ("POST", "/api/links/look"): lambda: {"secret": "x"},
    ("POST", "/api/links/open"): lambda: {"secret": "x"},
    ("PATCH", "/api/guest"): lambda: {"name": "Eve"},
    ("POST", "/api/albums"): lambda: {"title": "Sea"},
    ("PATCH", "/api/albums/{albumId}"): lambda: {"title": "Sea"},
    ("PUT", "/api/albums/{albumId}/members/{email}"): lambda: {"role": "editor"},
    ("PUT", "/api/albums/{albumId}/photos"): lambda: {"ids": ["nothing"]},
    ("DELETE", "/api/albums/{albumId}/photos"): lambda: {"ids": ["nothing"]},
    ("POST", "/api/albums/{albumId}/photos/{imageId}/comments"): lambda: {"text": "Lovely"},
}
QUERIES: Final = {("GET", "/api/tags/photos"): "?tag=sea"}  # that they cannot do without
ABOUT_FACES: Final[dict[tuple[str, str], Callable[[str], dict[str, Any]]]] = {  # what they take of a person's face
    ("POST", "/api/persons/{personId}/split"): lambda face_id: {"faceIds": [face_id]},
    ("POST", "/api/persons/{personId}/reject"): lambda face_id: {"faceIds": [face_id]},
    ("PUT", "/api/persons/{personId}/picture"): lambda face_id: {"faceId": face_id},
}
ABOUT_PHOTOS: Final[dict[tuple[str, str], Callable[[str], dict[str, Any]]]] = {  # what they take of a photo of theirs
    ("POST", "/api/albums/{albumId}/photos/move"): lambda image_id: {"ids": [image_id]},
}
FILES: Final = {  # these take a file, and parameters about it
    ("POST", "/api/photos"): "?filename=sea.jpg",
    ("POST", "/api/selfie"): "",
    ("PUT", "/api/me/profile-picture"): "",
}
PICTURE: Final = b"\xff\xd8\xff\xe0 a picture"


@dataclass(frozen=True)
class Place:
    """A route with one method."""

    method: str
    path: str
    action: Action | None = field(compare=False)

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def names(self) -> list[str]:
        return re.findall(r"{(\w+)(?::\w+)?}", self.path)

    def url(self, samples: tuple[Sample, ...]) -> str:
        path = self.path
        for sample in samples:
            path = re.sub(r"{\w+(?::\w+)?}", quote(sample.id, safe="@/"), path, count=1)
        return path + QUERIES.get((self.method, self.path), "")


def places_of(routes: list[BaseRoute]) -> list[Place]:
    found = (
        Place(method, getattr(route, "path", ""), action_of(route))
        for route in routes
        for method in sorted(getattr(route, "methods", None) or {"GET"})
    )
    return list(dict.fromkeys(found))


class SampleCommunity:
    """The community with all callers and samples. Every request finds it in its first state."""

    def __init__(self, data: Path) -> None:
        self.community = Community(data, password=PASSWORD)
        self.callers = callers_of(self.community)
        self.samples = samples_in(self.community, self.callers)
        self.community.reindex()
        self.community.remember()
        self.community.stopping.set()  # so that no stream goes on for good
        self._client = Client(self.community.app, site=HERE)
        self._addresses = (f"10.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}" for n in count(1))

    def close(self) -> None:
        self._client.__exit__(None, None, None)

    def ask(self, place: Place, caller: Caller, samples: tuple[Sample, ...] = ()) -> httpx.Response:
        """Each caller has an IP address of its own, because of the rate limits."""
        self.community.rewind()
        self._client.move_to(next(self._addresses))
        url, headers = place.url(samples), {"X-Request-Id": "r1", **caller.headers}
        if place.path in SIGNED and caller.viewer is not None:
            signed = SIGNED[place.path] + samples[0].id
            query = sign_media(signed, caller.viewer, now=self.community.at, keyring=KEYRING)
            url, headers = f"{url}?{query}", {"X-Request-Id": "r1"}
        if (place.method, place.path) in FILES:
            return self._client.request(
                place.method, url + FILES[place.method, place.path], headers=headers, content=PICTURE
            )
        return self._client.request(place.method, url, headers=headers, json=self._body(place, samples))

    def _body(self, place: Place, samples: tuple[Sample, ...]) -> dict[str, Any] | None:
        asked = place.method, place.path
        if asked in ABOUT_FACES:
            persons = [sample.id for sample in self.samples["personId"]]
            return ABOUT_FACES[asked](self.samples["faceId"][persons.index(samples[0].id)].id)
        if asked == ("POST", "/api/archives"):
            return {"ids": [sample.id for sample in self.samples["imageId"]]}
        if asked in ABOUT_PHOTOS:
            return ABOUT_PHOTOS[asked](next(each.id for each in self.samples["imageId"] if each.what in IN_ALBUM))
        return BODIES[asked]() if asked in BODIES else None

    def samples_at(self, place: Place) -> list[tuple[Sample, ...]]:
        combined = product(*(self.samples[name] for name in place.names))
        return [samples for samples in combined if self._tells_more(samples)]

    def nothing_like(self, place: Place, samples: tuple[Sample, ...], hidden: Collection[Sample]) -> tuple[Sample, ...]:
        """The samples, with a random id in place of each hidden one."""
        named = zip(place.names, samples, strict=True)
        return tuple(self.samples[name][-1] if sample in hidden else sample for name, sample in named)

    def _tells_more(self, samples: tuple[Sample, ...]) -> bool:
        """Pairs every face with its own photo and the first one, and a random face with every photo."""
        if len(samples) < 2 or samples[1] not in self.samples["face_id"]:
            return True
        photo, face = samples
        return face.what == RANDOM or face.within == photo.id or photo == self.samples["imageId"][0]
