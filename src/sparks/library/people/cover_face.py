"""Cover face of a person: the best visible one, or the one that was chosen.

Counting a photo offers its best face (`with_photo`). Where the cover face is removed, another one is looked for among
the person's faces. An index lists these; the TAGGING rows decide.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, TypeVar

from sparks.library import entity_types, keys
from sparks.library.people.face_moves import COUNTED, rank_of
from sparks.library.people.person_picture import picture_changes
from sparks.library.records import as_read, changes, from_item, key_of
from sparks.model.errors import ConditionFailed
from sparks.model.face import Face
from sparks.model.person import Person, PersonInPhoto, PersonInScope
from sparks.model.scope import Scope, album_of, owner_of
from sparks.model.times import now
from sparks.table.port import Check, Item, Set, Table

MAX_CANDIDATES: Final = 1000  # faces, newest first
SHOWN_BY: Final = ("repFaceId", "repImageId", "repRank")
_NEEDED: Final = frozenset({"entityType", "owner", "bbox", "quality"})
_BEST: Final = (*COUNTED, "bestFaceId", "bestRank")

Tally = TypeVar("Tally", Person, PersonInScope)


def with_photo(tally: Tally, tagging: PersonInPhoto) -> Tally:
    """The row with the best face of this photo as cover, if that is better, or as good and from the same photo. Without
    a cover, until one is elected, where it was of this photo and has a lower rank now: others may be better.
    """
    before, now = _rank(tally.rep_rank), _rank(tagging.best_rank)
    if tally.rep_image_id != tagging.image_id and before >= now:
        return tally
    if tally.rep_image_id == tagging.image_id and before > now:
        return without_photo(tally, tagging.image_id)
    return _covered(tally, tagging)


def without_photo(tally: Tally, image_id: str) -> Tally:
    if tally.rep_image_id != image_id:
        return tally
    return _covered(tally, None)


def _covered(tally: Tally, tagging: PersonInPhoto | None) -> Tally:
    """Only the person's own row names the crop."""
    cover: dict[str, Any] = {
        "rep_face_id": tagging and tagging.best_face_id,
        "rep_image_id": tagging and tagging.image_id,
        "rep_rank": tagging and tagging.best_rank,
    }
    if isinstance(tally, Person):
        cover["rep_thumb_key"] = tagging and tagging.best_thumb_key
    return replace(tally, **cover)


def elect_cover_face(person_id: str, scope: Scope | None, *, table: Table) -> None:
    """Gives the person a cover face in the scope, or with None overall, if they have none. Nothing happens where no
    face fits, or another process was faster.
    """
    item = table.get(keys.person(person_id) if scope is None else keys.person_in_scope(person_id, scope))
    if item is None or "repFaceId" in item:
        return
    row = next((row for row in _candidates(person_id, scope, table) if _is_counted(row, scope)), None)
    if row is None:
        return
    tagging = from_item(PersonInPhoto, row)
    shown = _with_cover(item, tagging) if scope is None else _shown(item, tagging)
    try:
        table.write(Check(key_of(tagging), as_read(row, _BEST)), shown, *picture_changes(person_id, scope))
    except ConditionFailed:
        return


def _with_cover(item: Item, tagging: PersonInPhoto) -> Set:
    before = from_item(Person, item)
    after = replace(with_photo(before, tagging), updated_at=now())
    return changes(before, after, when=as_read(item, SHOWN_BY))


def _shown(item: Item, tagging: PersonInPhoto) -> Set:
    before = from_item(PersonInScope, item)
    return changes(before, with_photo(before, tagging), when=as_read(item, SHOWN_BY))


def _candidates(person_id: str, scope: Scope | None, table: Table) -> Iterator[Item]:
    """The TAGGING rows of the person's faces, the best first."""
    album_id = None if scope is None else album_of(scope)
    if album_id is not None:
        yield from _in_album(person_id, album_id, table)
        return
    within = entity_types.face(person_id)
    rows = table.query(within, limit=MAX_CANDIDATES, newest_first=True, only=_NEEDED).items
    owner = None if scope is None else owner_of(scope)
    faces = [face for face in (from_item(Face, row) for row in rows) if owner is None or face.owner == owner]
    best = sorted(faces, key=lambda face: (rank_of(face, None), face.face_id), reverse=True)
    for image_id in dict.fromkeys(face.image_id for face in best):
        row = table.get(keys.person_in_photo(image_id, person_id))
        if row is not None:
            yield row


def _in_album(person_id: str, album_id: str, table: Table) -> list[Item]:
    """Those of the photos in the album that show the person: perhaps few of all that they are in."""
    within = entity_types.album_person(album_id, person_id)
    listed = table.query(within, limit=MAX_CANDIDATES, newest_first=True, only=frozenset()).items
    rows = table.get_many([keys.person_in_photo(row["PK"], person_id) for row in listed])
    return sorted(rows.values(), key=lambda row: (row.get("bestRank", -1), row["PK"]), reverse=True)


def _is_counted(row: Item, scope: Scope | None) -> bool:
    if "bestFaceId" not in row:
        return False
    return bool(row.get("counted")) if scope is None else scope in row.get("countedIn", [])


def _rank(rank: float | None) -> float:
    return -1.0 if rank is None else rank
