"""A small library with every attribute that can be searched, and a search by plain comparison."""

import math
import unicodedata
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Final

from hypothesis import strategies as st

from sparks.feed.search import SearchCriteria
from sparks.library.records import to_item
from sparks.model.account import User
from sparks.model.album import Album, AlbumMember, AlbumRole
from sparks.model.audience import person_scopes
from sparks.model.caller import Credential, Member
from sparks.model.person import Person, PersonInScope
from sparks.model.photo import AssetType, Exif, Location, Photo, PhotoState, Visibility
from sparks.model.photo_index import Favorite
from sparks.model.scope import COMMUNITY, scope_of_album, scope_of_private
from sparks.search.port import GeoPoint, GeoRadius, Sort
from sparks.table.port import Put, Table
from tests.factories import ANN, BOB, NOON, a_photo, a_user

CAROL: Final = "carol@example.com"
USERS: Final = (ANN, BOB, CAROL)
TITLES: Final = (None, "Sea", "Seaside at dusk", "Ännchen & Bob", "Summer")
TAGS: Final = ("Sea", "blue", "Über", "summer")
CAMERAS: Final = (None, "Canon EOS 5D", "Pixel 9")
PLACES: Final = (None, Location(latitude=48.1, longitude=11.5), Location(latitude=48.2, longitude=11.6))
PERSONS: Final = {"person1": "Anna", "person2": "Bob Müller", "person3": "person3", "person4": "Seán"}
ALBUMS: Final = {"album1": "Summer at sea", "album2": "Bob's wedding"}
TEXTS: Final = (
    "",
    "sea",
    "SE",
    "anna",
    "ann",
    "bob",
    "mull",
    "summer",
    "blue",
    "uber",
    "canon",
    "img",
    "dusk sea",
    "x",
    "!!",
)


@dataclass(frozen=True)
class World:
    """`joined`: who is in which albums; `marked`: who has marked which photos."""

    photos: tuple[Photo, ...]
    joined: frozenset[tuple[str, str]]
    marked: frozenset[tuple[str, str]] = field(default_factory=frozenset)

    def fill(self, table: Table) -> None:
        for email in USERS:
            table.write(Put(to_item(a_user(email))))
        for album_id, title in ALBUMS.items():
            table.write(Put(to_item(Album(album_id=album_id, owner=ANN, title=title))))
        for email, album_id in self.joined:
            table.write(Put(to_item(AlbumMember(album_id=album_id, email=email, role=AlbumRole.VIEWER))))
        for person_id, name in PERSONS.items():
            table.write(Put(to_item(Person(person_id=person_id, display_name=name, created_at=NOON, member_count=1))))
        for photo in self.photos:
            table.write(Put(to_item(photo)))
            for person_id in photo.persons:
                for scope in person_scopes(photo):
                    table.write(Put(to_item(PersonInScope(person_id=person_id, scope=scope, count=1))))
        for who, image_id in self.marked:
            owner = next(photo.owner for photo in self.photos if photo.image_id == image_id)
            table.write(Put(to_item(Favorite(image_id=image_id, owner=owner, who=who, created_at=NOON))))

    # -- What one should find

    def albums_of(self, who: str) -> set[str]:
        return {album for email, album in self.joined if email == who}

    def sees_person(self, who: str, person_id: str) -> bool:
        scopes = {COMMUNITY, scope_of_private(who), *map(scope_of_album, self.albums_of(who))}
        return any(person_id in photo.persons and scopes & set(person_scopes(photo)) for photo in self.photos)

    def may_ask(self, who: str, wanted: SearchCriteria) -> bool:
        seen = all(self.sees_person(who, person_id) for person_id in wanted.persons)
        return seen and set(wanted.albums) <= self.albums_of(who) and wanted.uploader in (None, *USERS)

    def expected(self, who: str, wanted: SearchCriteria) -> list[str]:
        found = [photo for photo in self.photos if self._sees(who, photo) and self._has(who, photo, wanted)]
        if wanted.text.strip() and not split(wanted.text):
            return []
        tiers = {photo.image_id: self._tier(who, photo, wanted.text) for photo in found}
        found = [photo for photo in found if tiers[photo.image_id] is not None]
        found.sort(key=lambda photo: (taken(photo), photo.image_id), reverse=True)
        if wanted.sort is Sort.RELEVANCE:
            found.sort(key=lambda photo: tiers[photo.image_id] or 0)
        return [photo.image_id for photo in found]

    def _sees(self, who: str, photo: Photo) -> bool:
        there = photo.state is PhotoState.READY and (photo.expires_at is None or photo.expires_at > NOON)
        shown = photo.visibility is Visibility.COMMUNITY or not self.albums_of(who).isdisjoint(photo.albums)
        return there and (photo.owner == who or shown)

    def _has(self, who: str, photo: Photo, wanted: SearchCriteria) -> bool:
        day = local_day(photo)
        is_marked = (who, photo.image_id) in self.marked
        camera = None if photo.exif is None or photo.exif.camera is None else photo.exif.camera.lower()
        return (
            {tag.lower() for tag in wanted.tags} <= {tag.lower() for tag in photo.tags}
            and set(wanted.persons) <= set(photo.persons)
            and set(wanted.albums) <= set(photo.albums)
            and wanted.uploader in (None, photo.owner)
            and (wanted.camera is None or wanted.camera.lower() == camera)
            and wanted.kind in (None, photo.asset_type)
            and wanted.favorite in (None, is_marked)
            and (wanted.first_day is None or wanted.first_day <= day)
            and (wanted.last_day is None or day <= wanted.last_day)
            and (wanted.near is None or (photo.location is not None and is_around(photo.location, wanted.near)))
        )

    def _tier(self, who: str, photo: Photo, text: str) -> int | None:
        names = [PERSONS[each] for each in photo.persons if PERSONS[each] != each and self.sees_person(who, each)]
        names += [ALBUMS[each] for each in photo.albums if each in self.albums_of(who)]
        named = split(" ".join([photo.title or "", *photo.tags, *names]))
        camera = "" if photo.exif is None else photo.exif.camera or ""
        both = named | split(" ".join([photo.description or "", photo.original_filename or "", camera]))
        words = split(text)
        for tier, (known, whole) in enumerate([(named, True), (named, False), (both, True), (both, False)]):
            if all(any(each == word or (not whole and each.startswith(word)) for each in known) for word in words):
                return tier
        return None


def split(text: str) -> set[str]:
    plain = "".join(each for each in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(each))
    return set("".join(each if each.isalnum() else " " for each in plain).split())


def taken(photo: Photo) -> datetime:
    return photo.taken_at or photo.uploaded_at or NOON


def local_day(photo: Photo) -> date:
    hours = int((photo.taken_offset or "+00:00")[:3]) if photo.taken_at is not None else 0
    return (taken(photo) + timedelta(hours=hours)).date()


def is_around(place: Location, near: GeoRadius) -> bool:
    """Good enough for places of one town."""
    north = (place.latitude - near.place.latitude) * 111.2
    east = (place.longitude - near.place.longitude) * 111.2 * math.cos(math.radians(near.place.latitude))
    return math.hypot(north, east) <= near.km


def member(email: str) -> Member:
    user: User = a_user(email)
    return Member(user, Credential("session", "s"))


# -- Drawn


@st.composite
def photos(draw: st.DrawFn) -> Photo:
    time = draw(st.none() | st.integers(-3, 3).map(lambda hours: NOON + timedelta(hours=8 * hours)))
    photo = a_photo(
        owner=draw(st.sampled_from(USERS)),
        visibility=draw(st.sampled_from(Visibility)),
        state=draw(st.sampled_from([PhotoState.READY] * 6 + [PhotoState.TRASHED, PhotoState.PENDING])),
        asset_type=draw(st.sampled_from([AssetType.IMAGE, AssetType.IMAGE, AssetType.VIDEO])),
        title=draw(st.sampled_from(TITLES)),
        description=draw(st.sampled_from([None, "A day at the sea, with Anna"])),
        original_filename=draw(st.sampled_from([None, "IMG_1.jpg"])),
        tags=tuple(draw(st.lists(st.sampled_from(TAGS), unique=True, max_size=2))),
        persons=tuple(sorted(draw(st.sets(st.sampled_from(sorted(PERSONS)), max_size=2)))),
        albums=tuple(sorted(draw(st.sets(st.sampled_from(sorted(ALBUMS)), max_size=2)))),
        taken_at=time,
        taken_offset=draw(st.sampled_from([None, "+02:00", "-11:00"])),
        location=draw(st.sampled_from(PLACES)),
        expires_at=draw(st.sampled_from([None] * 5 + [NOON - timedelta(days=1), NOON + timedelta(days=1)])),
    )
    camera = draw(st.sampled_from(CAMERAS))
    return replace(photo, exif=None if camera is None else Exif(camera=camera))


@st.composite
def worlds(draw: st.DrawFn) -> World:
    made = tuple(draw(st.lists(photos(), min_size=3, max_size=14)))
    joined = draw(st.frozensets(st.tuples(st.sampled_from(USERS), st.sampled_from(sorted(ALBUMS))), max_size=4))
    ids = st.sampled_from([photo.image_id for photo in made])
    marked = draw(st.frozensets(st.tuples(st.sampled_from(USERS), ids), max_size=6))
    return World(made, joined, marked)


def _some(values: list[str]) -> st.SearchStrategy[tuple[str, ...]]:
    """Mostly none, so that something is found."""
    return st.just(()) | st.lists(st.sampled_from(values), max_size=2, unique=True).map(tuple)


days = st.none() | st.integers(-2, 2).map(lambda each: NOON.date() + timedelta(days=each))
wishes = st.builds(
    SearchCriteria,
    text=st.sampled_from(TEXTS),
    tags=_some(["sea", "BLUE", "über", "nothing"]),
    persons=_some(sorted(PERSONS)),
    albums=_some(sorted(ALBUMS)),
    uploader=st.none() | st.sampled_from(USERS),
    camera=st.none() | st.sampled_from(["canon EOS 5d", "Pixel 9", "none"]),
    kind=st.none() | st.sampled_from(AssetType),
    favorite=st.none() | st.booleans(),
    first_day=days,
    last_day=days,
    near=st.none() | st.builds(GeoRadius, st.just(GeoPoint(48.1, 11.5)), st.sampled_from([1.0, 30.0])),
    sort=st.sampled_from(Sort),
)
