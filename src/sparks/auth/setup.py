"""The first administrator: a token that is known to whoever started Sparks, and worth nothing once there is one."""

import hmac
import secrets
from datetime import datetime
from typing import Final

from sparks.auth.registration import Allowance, Newcomer, add_user
from sparks.library.accounts import has_administrator
from sparks.library.audit import Deed
from sparks.model.account import Role, User
from sparks.model.errors import AlreadyThere, Conflict, NotAllowed, NotFound
from sparks.table.port import Table

DONE: Final = "Sparks is set up already: sign in, or ask an administrator for an invitation"
WRONG: Final = "this set-up link is not the one that was printed when Sparks started: use that, or start Sparks again"


class SetupToken:
    """Made anew at each start; nothing of it is stored."""

    def __init__(self) -> None:
        self.text: Final = secrets.token_urlsafe(32)

    def fits(self, text: str) -> bool:
        return hmac.compare_digest(self.text.encode(), text.encode(errors="backslashreplace"))


def set_up(
    newcomer: Newcomer, token: str, *, expected: SetupToken | None, allowance: Allowance, at: datetime, table: Table
) -> User:
    """Makes the first administrator; NotFound once there is one, however that came to be.

    AlreadyThere where the address has an account that is not an administrator's.
    """
    if expected is None or has_administrator(table=table):
        raise NotFound(DONE)
    if not expected.fits(token):
        raise NotAllowed(WRONG)
    try:
        return add_user(
            newcomer,
            role=Role.ADMIN,
            allowance=allowance,
            by=newcomer.email,
            first_administrator=True,
            deed=Deed.SET_UP,
            at=at,
            table=table,
        )
    except AlreadyThere:
        raise
    except Conflict as error:  # somebody was faster
        raise NotFound(DONE) from error
