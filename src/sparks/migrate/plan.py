"""Plan: what a migration would take, found without changing anything."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from sparks.migrate.addresses import ambiguous_users
from sparks.migrate.gallery import album_of, person_of, photo_of, user_of
from sparks.migrate.new_rows import NO_OBJECT
from sparks.migrate.objects import Objects
from sparks.migrate.records import Issue, OwnedRecord, Row, SourceRecord, with_issue
from sparks.migrate.source_port import MigrationSource
from sparks.migrate.target import ADDRESS_TAKEN, NO_ALBUM, NO_USER
from sparks.model.migration import ALBUMS, PERSONS, PHOTOS, USERS

PAGE: Final = 500
Progress = Callable[[str, int], None]


@dataclass(slots=True)
class PlanResult:
    """Rows of the source, and their issues by field."""

    counts: dict[str, int] = field(default_factory=dict)
    by_field: Counter[str] = field(default_factory=Counter)
    examples: list[Issue] = field(default_factory=list)

    @property
    def issues(self) -> int:
        return self.by_field.total()

    def add(self, record: SourceRecord, *, examples: int = 10) -> None:
        for issue in record.issues:
            self.by_field[issue.field] += 1
            if self.by_field[issue.field] <= examples:
                self.examples.append(issue)


def plan_migration(
    source: MigrationSource, objects: Objects, addresses: Mapping[str, str], *, on_progress: Progress
) -> PlanResult:
    """Reads every row and looks for every object."""
    return _Plan(source, objects, addresses, on_progress).run()


class _Plan:
    def __init__(
        self, source: MigrationSource, objects: Objects, addresses: Mapping[str, str], on_progress: Progress
    ) -> None:
        self._source = source
        self._objects = objects
        self._addresses = addresses
        self._on_progress = on_progress
        self._ambiguous = ambiguous_users(lambda: self._rows(USERS), self._given)
        self._result = PlanResult()

    def run(self) -> PlanResult:
        for table, name, resolve in (
            (USERS, "users", self._users),
            (ALBUMS, "albums", self._albums),
            (PHOTOS, "photos", self._photos),
            (PERSONS, "persons", lambda rows: [person_of(row) for row in rows]),
        ):
            if table not in self._source.tables:
                continue
            self._result.counts[name] = 0
            for page in self._pages(table):
                for record in resolve(page):
                    self._result.add(record)
                self._result.counts[name] += len(page)
                self._on_progress(name, self._result.counts[name])
        return self._result

    def _given(self, users: list[str]) -> Mapping[str, str]:
        return {user_id: self._addresses[user_id] for user_id in users if user_id in self._addresses}

    def _users(self, rows: Sequence[Row]) -> list[SourceRecord]:
        users = [user_of(row, address=self._addresses.get(row["id"])) for row in rows]
        return [
            with_issue(user, USERS, "email", user.email, ADDRESS_TAKEN, taken=False)
            if user.is_taken and user.id in self._ambiguous
            else user
            for user in users
        ]

    def _albums(self, rows: Sequence[Row]) -> list[SourceRecord]:
        albums = [album_of(row) for row in rows]
        return list(self._owned(ALBUMS, albums))

    def _photos(self, rows: Sequence[Row]) -> list[SourceRecord]:
        photos = [photo_of(row) for row in rows]
        named = sorted({photo.album_id for photo in photos if photo.album_id is not None})
        albums = self._albums(list(self._source.rows(ALBUMS, named).values()))
        taken = {album.id for album in albums if album.is_taken}
        for place, photo in enumerate(photos):
            if self._objects.find(photo.object_key) is None:
                photo = with_issue(photo, PHOTOS, "s3_key", photo.object_key, NO_OBJECT, taken=True)
            if photo.album_id is not None and photo.album_id not in taken:
                photo = with_issue(photo, PHOTOS, "album_id", photo.album_id, NO_ALBUM, taken=True)
            photos[place] = photo
        return list(self._owned(PHOTOS, photos))

    def _owned(self, table: str, records: Sequence[OwnedRecord]) -> Iterator[OwnedRecord]:
        users = self._source.rows(USERS, sorted({record.user_id for record in records}))
        taken = {user.id for user in self._users(list(users.values())) if user.is_taken}
        for record in records:
            blocked = with_issue(record, table, "user_id", record.user_id, NO_USER, taken=False)
            yield record if record.user_id in taken else blocked

    def _rows(self, table: str) -> Iterator[Row]:
        for page in self._pages(table):
            yield from page

    def _pages(self, table: str) -> Iterator[Sequence[Row]]:
        after: str | None = None
        while page := self._source.page(table, after, PAGE):
            yield page
            after = page[-1]["id"]
