"""Values of the model as items of the table, and back. Each kind of row is one table of attributes in this folder."""

from typing import Any, Final

from sparks.library.records import account, album, archive, forgetting, ledger, person, photo, pointer, share
from sparks.library.records.fields import T
from sparks.library.records.shape import Shape
from sparks.model.errors import BadInput
from sparks.model.stored import Stored
from sparks.table.port import Conditions, Item, Key, Present, Set
from sparks.table.values import same

SHAPES: Final[dict[type[Stored], Shape[Any]]] = {
    shape.kind: shape
    for module in (account, album, archive, forgetting, ledger, person, photo, pointer, share)
    for shape in vars(module).values()
    if isinstance(shape, Shape)
}
THERE: Final[Conditions] = (Present(),)


def key_of(value: Stored) -> Key:
    return _shape(type(value)).key(value)


def to_item(value: Stored) -> Item:
    return _shape(type(value)).write(value)


def from_item(kind: type[T], item: Item) -> T:
    """Damaged where the item is not a row of this kind."""
    value: T = _shape(kind).read(item)
    return value


def changes(before: T, after: T, *, when: Conditions = THERE) -> Set:
    """What to write so that the row of `before` becomes that of `after`, and nothing else of it is touched."""
    old, new = to_item(before), to_item(after)
    key = key_of(before)
    if key_of(after) != key:
        raise BadInput("a row keeps its key: what has another one is another row")
    values = {name: value for name, value in new.items() if name not in old or not same(old[name], value)}
    return Set(key, values, frozenset(old.keys() - new.keys()), when)


def _shape(kind: type[Stored]) -> Shape[Any]:
    shape = SHAPES.get(kind)
    if shape is None:
        raise BadInput(f"a {kind.__name__} has no row of its own")
    return shape
