"""Who a user is in the photos: known for sure, or claimed until an administrator confirms it."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from sparks.library import entity_types
from sparks.library.accounts.changing import change_user
from sparks.library.accounts.finding import all_users, present
from sparks.library.pages import filled
from sparks.model.access import NOT_THERE
from sparks.model.account import User
from sparks.model.errors import Conflict, NotFound
from sparks.table.port import Change, Item, Key, Page, Table

NO_CLAIM: Final = NOT_THERE.format("claim")
ANOTHER_CLAIM: Final = "this user says by now that they are somebody else: look again, then decide"


def become_person(
    email: str, person_id: str | None, *, unless_known: bool = False, also: Sequence[Change] = (), table: Table
) -> User:
    """From now on the user is this person, or with None nobody; no claim is left.

    `unless_known`: only where they are nobody yet.
    """

    def plan(user: User) -> tuple[User, Sequence[Change]] | None:
        if unless_known and user.person_id is not None:
            return None
        return replace(user, person_id=person_id, claimed_person_id=None), ()

    return change_user(email, plan, also=also, table=table)


def claim_person(email: str, person_id: str, *, also: Sequence[Change] = (), table: Table) -> User:
    """The user says that they are this person. Until somebody confirms it, they are who they were."""
    return change_user(email, lambda user: (replace(user, claimed_person_id=person_id), ()), also=also, table=table)


def settle_claim(email: str, *, confirmed: bool, person_id: str, also: Sequence[Change] = (), table: Table) -> User:
    """The user is whom they claim to be, or the claim is dropped. NotFound where there is none; Conflict where it is
    about somebody else than `person_id`.
    """

    def plan(user: User) -> tuple[User, Sequence[Change]]:
        claimed = user.claimed_person_id
        if claimed is None:
            raise NotFound(NO_CLAIM)
        if person_id != claimed:
            raise Conflict(ANOTHER_CLAIM)
        return replace(user, person_id=claimed if confirmed else user.person_id, claimed_person_id=None), ()

    return change_user(email, plan, also=also, table=table)


def users_who_are(person_ids: Collection[str], *, table: Table) -> list[User]:
    """Those who are known to be one of these persons."""
    return [user for user in all_users(table=table) if user.person_id in person_ids]


def page_of_claims(*, limit: int, after: Key | None, table: Table) -> tuple[list[User], Key | None]:
    """Those who wait for somebody to confirm who they are."""

    def fetch(most: int, behind: Key | None) -> Page:
        return table.query(entity_types.USERS, limit=most, after=behind)

    def claiming(item: Item) -> User | None:
        user = present(item)
        return None if user is None or user.claimed_person_id is None else user

    return filled(fetch, claiming, limit=limit, after=after)
