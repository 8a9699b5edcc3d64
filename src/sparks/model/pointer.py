"""What leads to a photo: a tag, a month, a favourite, its bytes, an id from before. The photo's own row decides."""

from dataclasses import dataclass
from datetime import datetime

from sparks.model.photo import AssetType
from sparks.model.scope import Scope
from sparks.model.stored import Stored


@dataclass(frozen=True, slots=True, kw_only=True)
class TagLink(Stored):
    """A photo with a tag: in the owner's list, or in the community's. `counted` says whether the counter knows it."""

    image_id: str
    owner: str
    tag: str
    community: bool = False
    counted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthLink(Stored):
    """A photo in a month of a timeline, with what is needed to draw its place. `counted` as in TagLink."""

    image_id: str
    owner: str
    scope: Scope
    month: str
    asset_type: AssetType = AssetType.IMAGE
    aspect_ratio: float | None = None
    thumbhash: bytes | None = None
    duration: float | None = None
    taken_at: datetime | None = None
    taken_offset: str | None = None
    counted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Favourite(Stored):
    image_id: str
    owner: str
    who: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Expiry(Stored):
    """A photo that its uploader wanted kept until then, and no longer."""

    image_id: str
    owner: str
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SameBytes(Stored):
    """The photo that these bytes are already, for this account or guest. `digest` is a sha256 or a sha1, in hex."""

    who: str
    digest: str
    image_id: str
    owner: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias(Stored):
    """The photo that had another id in the system it came from."""

    system: str
    old_id: str
    image_id: str
    owner: str
