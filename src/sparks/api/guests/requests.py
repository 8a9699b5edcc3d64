"""Request bodies of share links, guests and moderation."""

from typing import Annotated, Any, Final

from pydantic import Field, StrictBool

from sparks.api.http.base_models import (
    ByteCount,
    FutureTime,
    NewPassword,
    PhotoCount,
    RequestModel,
    SecretText,
    UserName,
)
from sparks.api.http.parameters import ImageIdField
from sparks.auth.link_sessions import hash_link_password
from sparks.library.sharing.share_links import LinkEdit, NewLinkSettings
from sparks.model.share import LinkCaps, LinkPermission

MAX_PHOTOS: Final = 500  # of one request

Allowed = Annotated[
    list[LinkPermission],
    Field(
        min_length=1,
        max_length=4,
        description="`view` the album, `download` visible photos, `upload` photos, `find` oneself by a selfie.",
    ),
]
PersonIds = Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=5)]
FileTypes = Annotated[list[Annotated[str, Field(max_length=80)]], Field(max_length=20)]
Ids = Annotated[list[ImageIdField], Field(max_length=MAX_PHOTOS)]

# -- Share links


class CapsRequest(RequestModel):
    """The most photos and bytes that guests may upload by the link, in all and each. Deleted photos do not count."""

    photos: PhotoCount | None = None
    bytes: ByteCount | None = None
    guest_photos: PhotoCount | None = None
    guest_bytes: ByteCount | None = None
    types: FileTypes = Field(default_factory=list, description="`image`, `video`, or types such as `image/jpeg`.")

    def caps(self) -> LinkCaps:
        return LinkCaps(
            photos=self.photos,
            bytes=self.bytes,
            guest_photos=self.guest_photos,
            guest_bytes=self.guest_bytes,
            types=tuple(dict.fromkeys(each.lower() for each in self.types)),
        )


class LinkRequest(RequestModel):
    password: NewPassword | None = None
    expires_at: FutureTime | None = None
    reveal_at: FutureTime | None = Field(None, description="Until then, guests see only their own uploads.")
    moderated: StrictBool = Field(default=False, description="Uploads of guests are shown once the host approves them.")
    show_metadata: StrictBool = Field(
        default=False, description="Whether guests see and download place, camera, tags and file names."
    )
    ask_name: StrictBool = False
    caps: CapsRequest | None = None


class NewLinkRequest(LinkRequest):
    """A link to the album; with `persons`, only to its photos that show all of these persons."""

    allow: Allowed
    persons: PersonIds = Field(default_factory=list)

    def settings(self) -> NewLinkSettings:
        return NewLinkSettings(
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


class LinkChangeRequest(LinkRequest):
    """A field that is left out stays as it is; null clears it."""

    allow: Allowed | None = None

    def edit(self) -> LinkEdit:
        named: dict[str, Any] = {name: getattr(self, name) for name in self.model_fields_set}
        if named.get("allow") is not None:
            named["allow"] = frozenset(named["allow"])
        if named.get("caps") is not None:
            named["caps"] = named["caps"].caps()
        if "password" in named:
            named["password_hash"] = _hashed(named.pop("password"))
        return LinkEdit(**{name: value for name, value in named.items() if name != "allow" or value is not None})


def _hashed(password: NewPassword | None) -> str | None:
    return None if password is None else hash_link_password(password.get_secret_value())


# -- Guests


class LinkPreviewRequest(RequestModel):
    secret: SecretText


class OpenLinkRequest(LinkPreviewRequest):
    """With a password or a name, if the link asks for one."""

    password: NewPassword | None = None
    name: UserName | None = None


class GuestChangeRequest(RequestModel):
    name: UserName


# -- Moderation


class ModerationRequest(RequestModel):
    """The ids of photos that await approval; at least one."""

    approve: Ids = Field(default_factory=list)
    reject: Ids = Field(default_factory=list)
