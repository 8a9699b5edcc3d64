"""Rows of records that are new in the target: accounts, albums and photos, each with the row of its old id."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from sparks.library import blob_keys
from sparks.library.albums.album_photos import AlbumPlacement
from sparks.library.photos.album_membership import with_albums
from sparks.library.records import to_item
from sparks.library.upload_limits.account_limit import new_limit
from sparks.migrate.gallery import SOURCE_COLUMNS, issue_rows
from sparks.migrate.new_ids import new_id_of
from sparks.migrate.objects import StoredObject
from sparks.migrate.records import Issue, SourceAlbum, SourcePhoto, SourceRecord, SourceUser
from sparks.model.account import User
from sparks.model.album import Album, AlbumMember, AlbumRole
from sparks.model.events import Uploaded
from sparks.model.ids import random_id
from sparks.model.migration import ALBUMS, PHOTOS, USERS
from sparks.model.photo import ORIGINAL, Photo, PhotoState, ProcessingStatus, Renditions, Visibility, size_name
from sparks.model.photo_index import ExternalId
from sparks.model.times import EPOCH, now
from sparks.table.port import Absent, AttributeAbsent, Present, Put

NO_OBJECT: Final = (
    "there is no such object in the folder: the photo is taken as failed; copy the object there, then `retry`"
)
NOT_SHOWN: Final = "the object is neither a photo nor a video that Sparks knows: it is kept, and cannot be shown"
FAILED_TEXT: Final = "The original of this photo was not found when it was migrated. Ask an administrator."
NOTHING: Final[Mapping[str, Any]] = {}


@dataclass(frozen=True, slots=True)
class NewRows:
    """Rows that are put where they are absent, what they add to upload limits, and what follows."""

    puts: tuple[Put, ...]
    owner: str | None = None
    size: int = 0
    follows: Uploaded | None = None
    digests: int = 0

    @property
    def changes(self) -> int:
        """The most that writing them takes, without the limit of the owner."""
        return len(self.puts) + self.digests


def user_rows(
    user: SourceUser,
    email: str,
    known: ExternalId | None = None,
    *,
    photos: int,
    bytes: int,  # noqa: A002  as the limit calls them
) -> NewRows:
    """Account, limit and old id of a user whose address has no account yet."""
    account = User(
        email=email,
        username=user.username,
        account_id=random_id(),
        created_at=user.created_at,
        source_id=user.id,
        extra=user.extra,
    )
    limit = new_limit(email, photos=photos if user.photos_left is None else user.photos_left, bytes=bytes)
    return NewRows((*_absent(account, limit), old_id_row(USERS, user, email, known=known)))


def album_rows(album: SourceAlbum, owner: str, known: ExternalId | None = None) -> NewRows:
    made = Album(
        album_id=new_id_of(album.id, album.created_at),
        owner=owner,
        title=album.title,
        description=album.description,
        created_at=album.created_at,
        updated_at=album.updated_at,
        source_id=album.id,
        extra=album.extra,
    )
    member = album_owner(made, owner)
    return NewRows((*_absent(made, member), old_id_row(ALBUMS, album, made.album_id, owner, known=known)))


def album_owner(album: Album, owner: str) -> AlbumMember:
    return AlbumMember(album_id=album.album_id, email=owner, role=AlbumRole.OWNER, added_at=album.created_at)


def photo_rows(
    photo: SourcePhoto,
    image_id: str,
    owner: str,
    album_id: str | None,
    known: ExternalId | None = None,
    *,
    stored: StoredObject | None,
    made: Mapping[str, int] = NOTHING,
    visibility: Visibility,
) -> NewRows:
    """`stored` is its object, which was copied before; None where there is none. `made` are the bytes of renditions
    that were stored with it.
    """
    photo = _with_object_issue(photo, stored)
    row = _with_renditions(_photo(photo, image_id, owner, stored, visibility), made)
    placed = [] if album_id is None else [placement(photo, album_id, owner).row(row)]
    row = with_albums(row, placed) if placed else row
    puts = (*_absent(row, *placed), old_id_row(PHOTOS, photo, image_id, owner, known=known))
    follows = Uploaded(image_id, owner) if row.state is PhotoState.PENDING else None
    return NewRows(puts, owner, row.file_size or 0, follows, digests=0 if stored is None else 2)


def _with_renditions(photo: Photo, made: Mapping[str, int]) -> Photo:
    """The pipeline makes only those that are missing."""
    if not made:
        return photo
    keys = {name: blob_keys.rendition(photo.image_id, name) for name in made}
    sizes = tuple(dict.fromkeys((*photo.sizes, *map(size_name, made))))
    return replace(photo, renditions=Renditions(keys, now()), sizes=sizes, processed_size=sum(made.values()))


def rows_not_taken(table: str, record: SourceRecord) -> NewRows:
    return NewRows((old_id_row(table, record, None),))


def _photo(photo: SourcePhoto, image_id: str, owner: str, stored: StoredObject | None, visibility: Visibility) -> Photo:
    is_shown = stored is not None and stored.kind is not None
    reason = FAILED_TEXT if stored is None else NOT_SHOWN
    return Photo(
        image_id=image_id,
        owner=owner,
        state=PhotoState.PENDING if is_shown else PhotoState.FAILED,
        visibility=visibility,
        source_id=photo.id,
        last_modified=now(),
        processing_status=ProcessingStatus.PENDING if is_shown else ProcessingStatus.FAILED,
        processing_error=None if is_shown else reason,
        **_description(photo, NOTHING),
        **({} if stored is None else _original(photo, stored)),
    )


def described_by(photo: Photo, source: SourcePhoto) -> Photo:
    """The photo with the texts, times and other columns of its row."""
    return replace(photo, **_description(source, photo.extra))


def _description(source: SourcePhoto, extra: Mapping[str, Any]) -> dict[str, Any]:
    columns = {**source.columns, **({} if source.album_id is None else {"album_id": source.album_id})}
    return {
        "original_filename": source.original_filename,
        "title": source.title,
        "description": source.description,
        "alt_text": source.alt_text,
        "tags": source.tags,
        "created_at": source.created_at,
        "uploaded_at": source.created_at,
        "updated_at": source.updated_at,
        "extra": source.extra_over(extra) | {SOURCE_COLUMNS: columns},
    }


def _with_object_issue(photo: SourcePhoto, stored: StoredObject | None) -> SourcePhoto:
    if stored is not None and stored.kind is not None:
        return photo
    reason = NO_OBJECT if stored is None else NOT_SHOWN
    return with_object_issue(photo, reason)


def with_object_issue(photo: SourcePhoto, reason: str) -> SourcePhoto:
    """The issue comes last: rows that wait for an album are found by their first one."""
    issue = Issue(PHOTOS, photo.id, "s3_key", photo.object_key, reason, taken=True)
    return replace(photo, issues=(*photo.issues, issue))


def _original(source: SourcePhoto, stored: StoredObject) -> dict[str, Any]:
    return {
        "original_key": stored.key,
        "mime_type": source.columns.get("mime_type") if stored.kind is None else stored.kind.mime,
        "asset_type": stored.asset_type,
        "file_size": stored.digests.size,
        "sha256": stored.digests.sha256,
        "sha1": stored.digests.sha1,
        "sizes": (ORIGINAL,),
    }


def placement(photo: SourcePhoto, album_id: str, owner: str) -> AlbumPlacement:
    """As if the photo's owner had put it there, whoever owns the album."""
    at = max(photo.created_at or EPOCH, EPOCH)
    return AlbumPlacement(album_id=album_id, by=owner, at=at, needs_member=False)


def old_id_row(
    table: str,
    record: SourceRecord,
    target_id: str | None,
    owner: str | None = None,
    *,
    known: ExternalId | None = None,
    extra: Mapping[str, Any] = NOTHING,
) -> Put:
    """The row of a record's old id. `known` is the row that says that it was not taken."""
    issues = tuple(issue_rows(record))
    row = ExternalId(system=table, old_id=record.id, target_id=target_id, owner=owner, issues=issues, extra=extra)
    return Put(to_item(row), when=(Absent(),) if known is None else (Present(), AttributeAbsent("imageId")))


def _absent(*rows: Any) -> tuple[Put, ...]:
    return tuple(Put(to_item(row), when=(Absent(),)) for row in rows)
