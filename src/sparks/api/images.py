"""Photos as answers: what a viewer is told of each, with addresses that are made for them.

A page is put together straight from the table's items. What is told is named here, one by one: whatever else a row may
hold stays with us. The values are for `encoded`: thumbhashes are bytes still, and fractions Decimals.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, Final

from pydantic import Field

from sparks.api.shapes import Answer, Time
from sparks.auth.signing import MediaSigner, viewer_of
from sparks.journey import Stores
from sparks.library import keys
from sparks.library.photos import favourites_among, favourites_between
from sparks.library.records import from_item, to_item
from sparks.media.kinds import IN_BROWSERS
from sparks.media.veil import has_veil
from sparks.model.access import SIGN_IN
from sparks.model.album import AlbumPhoto
from sparks.model.caller import Anonymous, GuestCaller, Member, Who, name_of
from sparks.model.errors import NotSignedIn
from sparks.model.photo import FILM, AssetType, FaceStatus, Photo, ProcessingStatus, Visibility
from sparks.model.share import LinkPermission
from sparks.table.port import Item

Image = dict[str, Any]

TOLD: Final = frozenset(
    {
        "imageId",
        "assetType",
        "uploaded_datetime",
        "lastModified",
        "s3Key",
        "images",
        "persons",
        "tags",
        "originalFilename",
        "mimeType",
        "width",
        "height",
        "aspectRatio",
        "duration",
        "title",
        "description",
        "altText",
        "takenAt",
        "takenOffset",
        "visibility",
        "processingStatus",
        "processingError",
        "status",
        "faceCount",
        "uploaderTag",
        "version",
        "thumbhash",
        "trashedAt",
        "expiresAt",
    }
)
DETAILS: Final = ("fileSize", "sizes", "exif", "location", "createdAt", "updatedAt")
HIDDEN: Final = frozenset({"originalFilename", "exif", "location", "tags"})  # unless a link shows metadata
READ: Final = TOLD | {"owner", "guestId"}  # what a page is made of, with the key
_SHOWN: Final = ProcessingStatus.COMPLETED.value
_OWN_FILMS: Final = {
    hides: frozenset(kind.mime for kind in IN_BROWSERS if has_veil(kind) or not hides) for hides in (False, True)
}  # what a guest plays as it is where no film was made, by whether their link hides metadata
_KEPT: Final = READ | {"PK", "SK", "entityType", "uploadedBy", "albums"}


class ImageAnswer(Answer):
    """A photo or a video. `images` are the keys of its renditions, and `urls` where this caller finds them; addresses
    are good for a while, and then the photo is to be asked for again. What is not known is left out.
    """

    image_id: str
    asset_type: AssetType
    uploaded_by: str | None = Field(None, description="Not told to guests.")
    mine: bool | None = Field(None, description="Told to guests: whether they uploaded it.")
    waits: bool | None = Field(None, description="Told to guests of what is theirs: the host has not approved it yet.")
    uploaded_datetime: Time | None = Field(None, alias="uploaded_datetime")
    last_modified: Time | None = None
    s3_key: str | None = None
    images: dict[str, str] = Field(description="Keys of what was made: large, medium, thumb, ..; and processedAt.")
    persons: list[str]
    tags: list[str]
    original_filename: str | None = Field(None, description="Told to guests only where their link shows metadata.")
    mime_type: str | None = None
    width: int | None = None
    height: int | None = None
    aspect_ratio: float | None = None
    duration: float | None = Field(None, description="Seconds of a video, or of the film behind a live photo.")
    title: str | None = None
    description: str | None = None
    alt_text: str | None = None
    taken_at: Time | None = None
    taken_offset: str | None = None
    visibility: Visibility
    processing_status: ProcessingStatus
    processing_error: str | None = None
    status: FaceStatus
    face_count: int
    uploader_tag: str | None = None
    version: int
    thumbhash: str | None = Field(None, description="In base64.")
    trashed_at: Time | None = None
    expires_at: Time | None = None
    urls: dict[str, str] = Field(
        description="Addresses of large, medium, thumb, .. as far as made; of original; of a live photo's motion; as "
        "`video` of a film that browsers play, for guests also where that is the original."
    )
    favorite: bool


class ImageDetails(ImageAnswer):
    """With all that the camera and the uploader told; guests are told `exif` and `location` only where their link shows
    metadata.
    """

    file_size: int | None = None
    sizes: list[str] | None = None
    exif: dict[str, Any] | None = None
    location: dict[str, Any] | None = None
    created_at: Time | None = None
    updated_at: Time | None = None


class ImageList(Answer):
    images: list[ImageAnswer]
    last_evaluated_key: str | None = None


class Images:
    """`sizes` are the names of the renditions that Sparks serves."""

    def __init__(self, stores: Stores, sizes: Iterable[str]) -> None:
        self._table = stores.table
        self._keyring = stores.keyring
        self._sizes = frozenset(sizes)

    def one(self, photo: Photo, who: Who, *, at: datetime) -> Image:
        """The photo in full, for somebody who may see it."""
        item = to_item(photo)
        hidden = hidden_from(who)
        details = {name: item[name] for name in DETAILS if name in item and name not in hidden}
        marked = favourites_among([photo.image_id], name_of(who), table=self._table)
        return self._images([item], who, marked, at)[0] | details

    def page(self, items: Sequence[Item], who: Who, *, at: datetime, all_marked: bool = False) -> list[Image]:
        """The photos of these rows, for somebody who may see them; `all_marked`: they are the caller's favourites.

        The rows are used up. They need no other attributes than READ.
        """
        ids = [item["PK"] for item in items]
        marked = ids if all_marked else favourites_between(ids, name_of(who), table=self._table)
        return self._images(items, who, frozenset(marked), at)

    def _images(self, items: Sequence[Item], who: Who, marked: Collection[str], at: datetime) -> list[Image]:
        """[Note: one loop] It runs a hundred times for a page: calls within it would cost more than what they do."""
        query_of = MediaSigner(viewer_of(known(who)), now=at, keyring=self._keyring).query
        waiting = self._waiting(items, who) if isinstance(who, GuestCaller) else frozenset()
        sizes, guest, hidden = self._sizes, who if isinstance(who, GuestCaller) else None, hidden_from(who)
        films = _OWN_FILMS[bool(hidden)] if guest is not None else ()
        images: list[Image] = []
        for item in items:
            image = item if item.keys() <= _KEPT else {name: held for name, held in item.items() if name in _KEPT}
            image_id, owner, _ = image.pop("PK"), image.pop("owner"), image.pop("SK")
            image.pop("entityType", None)
            image.pop("uploadedBy", None)
            image.pop("albums", None)
            if guest is None:
                image["uploadedBy"] = owner
                image.pop("guestId", None)
            else:
                _tell_guest(image, guest, hidden)
                if image_id in waiting:
                    image["waits"] = True
            made, query = image.setdefault("images", {}), query_of(image_id)
            image["urls"] = urls = {name: f"/media/{image_id}/{name}?{query}" for name in made if name in sizes}
            if image.get("mimeType") in films and FILM not in made and image.get("processingStatus") == _SHOWN:
                urls[FILM] = f"/media/{image_id}/{FILM}?{query}"
            if "s3Key" in image:
                urls["original"] = f"/api/photos/{image_id}/original"
            image["favorite"] = image_id in marked
            images.append(image)
        return images

    def _waiting(self, items: Sequence[Item], who: GuestCaller) -> frozenset[str]:
        """Those of the guest's own that the host has not decided about: the row by which each is in the album tells,
        and is read where the album does not show it.
        """
        album_id, guest_id = who.link.album_id, who.guest.guest_id
        theirs = (item for item in items if item.get("guestId") == guest_id)
        unseen = [keys.album_photo(item["PK"], album_id) for item in theirs if album_id not in item.get("albums", ())]
        rows = self._table.get_many(unseen) if unseen else {}
        return frozenset(key.pk for key, row in rows.items() if not from_item(AlbumPhoto, row).approved)


def hidden_from(who: Who) -> frozenset[str]:
    """What a link is not to give away: file names and places, unless its maker said otherwise."""
    return HIDDEN if isinstance(who, GuestCaller) and not who.link.show_metadata else frozenset()


def _tell_guest(image: Image, guest: GuestCaller, hidden: frozenset[str]) -> None:
    """Whose it is, and who else is in it, is told as far as the guest sees it."""
    image["mine"] = image.pop("guestId", None) == guest.guest.guest_id
    for name in hidden & image.keys():
        del image[name]
    image.setdefault("tags", [])
    if LinkPermission.VIEW not in guest.link.allow:
        image["persons"] = [each for each in image.get("persons", ()) if each in guest.guest.persons]


def known(who: Who) -> Member | GuestCaller:
    """Somebody whom addresses can be made for, or NotSignedIn."""
    if isinstance(who, Anonymous):
        raise NotSignedIn(SIGN_IN)
    return who
