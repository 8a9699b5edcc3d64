"""Changes, conditions and spans as DynamoDB's expressions.

[Note: reserved words] Names and values stand in an expression as `#0` and `:0` only, so that `limit`, `ttl` and
whatever DynamoDB reserves next are names like any other.
"""

from typing import Any, Literal

from sparks.table.dynamodb.wire import Wire, pack, pack_item, pack_key
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
    Equals,
    NotEquals,
    Prefix,
    Present,
    Put,
    Set,
    Span,
)

Action = Literal["Put", "Update", "Delete", "ConditionCheck"]
Parameters = dict[str, Any]


class Placeholders:
    """What stands for the names and values of one request."""

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
        """DynamoDB refuses them where they are empty."""
        names = {placeholder: name for name, placeholder in self._names.items()}
        both = {"ExpressionAttributeNames": names, "ExpressionAttributeValues": self._values}
        return {parameter: known for parameter, known in both.items() if known}


def request_for(change: Change, *, table: str) -> tuple[Action, Parameters]:
    """What to do and with which parameters, the same alone and within a transaction."""
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
    """The condition on the sort key `name`, or None where there is none."""
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
