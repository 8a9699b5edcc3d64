"""Token that lets the first administrator create their account."""

import hmac
import secrets
from datetime import datetime
from typing import Final

from sparks.auth.account_creation import NewAccount, UploadAllowance, add_user
from sparks.library.accounts.users import has_administrator
from sparks.library.audit import AuditAction
from sparks.model.account import Role, User
from sparks.model.errors import AlreadyThere, Conflict, NotAllowed, NotFound
from sparks.table.port import Table

ALREADY_SET_UP: Final = "Sparks is set up already: sign in, or ask an administrator for an invitation"
WRONG_LINK: Final = (
    "this set-up link is not the one that was printed when Sparks started: use that, or start Sparks again"
)


class SetupToken:
    """Each start makes a new token; it is not stored."""

    def __init__(self) -> None:
        self.text: Final = secrets.token_urlsafe(32)

    def fits(self, text: str) -> bool:
        return hmac.compare_digest(self.text.encode(), text.encode(errors="backslashreplace"))


def create_first_admin(
    account: NewAccount,
    token: str,
    *,
    expected: SetupToken | None,
    allowance: UploadAllowance,
    at: datetime,
    table: Table,
) -> User:
    """Creates the first administrator. NotFound once there is one, however created.

    AlreadyThere where the address has an account that is not an administrator's.
    """
    if expected is None or has_administrator(table=table):
        raise NotFound(ALREADY_SET_UP)
    if not expected.fits(token):
        raise NotAllowed(WRONG_LINK)
    try:
        return add_user(
            account,
            role=Role.ADMIN,
            allowance=allowance,
            by=account.email,
            first_administrator=True,
            action=AuditAction.SET_UP,
            at=at,
            table=table,
        )
    except AlreadyThere:
        raise
    except Conflict as error:  # another request was faster
        raise NotFound(ALREADY_SET_UP) from error
