"""API keys: `sk_{id}.{random}`, shown once. A key does what its scopes say, and never more than its owner may."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from sparks.auth.names import checked_name
from sparks.library import entity_types, keys
from sparks.library.accounts import NO_USER, find_user, while_there
from sparks.library.audit import Deed, audit
from sparks.library.records import changes, from_item, key_of, to_item
from sparks.model.account import Role, User
from sparks.model.caller import Credential, Member
from sparks.model.credential import ApiKey, KeyScope
from sparks.model.errors import BadInput, Busy, ConditionFailed, NotAllowed, NotFound, NotSignedIn, StorageFull
from sparks.model.secret import new_secret, parse_secret
from sparks.model.times import has_passed
from sparks.table.port import Change, Delete, Put, Table, every

PREFIX: Final = "sk_"
BAD_KEY: Final = "this API key is not good: it is mistyped, has expired or was revoked; make another one"
MOST_KEYS: Final = 100
NOTED_EVERY: Final = timedelta(minutes=10)


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
    """The key's row and its text, which nobody can tell later. Without scopes it has all that the role allows. `by`:
    who made it, if not the user.

    NotFound where the account was closed a moment ago.
    """
    allowed = allowed_scopes(user.role)
    if scopes is not None and not scopes:
        raise BadInput(f"a key needs a scope: {', '.join(sorted(allowed))}")
    if beyond := frozenset(scopes or ()) - allowed:
        raise NotAllowed(f"your role does not allow a key with the scope {', '.join(sorted(beyond))}")
    if has_passed(expires_at, at=at):
        raise BadInput("a key must expire in the future: choose a later time, or none")
    if sum(1 for _ in keys_of(user.email, at=at, table=table)) >= MOST_KEYS:
        raise NotAllowed(f"an account has at most {MOST_KEYS} keys: revoke those that are not used")
    secret = new_secret()
    key = ApiKey(
        key_id=secret.id,
        email=user.email,
        name=checked_name(name),
        secret_hash=secret.hash,
        scopes=allowed if scopes is None else frozenset(scopes),
        created_at=at,
        account_id=user.account_id,
        expires_at=expires_at,
        ttl=expires_at,
    )
    try:
        table.write(while_there(user), Put(to_item(key)), _note(key, by or user.email, at))
    except ConditionFailed as error:
        raise NotFound(NO_USER) from error
    return key, PREFIX + secret.text


def _note(key: ApiKey, by: str, at: datetime) -> Change:
    return audit(Deed.KEY_MADE, who=by, target=key.email, key=key.key_id, name=key.name, at=at)


def key_member(text: str, *, at: datetime, table: Table) -> Member:
    """Whose key this is, and what it allows. NotSignedIn where it is none, over or revoked."""
    try:
        secret = parse_secret(text.removeprefix(PREFIX))
    except BadInput as error:
        raise NotSignedIn(BAD_KEY) from error
    key = _find(secret.id, table)
    if key is None or not secret.fits(key.secret_hash):
        raise NotSignedIn(BAD_KEY)
    member = _member(key, at, table)
    if key.last_used_at is None or at - key.last_used_at >= NOTED_EVERY:
        _note_use(key, at, table)
    return member


def member_of_key(key_id: str, *, at: datetime, table: Table) -> Member:
    """As `key_member`, for a key that was named in something that Sparks itself has signed."""
    key = _find(key_id, table)
    if key is None:
        raise NotSignedIn(BAD_KEY)
    return _member(key, at, table)


def keys_of(email: str, *, at: datetime, table: Table) -> Iterator[ApiKey]:
    """Those that still hold."""
    for item in every(table, entity_types.api_key(email)):
        key = from_item(ApiKey, item)
        if not has_passed(key.expires_at, at=at):
            yield key


def revoke_key(email: str, key_id: str, *, also: Sequence[Change] = (), table: Table) -> bool:
    """Whether there was such a key of that user."""
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
    except (Busy, StorageFull):  # noted at the next use: whoever only reads can go on
        return
