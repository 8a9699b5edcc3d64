"""Index rows that lead to a photo: month, tag, favorite, expiry, digest, external id; and their counters.

The photo's own row decides what is shown.
"""

from dataclasses import dataclass
from datetime import datetime

from sparks.model.photo import AssetType
from sparks.model.scope import Scope
from sparks.model.stored import Stored


@dataclass(frozen=True, slots=True, kw_only=True)
class TagLink(Stored):
    """A photo with a tag: in the owner's list, or in the community's. `counted`: whether the counter includes it."""

    image_id: str
    owner: str
    tag: str
    community: bool = False
    counted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthLink(Stored):
    """A photo in a month of a timeline, with the attributes that draw its tile. `counted` as in TagLink."""

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
class Favorite(Stored):
    image_id: str
    owner: str
    who: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Expiry(Stored):
    """A photo that its uploader wants deleted at a time."""

    image_id: str
    owner: str
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentDigest(Stored):
    """The photo that an account or guest has of these bytes. `digest` is a sha256 or a sha1, in hex."""

    who: str
    digest: str
    image_id: str
    owner: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalId(Stored):
    """The photo that had another id in the system that it came from."""

    system: str
    old_id: str
    image_id: str
    owner: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthCounter(Stored):
    """`version` rises with every change: what is built from the month is valid for one version."""

    scope: Scope
    month: str
    count: int = 0
    version: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TagCounter(Stored):
    scope: Scope
    tag: str
    count: int = 0
    version: int = 0
