"""Record types of albums, members, album photos, likes and comments."""

from collections.abc import Mapping
from typing import Any, Final

from sparks.library import entity_types, keys
from sparks.library.records.attributes import choice, plain, time
from sparks.library.records.record_type import RecordType
from sparks.model.album import (
    Album,
    AlbumMember,
    AlbumOrder,
    AlbumPerson,
    AlbumPhoto,
    AlbumRole,
    Comment,
    Like,
)
from sparks.table.port import EntityType


def _photo_type(photo: AlbumPhoto) -> EntityType:
    return (entity_types.album_photo if photo.approved else entity_types.album_queue)(photo.album_id)


def _read_photo_type(entity_type: str) -> Mapping[str, Any]:
    return {"approved": entity_type.startswith("ALBUM_PHOTO#")}


def _album_type(album: Album) -> EntityType:
    return entity_types.ALBUMS if album.deleting_at is None else entity_types.ALBUMS_DELETING


ALBUM: Final = RecordType(
    Album,
    plain("owner"),
    plain("title"),
    plain("description"),
    choice("order", AlbumOrder),
    plain("findsFaces", absent=True),
    plain("coverImageId"),
    plain("coverOwner"),
    plain("coverChosen", absent=False),
    plain("photoCount"),
    plain("sourceId"),
    time("createdAt"),
    time("updatedAt"),
    time("deletingAt"),
    pk="ALBUM#{album_id}",
    sk="METADATA",
    key=lambda album: keys.album(album.album_id),
    entity_type=_album_type,
)

ALBUM_MEMBER: Final = RecordType(
    AlbumMember,
    choice("role", AlbumRole),
    time("addedAt"),
    pk="ALBUM#{album_id}",
    sk="MEMBER#{email..}",
    key=lambda member: keys.album_member(member.album_id, member.email),
    entity_type=lambda member: entity_types.album_member(member.email),
)

ALBUM_PHOTO: Final = RecordType(
    AlbumPhoto,
    plain("owner"),
    plain("addedBy"),
    time("addedAt"),
    plain("position"),
    plain("counted"),
    pk="{image_id}",
    sk="ALBUM#{album_id}",
    key=lambda photo: keys.album_photo(photo.image_id, photo.album_id),
    entity_type=_photo_type,
    read_type=_read_photo_type,
)

ALBUM_PERSON: Final = RecordType(
    AlbumPerson,
    plain("owner"),
    plain("counted"),
    pk="{image_id}",
    sk="ALBUM#{album_id}#PERSON#{person_id..}",
    key=lambda person: keys.album_person(person.image_id, person.album_id, person.person_id),
    entity_type=lambda person: entity_types.album_person(person.album_id, person.person_id),
)

LIKE: Final = RecordType(
    Like,
    plain("owner"),
    time("createdAt"),
    plain("name"),
    pk="{image_id}",
    sk="LIKE#{album_id}#{who..}",
    key=lambda like: keys.like(like.image_id, like.album_id, like.who),
    entity_type=lambda like: entity_types.like(like.album_id),
)

COMMENT: Final = RecordType(
    Comment,
    plain("owner"),
    plain("who"),
    plain("text"),
    plain("name"),
    pk="{image_id}",
    sk="COMMENT#{album_id}#{created_at:time}#{comment_id..}",
    key=lambda comment: keys.comment(comment.image_id, comment.album_id, comment.created_at, comment.comment_id),
    entity_type=lambda comment: entity_types.comment(comment.album_id),
)
