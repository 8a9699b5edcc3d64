"""Links from users to persons: confirmed, or claimed until an administrator decides."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from sparks.library import entity_types
from sparks.library.accounts.users import all_users, present_user, update_user
from sparks.library.pagination import filled_page
from sparks.model.access import NOT_THERE
from sparks.model.account import User
from sparks.model.errors import Conflict, NotFound
from sparks.table.port import Change, Item, Key, Page, Table

NO_CLAIM: Final = NOT_THERE.format("claim")
ANOTHER_CLAIM: Final = "this user claims to be another person by now: look at the claim again, then decide"


def link_person(
    email: str, person_id: str | None, *, unless_known: bool = False, also: Sequence[Change] = (), table: Table
) -> User:
    """Links the user to this person, or with None to no person; a claim is dropped.

    `unless_known`: only where they are not linked yet.
    """

    def plan(user: User) -> tuple[User, Sequence[Change]] | None:
        if unless_known and user.person_id is not None:
            return None
        return replace(user, person_id=person_id, claimed_person_id=None), ()

    return update_user(email, plan, also=also, table=table)


def claim_person(email: str, person_id: str, *, also: Sequence[Change] = (), table: Table) -> User:
    """Records that the user claims to be this person. Until it is confirmed, their link stays."""
    return update_user(email, lambda user: (replace(user, claimed_person_id=person_id), ()), also=also, table=table)


def settle_claim(email: str, *, confirmed: bool, person_id: str, also: Sequence[Change] = (), table: Table) -> User:
    """Confirms or drops the user's claim. NotFound where there is none; Conflict where it is about another person than
    `person_id`.
    """

    def plan(user: User) -> tuple[User, Sequence[Change]]:
        claimed = user.claimed_person_id
        if claimed is None:
            raise NotFound(NO_CLAIM)
        if person_id != claimed:
            raise Conflict(ANOTHER_CLAIM)
        return replace(user, person_id=claimed if confirmed else user.person_id, claimed_person_id=None), ()

    return update_user(email, plan, also=also, table=table)


def users_linked_to(person_ids: Collection[str], *, table: Table) -> list[User]:
    """The users who are linked to one of these persons."""
    return [user for user in all_users(table=table) if user.person_id in person_ids]


def page_of_claims(*, limit: int, after: Key | None, table: Table) -> tuple[list[User], Key | None]:
    """The users with an open claim."""

    def fetch(most: int, behind: Key | None) -> Page:
        return table.query(entity_types.USERS, limit=most, after=behind)

    def claiming(item: Item) -> User | None:
        user = present_user(item)
        return None if user is None or user.claimed_person_id is None else user

    return filled_page(fetch, claiming, limit=limit, after=after)
