"""Record types of share links, guests and their photos."""

from typing import Final

from sparks.library import entity_types, keys
from sparks.library.records.attributes import Fields, choices, names, nested, plain, seconds, time
from sparks.library.records.record_type import RecordType
from sparks.model.share import Guest, GuestPhoto, LinkCaps, LinkPermission, ShareLink

CAPS: Final = Fields(
    LinkCaps,
    plain("photos"),
    plain("bytes"),
    plain("guestPhotos"),
    plain("guestBytes"),
    names("types", absent=()),
)

SHARE_LINK: Final = RecordType(
    ShareLink,
    plain("albumId"),
    plain("hash", "secret_hash"),
    choices("allow", LinkPermission),
    plain("createdBy"),
    time("createdAt"),
    plain("passwordHash"),
    time("expiresAt"),
    time("revealAt"),
    plain("moderated", absent=False),
    plain("showMetadata", absent=False),
    plain("askName", absent=False),
    nested("caps", CAPS),
    names("persons", absent=()),
    plain("guests", "guest_count"),
    plain("count", "photo_count"),
    plain("bytes", "byte_count"),
    plain("photosLeft"),
    plain("bytesLeft"),
    seconds("ttl"),
    pk="LINK#{link_id..}",
    sk="METADATA",
    key=lambda link: keys.share_link(link.link_id),
    entity_type=lambda link: entity_types.share_link(link.album_id),
)

GUEST: Final = RecordType(
    Guest,
    plain("hash", "secret_hash"),
    time("createdAt"),
    plain("name"),
    plain("count", "photo_count"),
    plain("bytes", "byte_count"),
    names("persons", absent=()),
    time("expiresAt"),
    seconds("ttl"),
    pk="LINK#{link_id..}",
    sk="GUEST#{guest_id..}",
    key=lambda guest: keys.guest(guest.link_id, guest.guest_id),
)

GUEST_PHOTO: Final = RecordType(
    GuestPhoto,
    plain("owner"),
    plain("linkId"),
    pk="{image_id}",
    sk="GUEST#{guest_id..}",
    key=lambda photo: keys.guest_photo(photo.image_id, photo.guest_id),
    entity_type=lambda photo: entity_types.guest_photo(photo.guest_id),
)
