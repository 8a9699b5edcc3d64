"""Persons of a community, and requests about them."""

from dataclasses import replace
from typing import Any, Final

import httpx

from sparks.library import blob_keys
from sparks.library.people.apply_decision import relist_person
from sparks.library.people.person_decisions import name_person
from sparks.library.people.reconcile import reconcile_people
from sparks.library.records import changes
from sparks.model.account import User
from sparks.model.person import Person
from sparks.model.photo import Photo, Renditions, Visibility
from tests.api.client import Client
from tests.api.community import Community, Headers
from tests.factories import ANN, NOON, a_face
from tests.library.people.rows import FEW, a_box, also_in, met, photographed

PRIVATE: Final = Visibility.PRIVATE


class People:
    """Creates persons of a community, and reads them as its callers."""

    def __init__(self, community: Community, browser: Client) -> None:
        self.community = community
        self.table = community.table
        self._browser = browser

    def photo(self, **more: Any) -> Photo:
        """A photo with a rendition."""
        photo = photographed(self.table, **more)
        key = f"processed/{photo.image_id}_thumb.webp"
        return self.community.keep(replace(photo, renditions=Renditions({"thumb": key}, NOON)))

    def met(self, photo: Photo, place: int = 0) -> Person:
        """A person with a face that has a crop."""
        key = blob_keys.face_thumb(a_face(photo, a_box(place)).face_id)
        self.community.blobs.put(key, [key.encode()], content_type="image/jpeg")
        return met(self.table, photo, place, thumb_key=key)

    def in_photos(self, *photos: Photo) -> Person:
        person = self.met(photos[0])
        also_in(self.table, person, *photos[1:])
        return person

    def name(self, person: Person, name: str) -> None:
        name_person(person.person_id, name, who=ANN, at=NOON, table=self.table)
        relist_person(person.person_id, min_photos=FEW, table=self.table)

    def get(self, path: str, user: User | None = None, **options: Any) -> httpx.Response:
        """As Bob by default."""
        headers = self.community.session_of(user or self.community.bob)
        return self._browser.get(path, headers=headers | options.pop("headers", {}), **options)

    def read(self, path: str, user: User | None = None, **options: Any) -> Any:
        answer = self.get(path, user, **options)
        assert answer.status_code == 200, answer.text
        return answer.json()


def change(browser: Client, headers: Headers, person: Person | str, **body: Any) -> httpx.Response:
    person_id = person if isinstance(person, str) else person.person_id
    return browser.patch(f"/api/persons/{person_id}", json=body, headers=headers)


def say(browser: Client, headers: Headers, person: Person | str, verb: str, **body: Any) -> httpx.Response:
    person_id = person if isinstance(person, str) else person.person_id
    method = "PUT" if verb == "picture" else "POST"
    return browser.request(method, f"/api/persons/{person_id}/{verb}", json=body, headers=headers)


def undo(browser: Client, headers: Headers, answer: httpx.Response) -> httpx.Response:
    """Undoes all decisions of this response."""
    for decision in reversed(answer.json()["decisions"]):
        undone = browser.post(f"/api/decisions/{decision['decisionId']}/undo", headers=headers)
        assert undone.status_code == 200, undone.text
        assert undone.json()["decisions"][0]["undone"]
    return undone


def make_private(community: Community, *photos: Photo) -> None:
    for photo in photos:
        community.table.write(changes(photo, replace(photo, visibility=Visibility.PRIVATE)))
        reconcile_people(photo.image_id, photo.owner, table=community.table)
