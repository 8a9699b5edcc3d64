"""The rows by which a photo is found in months and tags."""

from collections.abc import Iterator
from typing import Final

from sparks.library.photos.words import tag_key
from sparks.model.photo import Photo, PhotoState, Visibility
from sparks.model.pointer import MonthLink, TagLink
from sparks.model.scope import COMMUNITY, scope_of_album, scope_of_owner

Link = MonthLink | TagLink

# What `links_of` looks at, as the photo's row has it.
SHOWN: Final = (
    "entityType",
    "visibility",
    "expiresAt",
    "tags",
    "albums",
    "takenAt",
    "takenOffset",
    "uploaded_datetime",
    "assetType",
    "aspectRatio",
    "thumbhash",
    "duration",
)


def links_of(photo: Photo) -> frozenset[Link]:
    """The rows that lead to it when all is settled: its owner's, those of its albums and, in the community,
    everyone's.

    None for a photo that is not finished, in the trash or on its way out; nor for one that expires, since no row but
    its own tells when.
    """
    if photo.state is not PhotoState.READY or photo.expires_at is not None:
        return frozenset()
    return frozenset((*_months_of(photo), *_tags_of(photo)))


def _months_of(photo: Photo) -> Iterator[MonthLink]:
    """Ordered by the time it was taken or, where nobody knows, uploaded: as its month is."""
    if photo.month is None:
        return
    scopes = {scope_of_owner(photo.owner), *map(scope_of_album, photo.albums)}
    for scope in scopes | ({COMMUNITY} if _in_community(photo) else set()):
        yield MonthLink(
            image_id=photo.image_id,
            owner=photo.owner,
            scope=scope,
            month=photo.month,
            asset_type=photo.asset_type,
            aspect_ratio=photo.aspect_ratio,
            thumbhash=photo.thumbhash,
            duration=photo.duration,
            taken_at=photo.taken_at or photo.uploaded_at,
            taken_offset=photo.taken_offset,
            counted=True,
        )


def _tags_of(photo: Photo) -> Iterator[TagLink]:
    for tag in {key for key in map(tag_key, photo.tags) if key is not None}:
        for community in {False, _in_community(photo)}:
            yield TagLink(image_id=photo.image_id, owner=photo.owner, tag=tag, community=community, counted=True)


def _in_community(photo: Photo) -> bool:
    return photo.visibility is Visibility.COMMUNITY
