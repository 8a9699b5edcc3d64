"""A writer that never stops, with a model of what it was told to be written."""

import random
import threading
import time
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, Self

from sparks.model.errors import ConditionFailed
from sparks.model.ids import new_image_id
from sparks.table.port import (
    Absent,
    Add,
    Check,
    Delete,
    EntityType,
    Equals,
    Item,
    Key,
    Partition,
    Present,
    Put,
    Set,
    Table,
)

ROWS: Final = 12


class Writer:
    """Changes rows of its own in all ways, and reads each of them back. It speaks the new form of keys."""

    def __init__(self, table: Table, name: str, *, images: str = "IMAGE#", others: str = "LIMIT#") -> None:
        self.expected: dict[Key, Item] = {}
        self.longest = 0.0
        self.writes = 0
        self._table = table
        self._name = name
        self._random = random.Random(name)
        self._images = [Key(f"{images}{new_image_id()}", f"UPLOADED_BY#{name}") for _ in range(ROWS)]
        self._others = [Key(f"{others}{name}-{number}", name) for number in range(3)]
        self._stops = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stops.set()
        self._thread.join()
        if self._failure is not None and error is None:
            raise self._failure

    def step(self) -> None:
        """One write, whose result is read back."""
        key = self._random.choice(self._images)
        other = self._random.choice(self._others)
        began = time.monotonic()
        self._random.choice((self._put, self._set, self._add, self._delete, self._together))(key, other)
        self.longest = max(self.longest, time.monotonic() - began)
        self.writes += 1
        assert self._table.get(key) == self.expected.get(key), key
        assert self._table.get_many([key, other]) == {
            each: self.expected[each] for each in (key, other) if each in self.expected
        }
        self._read_lists(key)

    def _run(self) -> None:
        try:
            while not self._stops.is_set():
                self.step()
        except BaseException as error:  # noqa: BLE001  raised in the test
            self._failure = error

    def _read_lists(self, key: Key) -> None:
        found = self._table.query(Partition(key.pk), limit=5).items
        assert found == [self.expected[key]] if key in self.expected else not found
        listed = [item["PK"] for item in self._table.query(EntityType(self._name), limit=100).items]
        assert listed == sorted(listed)

    def _put(self, key: Key, other: Key) -> None:
        item = self._item(key, text=str(self._random.random()))
        if key in self.expected:
            with suppress(ConditionFailed):
                self._table.write(Put(item, when=(Absent(),)))
                raise AssertionError("a row that is there was put again")
        else:
            self._table.write(Put(item, when=(Absent(),)))
            self.expected[key] = item
        self._table.write(Check(other, (Absent(),)) if other not in self.expected else Check(other, (Present(),)))

    def _set(self, key: Key, _other: Key) -> None:
        text = str(self._random.random())
        if key not in self.expected:
            return self._put(key, _other)
        before = self.expected[key]["text"]
        self._table.write(Set(key, {"text": text}, frozenset({"gone"}), when=(Equals("text", before),)))
        self.expected[key] = {**self.expected[key], "text": text}
        self.expected[key].pop("gone", None)
        return None

    def _add(self, _key: Key, other: Key) -> None:
        self._table.write(Add(other, {"count": 1}))
        self.expected[other] = self._counted(other)

    def _delete(self, key: Key, _other: Key) -> None:
        self._table.write(Delete(key))
        self.expected.pop(key, None)

    def _together(self, key: Key, other: Key) -> None:
        item = self._item(key, text="together", gone=True)
        self._table.write(Put(item), Add(other, {"count": 1}))
        self.expected[key] = item
        self.expected[other] = self._counted(other)

    def _counted(self, key: Key) -> Item:
        count = self.expected.get(key, {}).get("count", 0) + 1
        return {"PK": key.pk, "SK": key.sk, "count": count}

    def _item(self, key: Key, **attributes: Any) -> Item:
        return {"PK": key.pk, "SK": key.sk, "entityType": self._name, **attributes}
