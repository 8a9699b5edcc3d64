"""Browser sessions: `{id}.{random}` in a cookie, the hash in a row. Each use moves the end on, up to the very end."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from sparks.library import entity_types, keys
from sparks.library.accounts import find_user, while_there
from sparks.library.records import changes, from_item, key_of, to_item
from sparks.model.account import User
from sparks.model.caller import Credential, Member
from sparks.model.credential import Session
from sparks.model.errors import BadInput, Busy, ConditionFailed, NotSignedIn, StorageFull
from sparks.model.secret import Secret, new_secret, parse_secret
from sparks.model.times import has_passed
from sparks.table.port import Change, Delete, Put, Table, every

OVER: Final = "you are not signed in any more: sign in again"
NOTED_EVERY: Final = timedelta(hours=1)
LONGEST_DEVICE: Final = 200


@dataclass(frozen=True, slots=True)
class Span:
    """How long a session lasts: unused, and at most."""

    idle: timedelta
    most: timedelta


def open_session(
    user: User,
    *,
    span: Span,
    device: str | None = None,
    replaces: Secret | None = None,
    also: Sequence[Change] = (),
    at: datetime,
    table: Table,
) -> Secret:
    """A new session of the user; the one that the browser had before, `replaces`, is over.

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
        device=_shown(device),
        ttl=at + span.most,
    )
    before = () if replaces is None else _ending(replaces, table)
    try:
        table.write(while_there(user), Put(to_item(session)), *before, *also)
    except ConditionFailed as error:
        raise NotSignedIn(OVER) from error
    return secret


def session_member(text: str, *, idle: timedelta, at: datetime, table: Table) -> Member:
    """Whose session this is. NotSignedIn where it is none, over or revoked. Notes, now and then, that it is used."""
    try:
        secret = parse_secret(text)
    except BadInput as error:
        raise NotSignedIn(OVER) from error
    session = _find(secret.id, table)
    if session is None or not secret.fits(session.secret_hash):
        raise NotSignedIn(OVER)
    member = _member(session, at, table)
    if session.last_used_at is None or at - session.last_used_at >= NOTED_EVERY:
        _note_use(session, idle, at, table)
    return member


def member_of_session(session_id: str, *, at: datetime, table: Table) -> Member:
    """As `session_member`, for a session that was named in something that Sparks itself has signed."""
    session = _find(session_id, table)
    if session is None:
        raise NotSignedIn(OVER)
    return _member(session, at, table)


def sessions_of(user: User, *, at: datetime, table: Table) -> Iterator[Session]:
    """Those that still hold."""
    for item in every(table, entity_types.session(user.email)):
        session = from_item(Session, item)
        if _holds(session, user, at):
            yield session


def end_session(email: str, session_id: str, *, also: Sequence[Change] = (), table: Table) -> bool:
    """Whether there was such a session of that user."""
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
        raise NotSignedIn(OVER)
    return Member(user, Credential("session", session.session_id))


def _holds(session: Session, user: User, at: datetime) -> bool:
    over = has_passed(session.expires_at, at=at) or has_passed(session.ends_at, at=at)
    same = (session.account_id, session.session_epoch) == (user.account_id, user.session_epoch)
    return same and not over


def _note_use(session: Session, idle: timedelta, at: datetime, table: Table) -> None:
    until = at + idle if session.ends_at is None else min(at + idle, session.ends_at)
    used = replace(session, last_used_at=at, expires_at=until)
    try:
        table.write(changes(session, used))
    except ConditionFailed as error:  # it was ended a moment ago
        raise NotSignedIn(OVER) from error
    except (Busy, StorageFull):  # noted at the next use: whoever only looks can go on
        return


def _ending(secret: Secret, table: Table) -> tuple[Change, ...]:
    session = _find(secret.id, table)
    return (Delete(key_of(session)),) if session is not None and secret.fits(session.secret_hash) else ()


def _shown(device: str | None) -> str | None:
    text = "".join(letter if letter.isprintable() else " " for letter in device or "").strip()
    return text[:LONGEST_DEVICE] or None
