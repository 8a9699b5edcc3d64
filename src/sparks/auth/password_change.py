"""Changing one's own password, with the old one: whoever finds a browser open must not lock its owner out."""

from datetime import datetime
from typing import Final

from sparks.auth.passwords import checked_password, hash_password, password_fits
from sparks.auth.rates import Rate, Rates
from sparks.library.accounts import change_password, find_user_and_password
from sparks.library.audit import Deed, audit
from sparks.model.account import Password, User
from sparks.model.errors import NotAllowed
from sparks.table.port import Table

MISSING: Final = "say the old password too"
WRONG: Final = "the old password is wrong: try again, or ask an administrator to set a new one"


def change_own_password(user: User, *, old: str | None, new: str, rates: Rates, at: datetime, table: Table) -> User:
    """The user as they are now: every session from before is over.

    NotAllowed where the old password is missing or wrong; Conflict where it was reset meanwhile, or this session ended.
    """
    _, kept = find_user_and_password(user.email, table=table)
    if kept is not None:
        _check_old(old, kept, user, rates)
    return change_password(
        user.email,
        hash_password(checked_password(new, email=user.email)),
        before=kept,
        session_epoch=user.session_epoch,
        also=(audit(Deed.PASSWORD_CHANGED, who=user.email, at=at),),
        table=table,
    )


def _check_old(old: str | None, kept: Password, user: User, rates: Rates) -> None:
    if old is None:
        raise NotAllowed(MISSING)
    rates.count(Rate.OLD_PASSWORD, user.email)
    if not password_fits(old, kept.password_hash):
        raise NotAllowed(WRONG)
    rates.forget(Rate.OLD_PASSWORD, user.email)
