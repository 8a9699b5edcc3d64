"""API keys `sk_{id}.{random}`: create, check, list and revoke.

A key allows what its scopes name, and never more than its user may do.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from sparks.auth.account_names import checked_username
from sparks.library import entity_types, keys
from sparks.library.accounts.lifecycle import while_account_open
from sparks.library.accounts.users import NO_USER, find_user
from sparks.library.audit import AuditAction, audit_row
from sparks.library.records import changes, from_item, key_of, to_item
from sparks.model.account import Role, User
from sparks.model.caller import Credential, Member
from sparks.model.credential import ApiKey, KeyScope
from sparks.model.errors import BadInput, Busy, ConditionFailed, NotAllowed, NotFound, NotSignedIn, StorageFull
from sparks.model.secret import new_secret, parse_secret
from sparks.model.times import has_passed
from sparks.table.port import Change, Delete, Put, Table, every

PREFIX: Final = "sk_"
BAD_KEY: Final = "this API key is not valid: it is mistyped, has expired or was revoked; make another one"
MAX_KEYS: Final = 100
LAST_USED_INTERVAL: Final = timedelta(minutes=10)


def allowed_scopes(role: Role) -> frozenset[KeyScope]:
    return frozenset(KeyScope) if role is Role.ADMIN else frozenset(KeyScope) - {KeyScope.ADMIN}


def make_key(
    user: User,
    *,
    name: str,
    scopes: Collection[KeyScope] | None = None,
    expires_at: datetime | None = None,
    by: str | None = None,
    at: datetime,
    table: Table,
) -> tuple[ApiKey, str]:
    """Returns the row of the key and its text, which cannot be read again later. Without `scopes` the key has all that
    the user's role allows. `by` names its maker, if that is not the user.

    NotFound where the account was closed a moment ago.
    """
    allowed = allowed_scopes(user.role)
    if scopes is not None and not scopes:
        raise BadInput(f"a key needs a scope: {', '.join(sorted(allowed))}")
    if beyond := frozenset(scopes or ()) - allowed:
        raise NotAllowed(f"your role does not allow a key with the scope {', '.join(sorted(beyond))}")
    if has_passed(expires_at, at=at):
        raise BadInput("a key must expire in the future: choose a later time, or none")
    if sum(1 for _ in keys_of(user.email, at=at, table=table)) >= MAX_KEYS:
        raise NotAllowed(f"an account has at most {MAX_KEYS} keys: revoke those that are not used")
    secret = new_secret()
    key = ApiKey(
        key_id=secret.id,
        email=user.email,
        name=checked_username(name),
        secret_hash=secret.hash,
        scopes=allowed if scopes is None else frozenset(scopes),
        created_at=at,
        account_id=user.account_id,
        expires_at=expires_at,
        ttl=expires_at,
    )
    try:
        table.write(while_account_open(user), Put(to_item(key)), _note(key, by or user.email, at))
    except ConditionFailed as error:
        raise NotFound(NO_USER) from error
    return key, PREFIX + secret.text


def _note(key: ApiKey, by: str, at: datetime) -> Change:
    return audit_row(AuditAction.KEY_MADE, who=by, target=key.email, key=key.key_id, name=key.name, at=at)


def authenticate_key(text: str, *, at: datetime, table: Table) -> Member:
    """The user of this key, with its scopes. NotSignedIn where it is unknown, expired or revoked."""
    try:
        secret = parse_secret(text.removeprefix(PREFIX))
    except BadInput as error:
        raise NotSignedIn(BAD_KEY) from error
    key = _find(secret.id, table)
    if key is None or not secret.fits(key.secret_hash):
        raise NotSignedIn(BAD_KEY)
    member = _member(key, at, table)
    if key.last_used_at is None or at - key.last_used_at >= LAST_USED_INTERVAL:
        _note_use(key, at, table)
    return member


def member_of_key(key_id: str, *, at: datetime, table: Table) -> Member:
    """As `authenticate_key`, for the id of a key from a text that Sparks has signed."""
    key = _find(key_id, table)
    if key is None:
        raise NotSignedIn(BAD_KEY)
    return _member(key, at, table)


def keys_of(email: str, *, at: datetime, table: Table) -> Iterator[ApiKey]:
    """The keys of the user that have not expired."""
    for item in every(table, entity_types.api_key(email)):
        key = from_item(ApiKey, item)
        if not has_passed(key.expires_at, at=at):
            yield key


def revoke_key(email: str, key_id: str, *, also: Sequence[Change] = (), table: Table) -> bool:
    """Deletes the key. Returns whether the user had such a key."""
    key = _find(key_id, table)
    if key is None or key.email != email:
        return False
    table.write(Delete(key_of(key)), *also)
    return True


def _find(key_id: str, table: Table) -> ApiKey | None:
    item = table.get(keys.api_key(key_id))
    return None if item is None else from_item(ApiKey, item)


def _member(key: ApiKey, at: datetime, table: Table) -> Member:
    user = None if has_passed(key.expires_at, at=at) else find_user(key.email, table=table)
    if user is None or user.account_id != key.account_id:
        raise NotSignedIn(BAD_KEY)
    return Member(user, Credential("key", key.key_id), key.scopes)


def _note_use(key: ApiKey, at: datetime, table: Table) -> None:
    try:
        table.write(changes(key, replace(key, last_used_at=at)))
    except ConditionFailed as error:  # it was revoked a moment ago
        raise NotSignedIn(BAD_KEY) from error
    except (Busy, StorageFull):  # written at the next use: callers who only read can go on
        return
