"""Rows under old keys, seen under new ones: the translation of requests and results until a re-keying is complete."""

from collections.abc import Sequence
from dataclasses import replace

from sparks.library.schema import Rekeying, apply_rekeyings, revert_rekeyings
from sparks.model.errors import ConditionFailed
from sparks.table.port import Between, Change, Item, Key, Page, Partition, Prefix, Put, Span, Within


class KeyView:
    """`new_..` leads from the stored form to the form that this Sparks uses, `old_..` back."""

    def __init__(self, rekeyings: Sequence[Rekeying]) -> None:
        self.rekeyings = tuple(rekeyings)

    def new_key(self, key: Key) -> Key:
        return key if not self.rekeyings else Key(apply_rekeyings(key.pk, self.rekeyings), key.sk)

    def old_key(self, key: Key) -> Key:
        return key if not self.rekeyings else Key(revert_rekeyings(key.pk, self.rekeyings), key.sk)

    def new_item(self, item: Item) -> Item:
        return item if not self.rekeyings else {**item, "PK": apply_rekeyings(item["PK"], self.rekeyings)}

    def new_page(self, page: Page) -> Page:
        if not self.rekeyings:
            return page
        after = None if page.after is None else self.new_key(page.after)
        return Page([self.new_item(item) for item in page.items], after)

    def old_change(self, change: Change) -> Change:
        if not self.rekeyings:
            return change
        key = self.old_key(change.key)
        if isinstance(change, Put):
            return replace(change, item={**change.item, "PK": key.pk})
        return replace(change, key=key)

    def old_query(self, within: Within, span: Span) -> tuple[Within, Span]:
        """The span of an index is one of PK. Its bounds may be pieces of a PK."""
        if not self.rekeyings:
            return within, span
        if isinstance(within, Partition):
            return Partition(revert_rekeyings(within.pk, self.rekeyings)), span
        for rekeying in reversed(self.rekeyings):
            span = _old_span(rekeying, span)
        return within, span

    def new_failure(self, failed: ConditionFailed) -> ConditionFailed:
        return ConditionFailed(failed.position, None if failed.found is None else self.new_item(dict(failed.found)))


def _old_span(rekeying: Rekeying, span: Span) -> Span:
    match span:
        case Prefix(text):
            old = _old_bound(rekeying, text)
            return Prefix(old) if old else Between()
        case Between(low, high):
            return Between(_old_bound(rekeying, low), _old_bound(rekeying, high))


def _old_bound(rekeying: Rekeying, text: str | None) -> str | None:
    if text is None or not text.startswith(rekeying.new_prefix):
        return text
    return rekeying.old_prefix + text.removeprefix(rekeying.new_prefix)
