"""A query as DynamoDB wants it: which index, which key condition, where to go on."""

from typing import Final

from sparks.table.dynamodb.expressions import Parameters, Placeholders, span_text
from sparks.table.dynamodb.wire import Wire, pack_key
from sparks.table.port import Between, EntityType, Key, Partition, Span, UploadedBy, Within
from sparks.table.rules import KEY, attributes_of

ENTITY_INDEX: Final = "entityType-PK-index"
UPLOADER_INDEX: Final = "uploadedBy-PK-index"


def query_parameters(
    within: Within, span: Span, *, newest_first: bool, only: frozenset[str] | None = None
) -> Parameters:
    hash_name, value, sort_name = attributes_of(within)
    places = Placeholders()
    texts = [f"{places.name(hash_name)} = {places.value(value)}"]
    if (text := span_text(sort_name, span, places)) is not None:
        texts.append(text)
    part = {} if only is None else {"ProjectionExpression": ", ".join(map(places.name, sorted(only | KEY)))}
    where: Parameters = {"ConsistentRead": True} if isinstance(within, Partition) else {"IndexName": _index(within)}
    condition = {"KeyConditionExpression": " AND ".join(texts), **places.parameters()}
    return where | part | condition | {"ScanIndexForward": not newest_first}


def start_key(within: Within, after: Key) -> Wire:
    """Where to go on. An index orders by its own key and then by the item's."""
    own = pack_key(after)
    return own if isinstance(within, Partition) else own | {attributes_of(within)[0]: {"S": within.value}}


def is_empty(span: Span) -> bool:
    """Whether no key can lie in the span, which DynamoDB refuses to look for."""
    return isinstance(span, Between) and span.high is not None and (span.high == "" or (span.low or "") > span.high)


def is_past(within: Within, span: Span, key: Key, *, newest_first: bool) -> bool:
    """Whether nothing of the span can lie behind the key.

    [Note: last key] Where the key is the very end of the span, DynamoDB Local refuses to go on from it, although it may
    have named it itself. Within an index other items with the same sort key may follow.
    """
    if not isinstance(within, Partition) or not isinstance(span, Between):
        return False
    return key.sk == (span.low if newest_first else span.high)


def _index(within: EntityType | UploadedBy) -> str:
    return ENTITY_INDEX if isinstance(within, EntityType) else UPLOADER_INDEX
