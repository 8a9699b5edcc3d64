"""Record types of rows that lead to a photo (months, tags, favorites, digests), and of their counters."""

from collections.abc import Mapping
from typing import Any, Final

from sparks.library import entity_types, keys
from sparks.library.records.attributes import choice, maps, number, plain, time
from sparks.library.records.record_type import KeyPattern, RecordType
from sparks.model.migration import ISSUE_FIELDS, OTHER_FIELD
from sparks.model.photo import AssetType
from sparks.model.photo_index import (
    ContentDigest,
    Expiry,
    ExternalId,
    Favorite,
    MonthCounter,
    MonthLink,
    TagCounter,
    TagLink,
)
from sparks.table.port import EntityType

MONTH_TYPE: Final = KeyPattern("MONTH#{scope..}#{month}")


def _tag_type(link: TagLink) -> EntityType:
    return entity_types.community_tag(link.tag) if link.community else entity_types.tag(link.owner, link.tag)


def _external_id_type(alias: ExternalId) -> EntityType:
    """Rows with issues are listed by the field of the first one."""
    if not alias.issues:
        return entity_types.external_id(alias.system, alias.digit)
    field = alias.issues[0].get("field")
    return entity_types.migration_issue(field if field in ISSUE_FIELDS else OTHER_FIELD)


def _read_tag_type(entity_type: str) -> Mapping[str, Any]:
    if not entity_type.startswith("TAG#"):
        raise ValueError("an entityType of another kind")
    return {"community": entity_type.startswith("TAG#ALL#")}


TAG_LINK: Final = RecordType(
    TagLink,
    plain("owner"),
    plain("counted"),
    pk="{image_id}",
    sk="{}#{tag..}",
    key=lambda link: keys.tag_link(link.image_id, link.tag, community=link.community),
    entity_type=_tag_type,
    read_type=_read_tag_type,
)

MONTH_LINK: Final = RecordType(
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

FAVORITE: Final = RecordType(
    Favorite,
    plain("owner"),
    time("createdAt"),
    pk="{image_id}",
    sk="FAVORITE#{who..}",
    key=lambda favorite: keys.favorite(favorite.image_id, favorite.who),
    entity_type=lambda favorite: entity_types.favorite(favorite.who),
)

EXPIRY: Final = RecordType(
    Expiry,
    plain("owner"),
    time("expiresAt"),
    pk="{image_id}",
    sk="EXPIRES",
    key=lambda expiry: keys.expiry(expiry.image_id),
    entity_type=lambda _: entity_types.EXPIRING,
)

CONTENT_DIGEST: Final = RecordType(
    ContentDigest,
    plain("imageId"),
    plain("owner"),
    pk="HASH#{who..}#{digest}",
    sk="HASH",
    key=lambda same: keys.content_digest(same.who, same.digest),
)

EXTERNAL_ID: Final = RecordType(
    ExternalId,
    plain("imageId", "target_id"),
    plain("owner"),
    maps("issues", absent=()),
    pk="ALIAS#{system}#{old_id..}",
    sk="ALIAS",
    key=lambda alias: keys.external_id(alias.system, alias.old_id),
    entity_type=_external_id_type,
)


MONTH_COUNTER: Final = RecordType(
    MonthCounter,
    plain("count"),
    plain("version"),
    pk="TIMELINE#{scope..}",
    sk="{month}",
    key=lambda counter: keys.month_counter(counter.scope, counter.month),
)


TAG_COUNTER: Final = RecordType(
    TagCounter,
    plain("count"),
    plain("version"),
    pk="TAGS#{scope..}",
    sk="{tag..}",
    key=lambda counter: keys.tag_counter(counter.scope, counter.tag),
)
