"""Links between OIDC identities and accounts: one row each, listed in the user's row."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sparks.library import keys
from sparks.library.accounts.users import CHANGED_MEANWHILE, update_user
from sparks.library.records import key_of, to_item
from sparks.model.account import Identity, User
from sparks.model.errors import AlreadyThere, ConditionFailed, Conflict
from sparks.model.ids import random_id
from sparks.table.port import Absent, Change, Delete, Put, Table

IDENTITY_TAKEN: Final = "this identity belongs to another account already: sign in with it"


def identity_name(identity: Identity) -> str:
    """The identity as the user's row lists it. An issuer holds no `#`, a subject may."""
    return f"{identity.iss}#{identity.sub}"


def identity_of(name: str, email: str) -> Identity:
    """The opposite of `identity_name`."""
    iss, _, sub = name.partition("#")
    return Identity(iss=iss, sub=sub, email=email)


def link_identity(
    email: str, iss: str, sub: str, *, alone: bool = False, also: Sequence[Change] = (), table: Table
) -> User:
    """Makes this identity the user's. AlreadyThere where it is another user's; a repeat is harmless.

    With `alone`, all other credentials end: password, sessions, keys and other identities.
    """
    identity = Identity(iss=iss, sub=sub, email=email)
    name, row = identity_name(identity), Put(to_item(identity), (Absent(),))

    def plan(user: User) -> tuple[User, Sequence[Change]] | None:
        if name in user.identities:
            return None
        if not alone:
            return replace(user, identities=(*user.identities, name)), (row,)
        others = [Delete(key_of(identity_of(each, email))) for each in user.identities]
        emptied = replace(user, identities=(name,), account_id=random_id())
        return emptied, (row, Delete(keys.password(email)), *others)

    return update_user(email, plan, refusal=AlreadyThere, because=IDENTITY_TAKEN, also=also, table=table)


def unlink_identity(email: str, name: str, *, also: Sequence[Change] = (), table: Table) -> User:
    """Nothing happens where it is not one of the user's. Conflict where a change of `also` fails."""
    row = Delete(key_of(identity_of(name, email)))

    def plan(user: User) -> tuple[User, Sequence[Change]] | None:
        left = tuple(each for each in user.identities if each != name)
        return None if left == user.identities else (replace(user, identities=left), (row,))

    try:
        return update_user(email, plan, also=also, table=table)
    except ConditionFailed as error:
        raise Conflict(CHANGED_MEANWHILE) from error
