"""Blobs of built timeline months: their keys, their versions, and when they are dropped.

A copy is `derived/timeline/{keyed hash of the scope}/{yyyy-mm}/{version of its counter}-{FORM}`. It names photos and
must not outlive them: after a photo's links are reconciled, the months that it was in and those that it is in now are
dropped (`drop_months`). After a copy is stored, the counter is read again, and the copy is removed if the counter has
moved.

The hash is made with the current secret of the keyring. Copies under other secrets of the keyring are dropped all the
same; a copy under a removed secret is stale.
"""

import hmac
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final, NamedTuple

from sparks.blobs.port import BlobInfo, Blobs
from sparks.library import blob_keys, entity_types, keys
from sparks.library.photos.reconcile_links import reconcile_links
from sparks.library.records import from_item, read_items
from sparks.model.account import User
from sparks.model.album import Album
from sparks.model.audience import possible_scopes
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo
from sparks.model.photo_index import MonthLink
from sparks.model.scope import COMMUNITY, Scope, scope_of_album, scope_of_owner
from sparks.table.port import Table, every

FORM: Final = 1  # of the content; another one makes all copies stale
PURPOSE: Final = "timeline folder"
RATIOS: Final = "ratios"  # all months of a scope in one copy, without photos


class ScopeMonth(NamedTuple):
    scope: Scope
    month: str


def month_copy(month: ScopeMonth, version: int, *, keyring: Keyring) -> str:
    """The key of the copy that is valid for this version of the month."""
    return blob_keys.derived("timeline", _folder(month.scope, keyring.current, keyring), month.month, _name(version))


def ratios_copy(scope: Scope, *, keyring: Keyring) -> str:
    return blob_keys.derived("timeline", _folder(scope, keyring.current, keyring), f"{RATIOS}-{FORM}")


def months_of(image_id: str, *, table: Table) -> frozenset[ScopeMonth]:
    """The months whose rows lead to this photo: before its links are reconciled, those that it was in."""
    links = (from_item(MonthLink, row) for row in every(table, keys.photo_rows(image_id), keys.MONTHS))
    return frozenset(ScopeMonth(link.scope, link.month) for link in links)


def months_from_row(photo: Photo) -> frozenset[ScopeMonth]:
    """The months that it may be in by its own row: known even where its links are deleted already."""
    if photo.month is None:
        return frozenset()
    return frozenset(ScopeMonth(scope, photo.month) for scope in possible_scopes(photo))


def settle_months(image_id: str, owner: str, *, table: Table, blobs: Blobs, keyring: Keyring) -> frozenset[ScopeMonth]:
    """Reconciles the photo's links, and drops the copies of the months that it was in or is in now. Returns those
    months.
    """
    before = months_of(image_id, table=table)
    reconcile_links(image_id, owner, table=table)
    months = before | months_of(image_id, table=table)
    drop_months(months, blobs=blobs, keyring=keyring)
    return months


def drop_months(months: Iterable[ScopeMonth], *, blobs: Blobs, keyring: Keyring) -> None:
    for scope, month in months:
        drop_month(scope, month, blobs=blobs, keyring=keyring)


def drop_month(scope: Scope, month: str, *, blobs: Blobs, keyring: Keyring) -> None:
    """Drops all copies of the month, of any version; nothing happens where there is none."""
    for folder in _folders(scope, keyring):
        _drop(blob_keys.derived("timeline", folder, month) + "/", blobs)


def drop_scope(scope: Scope, *, blobs: Blobs, keyring: Keyring) -> None:
    """Drops all copies of all months of the scope."""
    for folder in _folders(scope, keyring):
        _drop(blob_keys.derived("timeline", folder) + "/", blobs)


def drop_stale(*, table: Table, blobs: Blobs, keyring: Keyring) -> int:
    """Drops the copies that are valid for no present month; returns their number. A crash or a new secret may leave
    some.
    """
    dropped = 0
    for key in stale_copies(table=table, blobs=blobs, keyring=keyring):
        blobs.delete(key)
        dropped += 1
    return dropped


def stale_copies(*, table: Table, blobs: Blobs, keyring: Keyring) -> Iterator[str]:
    """The keys of stale copies. One that is being stored may be among them: it can be built again at any time."""
    users = (scope_of_owner(user.email) for user in read_items(User, every(table, entity_types.USERS)))
    albums = (scope_of_album(from_item(Album, row).album_id) for row in every(table, entity_types.ALBUMS))
    scopes = [COMMUNITY, *users, *albums]
    known = {_folder(scope, keyring.current, keyring): scope for scope in scopes}
    copies = _listed(blob_keys.derived("timeline") + "/", blobs)
    for folder, kept in groupby(copies, lambda copy: copy.key.split("/")[2]):
        good = _good(known[folder], table, keyring) if folder in known else frozenset()
        yield from [copy.key for copy in kept if copy.key not in good]


def _good(scope: Scope, table: Table, keyring: Keyring) -> frozenset[str]:
    rows = list(every(table, keys.months(scope)))
    months = (month_copy(ScopeMonth(scope, row["SK"]), row["version"], keyring=keyring) for row in rows)
    return frozenset((ratios_copy(scope, keyring=keyring), *months)) if rows else frozenset()


def _drop(prefix: str, blobs: Blobs) -> None:
    for copy in list(_listed(prefix, blobs)):
        blobs.delete(copy.key)


def _listed(prefix: str, blobs: Blobs) -> Iterator[BlobInfo]:
    page = blobs.list(prefix)
    yield from page.blobs
    while page.after is not None:
        page = blobs.list(prefix, after=page.after)
        yield from page.blobs


def _name(version: int) -> str:
    return f"{version}-{FORM}"


def _folders(scope: Scope, keyring: Keyring) -> list[str]:
    return [_folder(scope, key_id, keyring) for key_id in keyring.secrets]


def _folder(scope: Scope, key_id: str, keyring: Keyring) -> str:
    return hmac.digest(keyring.derive(PURPOSE, key_id), scope.encode(), "sha256").hex()[:40]
