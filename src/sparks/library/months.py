"""Where the months of timelines are kept once they are built, and how they go.

A copy is `derived/timeline/{keyed hash of the scope}/{yyyy-mm}/{version of its counter}-{FORM}`. It names photos, and
may outlive none of them: whoever settles a photo's links drops the months that it was in, and those that it is in now,
afterwards (`drop_months`). Whoever stores a copy reads the counter again, and removes it where that has moved.

[Note: every secret] The hash is made with the ring's current secret; what was kept under another secret of the ring is
dropped all the same, and what was kept under one that is gone is stale.
"""

import hmac
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final, NamedTuple

from sparks.blobs.port import BlobInfo, Blobs
from sparks.library import entity_types, keys, objects
from sparks.library.photos import settle_links
from sparks.library.records import from_item
from sparks.model.account import User
from sparks.model.album import Album
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo
from sparks.model.pointer import MonthLink
from sparks.model.scope import COMMUNITY, Scope, scope_of_album, scope_of_owner
from sparks.table.port import Table, every

FORM: Final = 1  # of what is inside; another one makes all copies stale
PURPOSE: Final = "timeline folder"
RATIOS: Final = "ratios"  # all months of a scope in one copy, which names no photo


class Month(NamedTuple):
    scope: Scope
    month: str


def month_copy(month: Month, version: int, *, keyring: Keyring) -> str:
    """The key of the copy that is good for this version of the month."""
    return objects.derived("timeline", _folder(month.scope, keyring.current, keyring), month.month, _name(version))


def ratios_copy(scope: Scope, *, keyring: Keyring) -> str:
    return objects.derived("timeline", _folder(scope, keyring.current, keyring), f"{RATIOS}-{FORM}")


def months_of(image_id: str, *, table: Table) -> frozenset[Month]:
    """The months that rows lead from to this photo: before its links are settled, those that it was in."""
    links = (from_item(MonthLink, row) for row in every(table, keys.photo_rows(image_id), keys.MONTHS))
    return frozenset(Month(link.scope, link.month) for link in links)


def months_told_by(photo: Photo) -> frozenset[Month]:
    """The months that it may be in, as its own row tells: where its links are gone already, these are still known."""
    if photo.month is None:
        return frozenset()
    scopes = scope_of_owner(photo.owner), COMMUNITY, *map(scope_of_album, photo.albums)
    return frozenset(Month(scope, photo.month) for scope in scopes)


def settle_months(image_id: str, owner: str, *, table: Table, blobs: Blobs, keyring: Keyring) -> frozenset[Month]:
    """Settles the photo's links. The months that it was in, and those that it is in now: no copy of them is left."""
    before = months_of(image_id, table=table)
    settle_links(image_id, owner, table=table)
    months = before | months_of(image_id, table=table)
    drop_months(months, blobs=blobs, keyring=keyring)
    return months


def drop_months(months: Iterable[Month], *, blobs: Blobs, keyring: Keyring) -> None:
    for scope, month in months:
        drop_month(scope, month, blobs=blobs, keyring=keyring)


def drop_month(scope: Scope, month: str, *, blobs: Blobs, keyring: Keyring) -> None:
    """All copies of the month go, whatever their version. None there: nothing happens."""
    for folder in _folders(scope, keyring):
        _drop(objects.derived("timeline", folder, month) + "/", blobs)


def drop_scope(scope: Scope, *, blobs: Blobs, keyring: Keyring) -> None:
    """All copies of all months of the scope go."""
    for folder in _folders(scope, keyring):
        _drop(objects.derived("timeline", folder) + "/", blobs)


def drop_stale(*, table: Table, blobs: Blobs, keyring: Keyring) -> int:
    """How many copies went: those that are good for no month as it is now. A crash may leave them, and a new secret."""
    dropped = 0
    for key in stale_copies(table=table, blobs=blobs, keyring=keyring):
        blobs.delete(key)
        dropped += 1
    return dropped


def stale_copies(*, table: Table, blobs: Blobs, keyring: Keyring) -> Iterator[str]:
    """Their keys. One that is stored this very moment may be among them: it can be built again at any time."""
    users = (scope_of_owner(from_item(User, row).email) for row in every(table, entity_types.USERS))
    albums = (scope_of_album(from_item(Album, row).album_id) for row in every(table, entity_types.ALBUMS))
    scopes = [COMMUNITY, *users, *albums]
    known = {_folder(scope, keyring.current, keyring): scope for scope in scopes}
    copies = _listed(objects.derived("timeline") + "/", blobs)
    for folder, kept in groupby(copies, lambda copy: copy.key.split("/")[2]):
        good = _good(known[folder], table, keyring) if folder in known else frozenset()
        yield from [copy.key for copy in kept if copy.key not in good]


def _good(scope: Scope, table: Table, keyring: Keyring) -> frozenset[str]:
    rows = list(every(table, keys.months(scope)))
    months = (month_copy(Month(scope, row["SK"]), row["version"], keyring=keyring) for row in rows)
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
