"""The listed and counted photos, from all rows: the months and tags that lead to photos, and their counters."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from sparks.library.photos.reconcile_links import link_rows_of
from sparks.library.records import from_item
from sparks.model.photo import Photo
from sparks.model.photo_index import MonthLink, TagLink
from sparks.table.port import Item, Key, Table
from tests.account_makers import everything


class Listed(NamedTuple):
    """A row that leads to a photo: the counter that is to know of it, what it draws, and whether it is counted."""

    counter: Key
    drawn: dict[str, Any]
    counted: bool


def listed(items: Iterable[Item]) -> Iterator[Listed]:
    for item in items:
        match item["SK"].split("#", 1):
            case ["MONTH", scope]:
                counter = Key(f"TIMELINE#{scope}", item["entityType"].rpartition("#")[2])
            case ["TAG", tag]:
                counter = Key(f"TAGS#{item['owner']}", tag)
            case ["TAGALL", tag]:
                counter = Key("TAGS#ALL", tag)
            case _:
                continue
        yield Listed(counter, item, item["counted"])


def counters(items: Iterable[Item]) -> dict[Key, Item]:
    return {Key(item["PK"], item["SK"]): item for item in items if item["PK"].startswith(("TIMELINE#", "TAGS#"))}


def counts_in(table: Table) -> dict[tuple[str, str], int]:
    return {key: item["count"] for key, item in counters(everything(table)).items()}


def check_counts(items: Iterable[Item]) -> None:
    """At every moment: a counter is the number of rows that say they are counted, and none is there for nothing."""
    items = list(items)
    counted = Counter(row.counter for row in listed(items) if row.counted)
    assert {key: item["count"] for key, item in counters(items).items()} == dict(counted)


def check_settled(table: Table, *owners: str) -> None:
    """At rest: every photo of these owners has the rows that it should have, all counted."""
    items = everything(table)
    check_counts(items)
    photos = [from_item(Photo, item) for item in items if item["SK"].startswith("UPLOADED_BY#")]
    wanted = {link for photo in photos if photo.owner in owners for link in link_rows_of(photo)}
    assert {replace(link, extra={}) for link in _links(items) if link.owner in owners} == wanted


def _links(items: Iterable[Item]) -> Iterator[MonthLink | TagLink]:
    for item in items:
        match item["SK"].partition("#")[0]:
            case "MONTH":
                yield from_item(MonthLink, item)
            case "TAG" | "TAGALL":
                yield from_item(TagLink, item)
