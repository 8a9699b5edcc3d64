"""Counters of a person's photos and faces, overall and per scope.

Each step is one small transaction: a Check that the photo is as it was read, the TAGGING row with what is counted of
it, and one counter: the person's own, or that of a scope. So a counter is always the sum of what the TAGGING rows say
is counted, also when runs are late, repeated or concurrent. A scope is counted while its person exists: the person's
own counter comes first when a row is added, and last when it is deleted.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from sparks.library import keys
from sparks.library.people.cover_face import SHOWN_BY, with_photo, without_photo
from sparks.library.people.face_moves import COUNTED, restored_person
from sparks.library.people.person_picture import picture_changes, picture_due
from sparks.library.people.photo_faces import TRIES
from sparks.library.records import as_read, changes, from_item, key_of, to_item
from sparks.model.album import AlbumPerson
from sparks.model.errors import Busy, ConditionFailed
from sparks.model.person import Person, PersonInPhoto, PersonInScope
from sparks.model.scope import COMMUNITY, Scope, album_of
from sparks.table.port import Absent, Change, Check, Conditions, Delete, Item, Put, Set, Table

MIN_PHOTOS: Final = 3  # least photos of a listed person, by default

_WATCHED: Final = (*COUNTED, "entityType", "bestFaceId", "bestRank")
_PERSON: Final = ("memberCount", "photoCount", "decisionCount", "displayName", "hidden", *SHOWN_BY)
_IN_SCOPE: Final = ("count", "entityType", *SHOWN_BY)


@dataclass(frozen=True, slots=True)
class CountStep:
    """A TAGGING row before and after; None where it is deleted. `photo` is the check that the photo is unchanged."""

    photo: Check
    before: PersonInPhoto
    after: PersonInPhoto | None
    row: Item

    @property
    def faces(self) -> int:
        return (0 if self.after is None else self.after.counted_faces) - self.before.counted_faces

    @property
    def photos(self) -> int:
        return int(self.after is not None and self.after.counted) - int(self.before.counted)

    def to(self, after: PersonInPhoto | None) -> "CountStep":
        return replace(self, after=after)

    def done(self) -> "CountStep":
        """The state that the step has reached, as the start of the next one."""
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


def count_person(step: CountStep, *, at: datetime, table: Table) -> Person | None:
    """The person as counted now, None where nothing is left of them. ConditionFailed where the photo or the row changed
    meanwhile.
    """
    key = keys.person(step.before.person_id)
    item = table.get(key)
    for _ in range(TRIES):
        before = restored_person(step.before.person_id, at=at, table=table) if item is None else from_item(Person, item)
        after = _person_after(before, step, at)
        gone = () if after.is_needed else (picture_due(after.person_id),)
        try:
            table.write(step.photo, step.change(), _person_change(item, before, after), *gone)
        except ConditionFailed as failed:
            item = _found(failed)
        else:
            return after if after.is_needed else None
    raise Busy("this person is being changed by other requests: try again later")


def count_in_scope(step: CountStep, scope: Scope, *, min_photos: int | None, table: Table) -> PersonInScope | None:
    """The person in that scope as counted now, None where no photo is left. ConditionFailed as in `count_person`, and
    where the person was named, hidden or deleted meanwhile.
    """
    person_item = table.get(keys.person(step.before.person_id)) or {}
    person = from_item(Person, person_item) if person_item else None
    there = Check(keys.person(step.before.person_id), _still(person_item))
    item = table.get(keys.person_in_scope(step.before.person_id, scope))
    for _ in range(TRIES):
        empty = PersonInScope(person_id=step.before.person_id, scope=scope)
        before = empty if item is None else from_item(PersonInScope, item)
        after = is_listed(_scope_after(before, step), person, min_photos)
        is_kept = after.count > 0 or (person is not None and person.is_external and scope == COMMUNITY)
        also = (*_album_changes(step, scope), *_picture_changes(before, after))
        try:
            table.write(step.photo, step.change(), _scope_change(item, before, after, is_kept=is_kept), there, *also)
        except ConditionFailed as failed:
            if failed.position > 2:
                raise
            item = _found(failed)
        else:
            return after if is_kept else None
    raise Busy("this person is being changed by other requests: try again later")


def is_listed(shown: PersonInScope, person: Person | None, min_photos: int | None) -> PersonInScope:
    """Whether the list of persons shows them: named, made by another program or in enough photos, and not hidden."""
    needed = shown.min_photos if min_photos is None else min_photos
    named = person is not None and (person.is_named or person.is_external)
    hidden = person is not None and person.hidden
    shows = not hidden and (named or shown.count >= (MIN_PHOTOS if needed is None else needed))
    return replace(shown, listed=shows, min_photos=needed)


def _still(person_item: Item) -> Conditions:
    """The name and other decisions about the person are as they were read."""
    return as_read(person_item, ("decisionCount", "displayName", "hidden")) if person_item else (Absent(),)


def _person_after(before: Person, step: CountStep, at: datetime) -> Person:
    """A person of another program becomes one of Sparks with the first face."""
    members = (before.member_count or 0) + step.faces if step.faces else before.member_count
    after = replace(before, member_count=members, photo_count=before.photo_count + step.photos)
    if step.after is None or not step.after.counted:
        after = without_photo(after, step.before.image_id)
    else:
        after = with_photo(after, step.after)
    return after if after == before else replace(after, updated_at=at)


def _scope_after(before: PersonInScope, step: CountStep) -> PersonInScope:
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


def _scope_change(item: Item | None, before: PersonInScope, after: PersonInScope, *, is_kept: bool) -> Change:
    if item is None:
        return Put(to_item(after), when=(Absent(),)) if is_kept else Check(key_of(after), (Absent(),))
    as_seen = as_read(item, _IN_SCOPE)
    return changes(before, after, when=as_seen) if is_kept else Delete(key_of(after), as_seen)


def _picture_changes(before: PersonInScope, after: PersonInScope) -> tuple[Change, ...]:
    is_same = before.rep_face_id == after.rep_face_id
    return () if is_same else picture_changes(before.person_id, before.scope)


def _album_changes(step: CountStep, scope: Scope) -> tuple[Change, ...]:
    """The rows by which a person within an album is one query."""
    album_id, owner = album_of(scope), step.before.owner
    if album_id is None or owner is None:
        return ()
    tagging = step.before
    row = AlbumPerson(
        image_id=tagging.image_id, owner=owner, album_id=album_id, person_id=tagging.person_id, counted=True
    )
    return (Put(to_item(row)) if step.counted_in(scope) else Delete(key_of(row)),)


def _found(failed: ConditionFailed) -> Item | None:
    """The item in the counter's place; raises again where another change failed."""
    if failed.position != 2:
        raise failed
    found: Mapping[str, object] | None = failed.found
    return None if found is None else dict(found)
