"""DynamoDB expressions and parameters for writes, conditions and queries.

Expressions contain names and values only as placeholders (`#0`, `:0`), because `limit`, `ttl` and many other words are
reserved in DynamoDB.
"""

from typing import Any, Final, Literal

from sparks.table.dynamodb.serializer import Wire, pack, pack_item, pack_key
from sparks.table.port import (
    Absent,
    Add,
    AtLeast,
    AttributeAbsent,
    Between,
    Change,
    Check,
    Condition,
    Conditions,
    Delete,
    EntityType,
    Equals,
    Key,
    NotEquals,
    Partition,
    Prefix,
    Present,
    Put,
    Set,
    Span,
    UploadedBy,
    Within,
)
from sparks.table.rules import KEY, attributes_of

Action = Literal["Put", "Update", "Delete", "ConditionCheck"]
Parameters = dict[str, Any]
ENTITY_INDEX: Final = "entityType-PK-index"
UPLOADER_INDEX: Final = "uploadedBy-PK-index"


class Placeholders:
    """Placeholders for the names and values of one request."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._values: dict[str, Wire] = {}

    def name(self, name: str) -> str:
        return self._names.setdefault(name, f"#{len(self._names)}")

    def value(self, value: Any) -> str:
        placeholder = f":{len(self._values)}"
        self._values[placeholder] = pack(value)
        return placeholder

    def parameters(self) -> Parameters:
        """The parameters that are not empty; DynamoDB refuses empty ones."""
        names = {placeholder: name for name, placeholder in self._names.items()}
        both = {"ExpressionAttributeNames": names, "ExpressionAttributeValues": self._values}
        return {parameter: known for parameter, known in both.items() if known}


def request_for(change: Change, *, table: str) -> tuple[Action, Parameters]:
    """The action and its parameters, the same for a single request and within a transaction."""
    places = Placeholders()
    texts = {"ConditionExpression": conditions_text(change.when, places)} if change.when else {}
    action, what = _action(change, places)
    return action, {"TableName": table, **what, **texts, **places.parameters()}


def _action(change: Change, places: Placeholders) -> tuple[Action, Parameters]:
    match change:
        case Put():
            return "Put", {"Item": pack_item(change.item)}
        case Delete():
            return "Delete", {"Key": pack_key(change.key)}
        case Set() | Add():
            return "Update", {"Key": pack_key(change.key), "UpdateExpression": update_text(change, places)}
        case Check():
            return "ConditionCheck", {"Key": pack_key(change.key)}


def conditions_text(when: Conditions, places: Placeholders) -> str:
    return " AND ".join(condition_text(condition, places) for condition in when)


def condition_text(condition: Condition, places: Placeholders) -> str:
    match condition:
        case Absent():
            return f"attribute_not_exists({places.name('PK')})"
        case Present():
            return f"attribute_exists({places.name('PK')})"
        case AttributeAbsent(name):
            return f"attribute_not_exists({places.name(name)})"
        case Equals(name, value):
            return f"{places.name(name)} = {places.value(value)}"
        case NotEquals(name, value):
            place = places.name(name)
            return f"(attribute_not_exists({place}) OR {place} <> {places.value(value)})"
        case AtLeast(name, value):
            return f"{places.name(name)} >= {places.value(value)}"


def update_text(change: Set | Add, places: Placeholders) -> str:
    values = [f"{places.name(name)} = {places.value(change.values[name])}" for name in sorted(change.values)]
    clauses = {"SET": values}
    match change:
        case Set(remove=remove):
            clauses["REMOVE"] = [places.name(name) for name in sorted(remove)]
        case Add(amounts=amounts):
            clauses["ADD"] = [f"{places.name(name)} {places.value(amounts[name])}" for name in sorted(amounts)]
    return " ".join(f"{verb} {', '.join(parts)}" for verb, parts in clauses.items() if parts)


def span_text(name: str, span: Span, places: Placeholders) -> str | None:
    """The condition on the sort key `name`, or None for the whole range."""
    match span:
        case Prefix(text):
            return f"begins_with({places.name(name)}, {places.value(text)})"
        case Between(low, high) if low and high is not None:
            return f"{places.name(name)} BETWEEN {places.value(low)} AND {places.value(high)}"
        case Between(low) if low:
            return f"{places.name(name)} >= {places.value(low)}"
        case Between(high=high) if high is not None:
            return f"{places.name(name)} <= {places.value(high)}"
        case _:
            return None


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
    """The ExclusiveStartKey. In an index it holds the key of the index and that of the item."""
    own = pack_key(after)
    return own if isinstance(within, Partition) else own | {attributes_of(within)[0]: {"S": within.value}}


def is_empty(span: Span) -> bool:
    """Whether no key can be in the span; DynamoDB refuses such a query."""
    return isinstance(span, Between) and span.high is not None and (span.high == "" or (span.low or "") > span.high)


def is_past(within: Within, span: Span, key: Key, *, newest_first: bool) -> bool:
    """Whether no key of the span can follow this one.

    DynamoDB Local refuses to continue from a key that is exactly the end of the span, although it may have returned
    that key itself. In an index, other items with the same sort key may follow.
    """
    if not isinstance(within, Partition) or not isinstance(span, Between):
        return False
    return key.sk == (span.low if newest_first else span.high)


def _index(within: EntityType | UploadedBy) -> str:
    return ENTITY_INDEX if isinstance(within, EntityType) else UPLOADER_INDEX
