"""A name that somebody has already: whoever gives it again may mean the same person, and is asked."""

from datetime import datetime

from sparks.library.access import person_for
from sparks.library.people import persons_named
from sparks.model.access import Action
from sparks.model.caller import Who
from sparks.model.errors import NameTaken, NotFound
from sparks.table.port import Table


def refuse_taken(name: str, who: Who, *, besides: str | None = None, at: datetime, table: Table) -> None:
    """NameTaken where a person is called so whom the caller sees, other than the one `besides`."""
    for person in persons_named(name, table=table):
        if person.person_id != besides and _sees(who, person.person_id, at, table):
            raise NameTaken(
                f"another person is called {person.display_name}, {person.person_id}: if they are the same one, merge"
                " them, or choose that one; if they are two, send it again with sameName: true",
                person_id=person.person_id,
            )


def _sees(who: Who, person_id: str, at: datetime, table: Table) -> bool:
    try:
        person_for(who, Action.CHANGE_PERSONS, person_id, at=at, table=table)
    except NotFound:
        return False
    return True
