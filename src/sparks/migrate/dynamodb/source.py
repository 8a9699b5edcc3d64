"""Tables of DynamoDB as a source: rows come from the staging file that their items were read into."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Final

from sparks.library.people.source_faces import REKOGNITION_FACES
from sparks.migrate.dynamodb.address import Address, parse_address
from sparks.migrate.dynamodb.exports import export_files, read_items
from sparks.migrate.dynamodb.items import Item
from sparks.migrate.dynamodb.layouts import LAYOUTS, recognized
from sparks.migrate.dynamodb.layouts.port import APPENDED, Layout, Place
from sparks.migrate.dynamodb.staging import StagedItem, Staging
from sparks.migrate.dynamodb.tables import Tables
from sparks.migrate.records import ALL_TABLES, Row
from sparks.model.errors import BadInput, Busy, Conflict, Unavailable
from sparks.model.migration import PERSONS

SAMPLE: Final = 1000  # items of a table or file, to recognize the layout by
MAX_TABLES: Final = 6
BATCH: Final = 1000  # items of a file in a transaction
NOT_READ: Final = "the tables of the source are not read completely: run `sparks migrate capture` again"


class StagedSource:
    """Tables, live or in files, with the staging file that holds what was read of them."""

    tables: Final = ALL_TABLES
    has_way_back: Final = False

    def __init__(self, address: Address, staging: Staging, options: Mapping[str, Any], *, is_temporary: bool) -> None:
        self.address = address
        self.staging = staging
        self._options = options
        self._is_temporary = is_temporary
        self.stops: Callable[[], bool] = lambda: False  # whether reading is to end
        self.on_read: Callable[[int], None] = lambda _: None  # gets the number of items that a pass has read
        self._read = 0
        self._is_interrupted = False

    @classmethod
    def connect(cls, url: str, options: Mapping[str, Any]) -> "StagedSource":
        """`options` may name the file `staging`; without one, a temporary file is filled when rows are read."""
        address, path = parse_address(url), options.get("staging")
        if path is not None:
            return cls(address, Staging(Path(path)), options, is_temporary=False)
        with tempfile.NamedTemporaryFile(prefix="sparks-plan-", suffix=".db", delete=False) as file:
            return cls(address, Staging(Path(file.name)), options, is_temporary=True)

    def close(self) -> None:
        if self._is_temporary:
            self.staging.delete()
        else:
            self.staging.close()

    def check_tables(self) -> None:
        """BadInput where the tables are missing or cannot be reached, or their layout is not known."""
        try:
            self.staging.note(layout=self._recognized())
        except Unavailable as error:
            raise BadInput(f"{error}: look at the address in --from, and at AWS's credentials") from error

    @property
    def layout_name(self) -> str:
        return str(self.staging.get("layout"))

    @cached_property
    def layout(self) -> Layout:
        name = self.staging.get("layout")
        if name is None:
            raise Conflict(NOT_READ)
        return LAYOUTS[name](self._options.get("owner"))

    @cached_property
    def live(self) -> Tables:
        return Tables(self.address)

    def _recognized(self) -> str:
        told = self._options.get("layout")
        if self.address.path is not None:
            files = export_files(self.address.path)
            sample = (item for file in files for item in islice(read_items(file), SAMPLE))
            return recognized(islice(sample, SAMPLE * MAX_TABLES)) if told is None else str(told)
        keys = [frozenset(self.live.key_names(table)) for table in self.address.tables]
        return (
            str(told)
            if told is not None
            else recognized((item for table in self.address.tables for item in self.live.sample(table)), keys)
        )

    # -- Passes

    def read_all(self, *, anew: bool = True) -> None:
        """A pass over all items. Without `anew`, one that was interrupted goes on."""
        self._read = 0
        reached = self.staging.begin_pass(anew=anew)
        if self.address.path is not None:
            self._read_files(reached)
        else:
            self._scan(reached)
        self.staging.end_pass(self.layout.user_named, self.layout.album_named)

    def _read_files(self, reached: Mapping[str, Any]) -> None:
        for file in export_files(self.address.path or Path()):
            if str(file) in reached:
                continue
            items = read_items(file)
            while some := list(islice(items, BATCH)):
                self._put(some)
            self.staging.put((), {str(file): True})

    def _scan(self, reached: Mapping[str, Any]) -> None:
        segments = self.address.segments
        todo = [(table, segment) for table in self.address.tables for segment in range(segments)]
        live = self.live  # connected before the threads begin

        def scan(table: str, segment: int) -> None:
            name = f"{table}/{segment}/{segments}"
            state = reached.get(name)
            if state is True:
                return
            for items, following in live.scan(table, segment, segments, state, stops=self._stops):
                self._put(items, {name: following or True})

        self._is_interrupted = False
        with ThreadPoolExecutor(segments) as pool:
            try:
                for _ in pool.map(lambda each: scan(*each), todo):
                    continue
            except BaseException:
                self._is_interrupted = True  # the other threads end with their pages
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _stops(self) -> bool:
        return self._is_interrupted or self.stops()

    def _put(self, items: Sequence[Item], reached: Mapping[str, Any] | None = None) -> None:
        if self._stops():
            raise Busy("reading of the tables was stopped")
        self.staging.put(self.staged(items), reached)
        self._read += len(items)
        self.on_read(self._read)

    def staged(self, items: Iterable[Item]) -> Iterator[StagedItem]:
        """The items at their places; those that Sparks does not need are left out."""
        for item in items:
            place = self.place(item)
            if place is not None:
                yield StagedItem(place, item_key(item, place), self.layout.columns(item, place))

    def place(self, item: Item) -> Place | None:
        """BadInput for an item without the keys of the layout."""
        try:
            return self.layout.place(item)
        except KeyError as error:
            raise BadInput(
                f"an item without {error} is none of the layout {self.layout_name}: tell another one with --layout"
            ) from error

    # -- Rows

    def count(self, table: str) -> int:
        return self._filled().count(table)

    def page(self, table: str, after: str | None, limit: int) -> list[Row]:
        return self._completed(table, self._filled().page(table, after, limit))

    def rows(self, table: str, ids: Sequence[str]) -> dict[str, Row]:
        return {row["id"]: row for row in self._completed(table, self._filled().rows(table, ids))}

    def ids_naming(self, table: str, column: str, ids: Sequence[str]) -> list[str]:
        return self._filled().ids_naming(table, column, ids)

    def _filled(self) -> Staging:
        if not self.staging.is_filled:
            if not self._is_temporary:
                raise Conflict(NOT_READ)
            self.read_all()
        return self.staging

    def _completed(self, table: str, rows: list[dict[str, Any]]) -> list[Row]:
        """Persons with the places of their faces in photos."""
        if table == PERSONS:
            members = [face for row in rows for face in row.get("members", ())]
            found = self.staging.faces(members)
            alone = self.staging.taggings([photo for row in rows for photo in row.get("photos", ())])
            for row in rows:
                row["faces"] = [
                    {"face_id": face, "photo_id": photo, "bbox": columns[f"{APPENDED}{REKOGNITION_FACES}"].get("bbox")}
                    for face in row.pop("members", ())
                    for photo, columns in found.get(face, ())
                ]
                photos = row.pop("photos", ())
                row["alone_in"] = [photo for photo in photos if alone.get(photo) == 1]
                row["among_others"] = len(photos) - len(row["alone_in"])
        return list(rows)


def item_key(item: Item, place: Place) -> str:
    """The item's key as text: two items of the same id differ in it."""
    names = ("PK", "SK") if "PK" in item else ("username", "id") if "username" in item else ()
    return "/".join(str(item[name]) for name in names) or place.id
