"""Port of a layout: the place of an item in the gallery's rows, and the columns that it gives to them."""

from typing import Any, ClassVar, Final, NamedTuple, Protocol

from sparks.migrate.dynamodb.items import Item

APPENDED: Final = "+"  # before the name of a column: the parts of a row are collected in a list
NO_USER: Final = "(none)"  # the user of items that name none


class Place(NamedTuple):
    """A row, or a part of one. `part` is empty for the item that makes the row; the others only add to it."""

    table: str
    id: str
    part: str = ""


class Layout(Protocol):
    KEYS: ClassVar[frozenset[frozenset[str]]]
    """The names of the key attributes of its tables."""

    def __init__(self, owner: str | None) -> None:
        """`owner` is the account of photos, in a layout without users."""

    @staticmethod
    def claims(item: Item) -> bool:
        """Whether only this layout has such items."""

    def place(self, key: Item) -> Place | None:
        """The place of an item by its key attributes; None for one that Sparks does not need."""

    def columns(self, item: Item, place: Place) -> dict[str, Any] | None:
        """The columns that the item gives to its row; None where it counts as deleted."""

    def user_named(self, user_id: str) -> dict[str, Any]:
        """The columns of a user whom photos name and who has no item."""

    def album_named(self, album_id: str, user_id: str) -> dict[str, Any]:
        """The columns of an album that photos name and that has no item."""
