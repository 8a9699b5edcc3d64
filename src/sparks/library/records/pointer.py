"""What leads to a photo, as rows."""

from collections.abc import Mapping
from typing import Any, Final

from sparks.library import entity_types, keys
from sparks.library.records.attributes import choice, number, plain, time
from sparks.library.records.pattern import Pattern
from sparks.library.records.shape import Shape
from sparks.model.photo import AssetType
from sparks.model.pointer import Alias, Expiry, Favourite, MonthLink, SameBytes, TagLink
from sparks.table.port import EntityType

MONTH_TYPE: Final = Pattern("MONTH#{scope..}#{month}")


def _tag_type(link: TagLink) -> EntityType:
    return entity_types.community_tag(link.tag) if link.community else entity_types.tag(link.owner, link.tag)


def _read_tag_type(entity_type: str) -> Mapping[str, Any]:
    if not entity_type.startswith("TAG#"):
        raise ValueError("an entityType of another kind")
    return {"community": entity_type.startswith("TAG#ALL#")}


TAG_LINK: Final = Shape(
    TagLink,
    plain("owner"),
    plain("counted"),
    pk="{image_id}",
    sk="{}#{tag..}",
    key=lambda link: keys.tag_link(link.image_id, link.tag, community=link.community),
    entity_type=_tag_type,
    read_type=_read_tag_type,
)

MONTH_LINK: Final = Shape(
    MonthLink,
    plain("owner"),
    choice("assetType", AssetType),
    number("aspectRatio"),
    plain("thumbhash"),
    number("duration"),
    time("takenAt"),
    plain("takenOffset"),
    plain("counted"),
    pk="{image_id}",
    sk="MONTH#{scope..}",
    key=lambda link: keys.month_link(link.image_id, link.scope),
    entity_type=lambda link: entity_types.month(link.scope, link.month),
    read_type=MONTH_TYPE.read,
)

FAVOURITE: Final = Shape(
    Favourite,
    plain("owner"),
    time("createdAt"),
    pk="{image_id}",
    sk="FAVORITE#{who..}",
    key=lambda favourite: keys.favourite(favourite.image_id, favourite.who),
    entity_type=lambda favourite: entity_types.favourite(favourite.who),
)

EXPIRY: Final = Shape(
    Expiry,
    plain("owner"),
    time("expiresAt"),
    pk="{image_id}",
    sk="EXPIRES",
    key=lambda expiry: keys.expiry(expiry.image_id),
    entity_type=lambda _: entity_types.EXPIRING,
)

SAME_BYTES: Final = Shape(
    SameBytes,
    plain("imageId"),
    plain("owner"),
    pk="HASH#{who..}#{digest}",
    sk="HASH",
    key=lambda same: keys.same_bytes(same.who, same.digest),
)

ALIAS: Final = Shape(
    Alias,
    plain("imageId"),
    plain("owner"),
    pk="ALIAS#{system}#{old_id..}",
    sk="ALIAS",
    key=lambda alias: keys.alias(alias.system, alias.old_id),
)
