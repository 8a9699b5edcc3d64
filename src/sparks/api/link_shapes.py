"""What hosts say about a link, and what they are told of it."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field, StrictBool

from sparks.api.qr import QrAnswer
from sparks.api.shapes import Answer, Bytes, FutureTime, NewPassword, Photos, Time, Wish
from sparks.auth.links import hash_link_password
from sparks.library.sharing import LinkEdit, LinkTerms
from sparks.model.share import Caps, LinkPermission, ShareLink
from sparks.model.times import has_passed

Allowed = Annotated[
    list[LinkPermission],
    Field(
        min_length=1,
        max_length=4,
        description="`view` the album, `download` what is seen, `upload`, `find` oneself by a selfie.",
    ),
]
PersonIds = Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=5)]
FileTypes = Annotated[list[Annotated[str, Field(max_length=80)]], Field(max_length=20)]


class CapsWish(Wish):
    """The most that may come through the link: in all, and from each guest. What is deleted may come again."""

    photos: Photos | None = None
    bytes: Bytes | None = None
    guest_photos: Photos | None = None
    guest_bytes: Bytes | None = None
    types: FileTypes = Field(default_factory=list, description="`image`, `video`, or types such as `image/jpeg`.")

    def caps(self) -> Caps:
        return Caps(
            photos=self.photos,
            bytes=self.bytes,
            guest_photos=self.guest_photos,
            guest_bytes=self.guest_bytes,
            types=tuple(dict.fromkeys(each.lower() for each in self.types)),
        )


class LinkWish(Wish):
    password: NewPassword | None = None
    expires_at: FutureTime | None = None
    reveal_at: FutureTime | None = Field(None, description="Until then guests upload, and see only their own.")
    moderated: StrictBool = Field(default=False, description="Others see what guests upload once the host approves it.")
    show_metadata: StrictBool = Field(
        default=False, description="Whether guests are told place, camera, tags and file names, and download them too."
    )
    ask_name: StrictBool = False
    caps: CapsWish | None = None


class NewLink(LinkWish):
    """A link to the album; with `persons`, to those of its photos that show all of them."""

    allow: Allowed
    persons: PersonIds = Field(default_factory=list)

    def terms(self) -> LinkTerms:
        return LinkTerms(
            allow=frozenset(self.allow),
            password_hash=_hashed(self.password),
            expires_at=self.expires_at,
            reveal_at=self.reveal_at,
            moderated=self.moderated,
            show_metadata=self.show_metadata,
            ask_name=self.ask_name,
            caps=None if self.caps is None else self.caps.caps(),
            persons=tuple(dict.fromkeys(self.persons)),
        )


class LinkChange(LinkWish):
    """What is not named stays as it is; null clears."""

    allow: Allowed | None = None

    def edit(self) -> LinkEdit:
        told: dict[str, Any] = {name: getattr(self, name) for name in self.model_fields_set}
        if told.get("allow") is not None:
            told["allow"] = frozenset(told["allow"])
        if told.get("caps") is not None:
            told["caps"] = told["caps"].caps()
        if "password" in told:
            told["password_hash"] = _hashed(told.pop("password"))
        return LinkEdit(**{name: value for name, value in told.items() if name != "allow" or value is not None})


class CapsAnswer(Answer):
    photos: int | None = None
    bytes: int | None = None
    guest_photos: int | None = None
    guest_bytes: int | None = None
    types: list[str] | None = None


class LinkAnswer(Answer):
    """A link, and how much it is used: by how many guests, and how many photos and bytes of theirs are there."""

    link_id: str
    album_id: str
    allow: list[LinkPermission]
    has_password: bool
    expires_at: Time | None = None
    expired: bool
    reveal_at: Time | None = None
    moderated: bool
    show_metadata: bool
    ask_name: bool
    caps: CapsAnswer | None = None
    persons: list[str]
    guests: int
    photos: int
    bytes: int
    created_by: str
    created_at: Time


class NewLinkAnswer(LinkAnswer):
    """`secret`, `url` and `qr` are shown here and never again. What stands behind the # of an address is in no log."""

    secret: str
    url: str
    qr: QrAnswer


class LinkList(Answer):
    """The last made first."""

    links: list[LinkAnswer]


def told_of_link(link: ShareLink, at: datetime) -> dict[str, Any]:
    return {
        "link_id": link.link_id,
        "album_id": link.album_id,
        "allow": sorted(link.allow),
        "has_password": link.password_hash is not None,
        "expires_at": link.expires_at,
        "expired": has_passed(link.expires_at, at=at),
        "reveal_at": link.reveal_at,
        "moderated": link.moderated,
        "show_metadata": link.show_metadata,
        "ask_name": link.ask_name,
        "caps": None if link.caps is None else caps_answer(link.caps),
        "persons": list(link.persons),
        "guests": link.guest_count,
        "photos": link.photo_count,
        "bytes": link.byte_count,
        "created_by": link.created_by,
        "created_at": link.created_at,
    }


def caps_answer(caps: Caps) -> CapsAnswer:
    return CapsAnswer(
        photos=caps.photos,
        bytes=caps.bytes,
        guest_photos=caps.guest_photos,
        guest_bytes=caps.guest_bytes,
        types=list(caps.types) or None,
    )


def _hashed(password: NewPassword | None) -> str | None:
    return None if password is None else hash_link_password(password.get_secret_value())
