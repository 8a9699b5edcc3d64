"""Browser sessions: open, check, extend, list and end.

Each use extends a session, up to its final end.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.accounts.lifecycle import while_account_open
from sparks.library.accounts.users import find_user
from sparks.library.records import changes, from_item, key_of, to_item
from sparks.model.account import User
from sparks.model.caller import Credential, Member
from sparks.model.credential import Session
from sparks.model.errors import BadInput, Busy, ConditionFailed, NotSignedIn, StorageFull
from sparks.model.secret import Secret, new_secret, parse_secret
from sparks.model.times import has_passed
from sparks.table.port import Change, Delete, Put, Table, every

SESSION_OVER: Final = "you are not signed in any more: sign in again"
LAST_USED_INTERVAL: Final = timedelta(hours=1)
MAX_DEVICE_LENGTH: Final = 200


@dataclass(frozen=True, slots=True)
class SessionLifetime:
    """`idle`: the time after which an unused session ends. `most`: the time after which every session ends."""

    idle: timedelta
    most: timedelta


def open_session(
    user: User,
    *,
    span: SessionLifetime,
    device: str | None = None,
    replaces: Secret | None = None,
    also: Sequence[Change] = (),
    at: datetime,
    table: Table,
) -> Secret:
    """Opens a session of the user, and ends the earlier session of the same browser, `replaces`.

    NotSignedIn where the account was closed a moment ago.
    """
    secret = new_secret()
    session = Session(
        session_id=secret.id,
        email=user.email,
        secret_hash=secret.hash,
        created_at=at,
        last_used_at=at,
        expires_at=at + min(span.idle, span.most),
        ends_at=at + span.most,
        account_id=user.account_id,
        session_epoch=user.session_epoch,
        device=_device_label(device),
        ttl=at + span.most,
    )
    end_previous = () if replaces is None else _deletion(replaces, table)
    try:
        table.write(while_account_open(user), Put(to_item(session)), *end_previous, *also)
    except ConditionFailed as error:
        raise NotSignedIn(SESSION_OVER) from error
    return secret


def authenticate_session(text: str, *, idle: timedelta, at: datetime, table: Table) -> Member:
    """The user of this session. NotSignedIn where it is unknown or over. Writes the time of use once an hour."""
    try:
        secret = parse_secret(text)
    except BadInput as error:
        raise NotSignedIn(SESSION_OVER) from error
    session = _find(secret.id, table)
    if session is None or not secret.fits(session.secret_hash):
        raise NotSignedIn(SESSION_OVER)
    member = _member(session, at, table)
    if session.last_used_at is None or at - session.last_used_at >= LAST_USED_INTERVAL:
        _note_use(session, idle, at, table)
    return member


def member_of_session(session_id: str, *, at: datetime, table: Table) -> Member:
    """As `authenticate_session`, for the id of a session from a text that Sparks has signed."""
    session = _find(session_id, table)
    if session is None:
        raise NotSignedIn(SESSION_OVER)
    return _member(session, at, table)


def sessions_of(user: User, *, at: datetime, table: Table) -> Iterator[Session]:
    """The sessions of the user that are not over."""
    for item in every(table, entity_types.session(user.email)):
        session = from_item(Session, item)
        if _holds(session, user, at):
            yield session


def end_session(email: str, session_id: str, *, also: Sequence[Change] = (), table: Table) -> bool:
    """Deletes the session. Returns whether the user had such a session."""
    session = _find(session_id, table)
    if session is None or session.email != email:
        return False
    table.write(Delete(key_of(session)), *also)
    return True


def _find(session_id: str, table: Table) -> Session | None:
    item = table.get(keys.session(session_id))
    return None if item is None else from_item(Session, item)


def _member(session: Session, at: datetime, table: Table) -> Member:
    user = find_user(session.email, table=table)
    if user is None or not _holds(session, user, at):
        raise NotSignedIn(SESSION_OVER)
    return Member(user, Credential("session", session.session_id))


def _holds(session: Session, user: User, at: datetime) -> bool:
    over = has_passed(session.expires_at, at=at) or has_passed(session.ends_at, at=at)
    same = (session.account_id, session.session_epoch) == (user.account_id, user.session_epoch)
    return same and not over


def _note_use(session: Session, idle: timedelta, at: datetime, table: Table) -> None:
    expires_at = at + idle if session.ends_at is None else min(at + idle, session.ends_at)
    used = replace(session, last_used_at=at, expires_at=expires_at)
    try:
        table.write(changes(session, used))
    except ConditionFailed as error:  # it was ended a moment ago
        raise NotSignedIn(SESSION_OVER) from error
    except (Busy, StorageFull):  # written at the next use: callers who only read can go on
        return


def _deletion(secret: Secret, table: Table) -> tuple[Change, ...]:
    session = _find(secret.id, table)
    return (Delete(key_of(session)),) if session is not None and secret.fits(session.secret_hash) else ()


def _device_label(device: str | None) -> str | None:
    text = "".join(letter if letter.isprintable() else " " for letter in device or "").strip()
    return text[:MAX_DEVICE_LENGTH] or None
