"""Search in memory by checking every document: the reference adapter."""

import threading
from collections.abc import Collection, Iterable
from datetime import datetime

from sparks.search.match_rules import check_words, tier_of
from sparks.search.port import Document, Hit, HitPosition, IndexQuery, NameEntry, NameKind, Sort


class MemorySearch:
    def __init__(self) -> None:
        self._documents: dict[str, Document] = {}
        self._names: dict[tuple[NameKind, str], frozenset[str]] = {}
        self._position: datetime | None = None
        self._lock = threading.Lock()

    def put(self, documents: Iterable[Document], *, anew: bool = False) -> None:  # noqa: ARG002  always stored
        coming = {document.image_id: document for document in documents}
        with self._lock:
            self._documents |= coming

    def remove(self, image_ids: Iterable[str]) -> None:
        with self._lock:
            for image_id in image_ids:
                self._documents.pop(image_id, None)

    def find(self, query: IndexQuery, *, by: Sort, limit: int, after: HitPosition | None = None) -> list[Hit]:
        check_words(query)
        with self._lock:
            documents = list(self._documents.values())
        found = []
        for document in documents:
            tier = tier_of(document, query)
            if tier is not None:
                place = HitPosition(tier if by is Sort.RELEVANCE else 0, document.time, document.image_id)
                found.append(Hit(place, document.owner))
        found.sort(key=lambda hit: (-hit.position.tier, hit.position.time, hit.image_id), reverse=True)
        return [hit for hit in found if after is None or _is_behind(hit.position, after)][:limit]

    def put_names(self, names: Iterable[NameEntry]) -> None:
        with self._lock:
            for name in names:
                self._names.pop((name.kind, name.id), None)
                if name.words:
                    self._names[name.kind, name.id] = name.words

    def names(self, kind: NameKind, words: Collection[str]) -> dict[str, bool]:
        with self._lock:
            theirs = [(each, known) for (of, each), known in self._names.items() if of is kind]
        begun = [
            (each, known) for each, known in theirs if all(any(w.startswith(word) for w in known) for word in words)
        ]
        return {each: known.issuperset(words) for each, known in begun}

    def cameras(self) -> list[str]:
        with self._lock:
            return sorted({document.camera for document in self._documents.values() if document.camera is not None})

    def ids(self) -> set[str]:
        with self._lock:
            return set(self._documents)

    def named_ids(self, kind: NameKind) -> set[str]:
        with self._lock:
            return {each for of, each in self._names if of is kind}

    def count(self) -> int:
        return len(self._documents)

    def position(self) -> datetime | None:
        return self._position

    def advance(self, position: datetime) -> None:
        self._position = position

    def check(self) -> None:
        """Memory is never damaged."""

    def clear(self) -> None:
        with self._lock:
            self._documents, self._names, self._position = {}, {}, None

    def close(self) -> None:
        """Memory holds nothing open."""


def _is_behind(position: HitPosition, after: HitPosition) -> bool:
    if position.tier != after.tier:
        return position.tier > after.tier
    return (position.time, position.image_id) < (after.time, after.image_id)
