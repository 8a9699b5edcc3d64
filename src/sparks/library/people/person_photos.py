"""Lists the photos and faces of a person that a caller may see.

One person may be in several lists: of the community, of the caller's private photos, of albums, and in those of merged
persons. These are read side by side. They come from an index, which may be a moment behind: the rows of the photos
decide what is shown.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from heapq import merge
from itertools import groupby
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.pagination import first_page, growing_batches
from sparks.library.people.visible_persons import VisiblePerson
from sparks.library.records import from_item, read_item, read_row
from sparks.model.face import Face
from sparks.model.ids import is_uuid
from sparks.model.photo import Photo, PhotoState
from sparks.model.scope import COMMUNITY, Scope, album_of, private_owner_of
from sparks.table.port import EVERYTHING, Between, EntityType, Item, Key, Table, every

Sees = Callable[[Photo], bool]

MIN_PAGE: Final = 50  # rows

_OWNER: Final = frozenset({"owner"})
_ENGINE_PERSON: Final = frozenset({"homePersonId"})
_FACE: Final = frozenset({"entityType", "owner", "bbox", "thumbS3Key", "confidence", "quality", "byHand"})


def list_photos_of(
    person: VisiblePerson, *others: VisiblePerson, sees: Sees, limit: int, after: Key | None, table: Table
) -> tuple[list[Item], Key | None]:
    """The rows of the next photos that show the person and all others, and where to continue; None at the end. A row
    without an owner is of another program, which alone says who is in the photo.
    """
    everyone = (person, *others)
    rarest = min(everyone, key=lambda each: each.photo_count)
    rows = _newest_first(_lists_of(rarest), only=_OWNER, limit=limit, after=after, table=table)
    external: set[str] = set()

    def found() -> Iterator[Item]:
        for image_id, same in groupby(rows, _image_id):
            if after is None or image_id != after.pk:
                row = next(same)
                external.update(() if "owner" in row else (image_id,))
                yield row

    def shows(photo: Photo, each: VisiblePerson) -> bool:
        return bool(each.ids & set(photo.persons)) or (each is rarest and photo.image_id in external)

    shown = (item for item, photo in _photos(found(), sees, limit, table) if all(shows(photo, one) for one in everyone))
    return first_page(shown, lambda item: Key(item["PK"], item["SK"]), limit=limit)


def list_faces_of(
    person: VisiblePerson, *, sees: Sees, limit: int, after: Key | None, table: Table
) -> tuple[list[Face], Key | None]:
    """Their next faces in photos that may be seen, and where to continue; None at the end."""
    lists = [entity_types.face(person_id) for person_id in person.ids]
    rows = _newest_first(lists, only=_FACE, limit=limit, after=after, table=table)
    found = (face for _, same in groupby(rows, _image_id) for face in sorted(same, key=_sort_key))
    behind = (row for row in found if after is None or row["PK"] != after.pk or row["SK"] > after.sk)
    faces = (from_item(Face, row) for row in _shown(behind, sees, limit, table))
    return first_page(faces, lambda face: keys.face(face.image_id, face.face_id), limit=limit)


def images_with_engine_person(person: VisiblePerson, engine_person_id: str, *, table: Table) -> Iterator[str]:
    """The ids of all photos with a face whose engine person, `engine_person_id`, became this person."""
    for person_id in sorted(person.ids):
        for row in every(table, entity_types.face(person_id), newest_first=True, only=_ENGINE_PERSON):
            if row.get("homePersonId", person_id) == engine_person_id:
                yield _image_id(row)


# -- The lists


def _lists_of(person: VisiblePerson) -> list[EntityType]:
    """The lists of the scopes in which they are seen."""
    found = (_list_in(scope, person_id) for scope in person.scopes for person_id in person.ids)
    return [within for within in found if within is not None]


def _list_in(scope: Scope, person_id: str) -> EntityType | None:
    """None for all photos of one owner: these are in the community, or private."""
    album_id = album_of(scope)
    if album_id is not None:
        return entity_types.album_person(album_id, person_id)
    owner = private_owner_of(scope)
    if owner is None and scope != COMMUNITY:
        return None
    return entity_types.person_in_photo(person_id, owner)


def _newest_first(
    lists: Iterable[EntityType], *, only: frozenset[str], limit: int, after: Key | None, table: Table
) -> Iterator[Item]:
    """The rows of all lists, from the photo of the position on."""
    span = EVERYTHING if after is None else Between(high=after.pk)
    read = (every(table, within, span, newest_first=True, page=max(limit + 1, MIN_PAGE), only=only) for within in lists)
    return merge(*read, key=_image_id, reverse=True)


# -- The photos


def _photos(rows: Iterable[Item], sees: Sees, limit: int, table: Table) -> Iterator[tuple[Item, Photo]]:
    """The finished photos that these rows lead to and that may be seen, as items and as values."""
    for some in growing_batches(rows, limit + 1):
        items = _read(some, table)
        for row in some:
            item = items.get(row["PK"])
            shown, photo = (None, None) if item is None else (read_row(Photo, item), read_item(Photo, item))
            if shown is not None and photo is not None and photo.state is PhotoState.READY and sees(photo):
                yield shown, photo


def _shown(rows: Iterable[Item], sees: Sees, limit: int, table: Table) -> Iterator[Item]:
    """Those of the rows whose photos may be seen."""
    for some in growing_batches(rows, limit + 1):
        one_each = {row["PK"]: row for row in some}
        seen = {photo.image_id for _, photo in _photos(one_each.values(), sees, len(one_each), table)}
        yield from (row for row in some if row["PK"] in seen)


def _read(rows: Collection[Item], table: Table) -> dict[str, Item]:
    """The photos' own rows by their ids. Old rows that do not name the owner lead there, too."""
    known = [row for row in rows if is_uuid(row["PK"])]
    named = table.get_many([keys.photo(row["PK"], row["owner"]) for row in known if "owner" in row])
    found = {key.pk: item for key, item in named.items()}
    for image_id in {row["PK"] for row in known if "owner" not in row}:
        rows_there = table.query(keys.photo_rows(image_id), keys.PHOTOS, limit=1).items
        found |= {item["PK"]: item for item in rows_there}
    return found


def _image_id(row: Item) -> str:
    return str(row["PK"])


def _sort_key(row: Item) -> str:
    return str(row["SK"])
