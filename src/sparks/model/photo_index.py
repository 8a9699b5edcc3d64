"""Index rows that lead to a photo: month, tag, favorite, expiry, digest, external id; and their counters.

The photo's own row decides what is shown.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any

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
    """The photo, album or user that has another id in the service that it came from.

    `system` is the name of the service's table. `target_id` is an image id, an album id or an e-mail address, and None
    where the row could not be taken. `issues` are the fields that could not be taken as they are: `field`, `value`,
    `reason` and `taken`.
    """

    system: str
    old_id: str
    target_id: str | None = None
    owner: str | None = None
    issues: tuple[Mapping[str, Any], ...] = field(default=(), hash=False)

    @property
    def digit(self) -> str:
        """A hex digit by which the rows of a system are listed in sixteen lists of about the same length."""
        return sha256(self.old_id.encode()).hexdigest()[0]


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
