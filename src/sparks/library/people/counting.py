"""The counters of persons, moved with the taggings that they count.

Each step is one small transaction: a Check that the photo is as it was read, the tagging with what is counted of it,
and one counter: the person's own, or the one of a scope. So a counter always is the sum of what the taggings say is
counted, whoever runs late, twice or at once. A scope is counted while its person is there: the person's own counter
comes first when a tagging comes, and last when it goes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from sparks.library import keys
from sparks.library.people.electing import SHOWN_BY, with_photo, without_photo
from sparks.library.people.placing import COUNTED
from sparks.library.people.reading import TRIES
from sparks.library.people.writing import anew
from sparks.library.photos.writing import as_read
from sparks.library.records import changes, from_item, key_of, to_item
from sparks.model.album import AlbumPerson
from sparks.model.errors import Busy, ConditionFailed
from sparks.model.person import Person, PersonInScope, Tagging
from sparks.model.scope import Scope, album_of
from sparks.table.port import Absent, Change, Check, Conditions, Delete, Item, Put, Set, Table

ENOUGH: Final = 3  # photos that make a person worth listing, unless somebody says otherwise

_WATCHED: Final = (*COUNTED, "entityType", "bestFaceId", "bestRank")
_PERSON: Final = ("memberCount", "photoCount", "decisionCount", "displayName", "hidden", *SHOWN_BY)
_IN_SCOPE: Final = ("count", "entityType", *SHOWN_BY)


@dataclass(frozen=True, slots=True)
class Step:
    """A tagging as it is and as it is to be; None where it is to go. The photo is `unchanged` while this is so."""

    photo: Check
    before: Tagging
    after: Tagging | None
    row: Item

    @property
    def faces(self) -> int:
        return (0 if self.after is None else self.after.counted_faces) - self.before.counted_faces

    @property
    def photos(self) -> int:
        return int(self.after is not None and self.after.counted) - int(self.before.counted)

    def to(self, after: Tagging | None) -> "Step":
        return replace(self, after=after)

    def done(self) -> "Step":
        """From where it has led, nowhere yet."""
        change = self.change()
        if self.after is None or not isinstance(change, Set):
            return self
        row = {name: value for name, value in self.row.items() if name not in change.remove} | dict(change.values)
        return replace(self, before=self.after, row=row)

    def change(self) -> Delete | Set:
        as_seen = as_read(self.row, _WATCHED)
        if self.after is None:
            return Delete(key_of(self.before), as_seen)
        return changes(self.before, self.after, when=as_seen)

    def counted_in(self, scope: Scope) -> bool:
        return self.after is not None and scope in self.after.counted_in


def count_person(step: Step, *, at: datetime, table: Table) -> Person | None:
    """The person as counted now, None where nothing is left of them. ConditionFailed where the photo or the tagging is
    another by now.
    """
    key = keys.person(step.before.person_id)
    item = table.get(key)
    for _ in range(TRIES):
        before = anew(step.before.person_id, at=at, table=table) if item is None else from_item(Person, item)
        after = _person_after(before, step)
        try:
            table.write(step.photo, step.change(), _person_change(item, before, after))
        except ConditionFailed as failed:
            item = _found(failed)
        else:
            return after if after.is_needed else None
    raise Busy("this person is being changed by many at once: try again later")


def count_in_scope(step: Step, scope: Scope, *, enough: int | None, table: Table) -> PersonInScope | None:
    """What can be seen of the person there now, None where that is nothing. ConditionFailed as in `count_person`, and
    where the person was named or hidden, or is gone, by now.
    """
    person_item = table.get(keys.person(step.before.person_id)) or {}
    person = from_item(Person, person_item) if person_item else None
    there = Check(keys.person(step.before.person_id), _still(person_item))
    item = table.get(keys.person_in_scope(step.before.person_id, scope))
    for _ in range(TRIES):
        empty = PersonInScope(person_id=step.before.person_id, scope=scope)
        before = empty if item is None else from_item(PersonInScope, item)
        after = listed(_scope_after(before, step), person, enough)
        album = _album_changes(step, scope)
        try:
            table.write(step.photo, step.change(), _scope_change(item, before, after), there, *album)
        except ConditionFailed as failed:
            if failed.position > 2:
                raise
            item = _found(failed)
        else:
            return after if after.count > 0 else None
    raise Busy("this person is being changed by many at once: try again later")


def listed(shown: PersonInScope, person: Person | None, enough: int | None) -> PersonInScope:
    """Whether the list of persons has them: named, or in enough photos, and not hidden."""
    needed = shown.enough if enough is None else enough
    named = person is not None and person.is_named
    hidden = person is not None and person.hidden
    is_listed = not hidden and (named or shown.count >= (ENOUGH if needed is None else needed))
    return replace(shown, listed=is_listed, enough=needed)


def _still(person_item: Item) -> Conditions:
    """The name and what else people decided are as they were read."""
    return as_read(person_item, ("decisionCount", "displayName", "hidden")) if person_item else (Absent(),)


def _person_after(before: Person, step: Step) -> Person:
    after = replace(before, member_count=before.member_count + step.faces, photo_count=before.photo_count + step.photos)
    if step.after is None or not step.after.counted:
        return without_photo(after, step.before.image_id)
    return with_photo(after, step.after)


def _scope_after(before: PersonInScope, step: Step) -> PersonInScope:
    moved = int(step.counted_in(before.scope)) - int(before.scope in step.before.counted_in)
    after = replace(before, count=before.count + moved)
    if step.after is None or not step.counted_in(before.scope):
        return without_photo(after, step.before.image_id)
    return with_photo(after, step.after)


def _person_change(item: Item | None, before: Person, after: Person) -> Change:
    if item is None:
        return Put(to_item(after), when=(Absent(),)) if after.is_needed else Check(key_of(after), (Absent(),))
    as_seen = as_read(item, _PERSON)
    return changes(before, after, when=as_seen) if after.is_needed else Delete(key_of(after), as_seen)


def _scope_change(item: Item | None, before: PersonInScope, after: PersonInScope) -> Change:
    if item is None:
        return Put(to_item(after), when=(Absent(),)) if after.count > 0 else Check(key_of(after), (Absent(),))
    as_seen = as_read(item, _IN_SCOPE)
    return changes(before, after, when=as_seen) if after.count > 0 else Delete(key_of(after), as_seen)


def _album_changes(step: Step, scope: Scope) -> tuple[Change, ...]:
    """A person within an album is one query."""
    album_id, owner = album_of(scope), step.before.owner
    if album_id is None or owner is None:
        return ()
    tagging = step.before
    row = AlbumPerson(
        image_id=tagging.image_id, owner=owner, album_id=album_id, person_id=tagging.person_id, counted=True
    )
    return (Put(to_item(row)) if step.counted_in(scope) else Delete(key_of(row)),)


def _found(failed: ConditionFailed) -> Item | None:
    """What stands in the counter's place now; raises again where it was not the counter that failed."""
    if failed.position != 2:
        raise failed
    found: Mapping[str, object] | None = failed.found
    return None if found is None else dict(found)
