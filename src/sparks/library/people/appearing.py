"""Where a person is to be seen: their photos and their faces, newest first.

One person may be in several lists: of the community, of one's own private photos, of albums, and in those of whom they
were merged with. These are read side by side. They come from an index, which may be a moment behind: the rows of the
photos decide what is shown.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from heapq import merge
from itertools import groupby
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.pages import first_page, growing
from sparks.library.people.seeing import SeenPerson
from sparks.library.records import from_item
from sparks.model.face import Face
from sparks.model.photo import Photo, PhotoState
from sparks.model.scope import COMMUNITY, Scope, album_of, private_owner_of
from sparks.table.port import EVERYTHING, Between, EntityType, Item, Key, Table, every

Sees = Callable[[Photo], bool]

LEAST: Final = 50  # rows at a time

_OWNER: Final = frozenset({"owner"})
_HOME: Final = frozenset({"homePersonId"})
_FACE: Final = frozenset({"entityType", "owner", "bbox", "thumbS3Key", "confidence", "quality", "byHand"})


def list_photos_of(
    person: SeenPerson, *others: SeenPerson, sees: Sees, limit: int, after: Key | None, table: Table
) -> tuple[list[Item], Key | None]:
    """The rows of the next photos that show the person, and all of the others, and where to go on; None is the end."""
    everyone = (person, *others)
    rarest = min(everyone, key=lambda each: each.photo_count)
    rows = _newest_first(_lists_of(rarest), only=_OWNER, limit=limit, after=after, table=table)
    found = (next(same) for image_id, same in groupby(rows, _image_id) if after is None or image_id != after.pk)
    shown = (
        item
        for item, photo in _photos(found, sees, limit, table)
        if all(each.ids & set(photo.persons) for each in everyone)
    )
    return first_page(shown, lambda item: Key(item["PK"], item["SK"]), limit=limit)


def list_faces_of(
    person: SeenPerson, *, sees: Sees, limit: int, after: Key | None, table: Table
) -> tuple[list[Face], Key | None]:
    """Their next faces, in photos that may be seen, and where to go on; None is the end."""
    lists = [entity_types.face(person_id) for person_id in person.ids]
    rows = _newest_first(lists, only=_FACE, limit=limit, after=after, table=table)
    found = (face for _, same in groupby(rows, _image_id) for face in sorted(same, key=_sort_key))
    behind = (row for row in found if after is None or row["PK"] != after.pk or row["SK"] > after.sk)
    faces = (from_item(Face, row) for row in _shown(behind, sees, limit, table))
    return first_page(faces, lambda face: keys.face(face.image_id, face.face_id), limit=limit)


def images_with_home(person: SeenPerson, home: str, *, table: Table) -> Iterator[str]:
    """The ids of the photos, seen by whomever, with a face that is taken for the one who became this person: `home`."""
    for person_id in sorted(person.ids):
        for row in every(table, entity_types.face(person_id), newest_first=True, only=_HOME):
            if row.get("homePersonId", person_id) == home:
                yield _image_id(row)


# -- The lists


def _lists_of(person: SeenPerson) -> list[EntityType]:
    """Of the photos where they are seen."""
    found = (_list_in(scope, person_id) for scope in person.scopes for person_id in person.ids)
    return [within for within in found if within is not None]


def _list_in(scope: Scope, person_id: str) -> EntityType | None:
    """None for all photos of one owner: they are in the community, or private."""
    album_id = album_of(scope)
    if album_id is not None:
        return entity_types.album_person(album_id, person_id)
    owner = private_owner_of(scope)
    if owner is None and scope != COMMUNITY:
        return None
    return entity_types.tagging(person_id, owner)


def _newest_first(
    lists: Iterable[EntityType], *, only: frozenset[str], limit: int, after: Key | None, table: Table
) -> Iterator[Item]:
    """The rows of all of them, from the photo of the position on."""
    span = EVERYTHING if after is None else Between(high=after.pk)
    read = (every(table, within, span, newest_first=True, page=max(limit + 1, LEAST), only=only) for within in lists)
    return merge(*read, key=_image_id, reverse=True)


# -- The photos


def _photos(rows: Iterable[Item], sees: Sees, limit: int, table: Table) -> Iterator[tuple[Item, Photo]]:
    """The photos that these rows lead to, as far as they are finished and may be seen: as rows and as what they are."""
    for some in growing(rows, limit + 1):
        items = _read(some, table)
        for row in some:
            item = items.get(row["PK"])
            photo = None if item is None else from_item(Photo, item)
            if item is not None and photo is not None and photo.state is PhotoState.READY and sees(photo):
                yield item, photo


def _shown(rows: Iterable[Item], sees: Sees, limit: int, table: Table) -> Iterator[Item]:
    """Those of the rows whose photos may be seen."""
    for some in growing(rows, limit + 1):
        one_each = {row["PK"]: row for row in some}
        seen = {photo.image_id for _, photo in _photos(one_each.values(), sees, len(one_each), table)}
        yield from (row for row in some if row["PK"] in seen)


def _read(rows: Collection[Item], table: Table) -> dict[str, Item]:
    """The photos' own rows by their ids. A row from before rows named the owner leads there too."""
    named = table.get_many([keys.photo(row["PK"], row["owner"]) for row in rows if "owner" in row])
    found = {key.pk: item for key, item in named.items()}
    for image_id in {row["PK"] for row in rows if "owner" not in row}:
        rows_there = table.query(keys.photo_rows(image_id), keys.PHOTOS, limit=1).items
        found |= {item["PK"]: item for item in rows_there}
    return found


def _image_id(row: Item) -> str:
    return str(row["PK"])


def _sort_key(row: Item) -> str:
    return str(row["SK"])
