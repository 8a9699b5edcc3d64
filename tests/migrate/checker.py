"""Checker of a migration: says how the target differs from the source, without any code of the migrator.

It reads PostgreSQL with SQL of its own, and the target as its table and its blobs hold it: every item and every blob,
by the names of keys and attributes that `docs` promise.
"""

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import psycopg

from sparks.blobs.port import Blobs
from sparks.table.port import Item, Table

USERS, ALBUMS, PHOTOS = "users", "gallery_albums", "gallery_images"
IN_CALENDAR: Final = "{0} >= '0001-01-01 00:00:00+00' AND {0} < '10000-01-01 00:00:00+00'"
ISO: Final = """to_char(date_trunc('milliseconds', {0} AT TIME ZONE 'UTC'), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"""
TIME: Final = f"CASE WHEN {IN_CALENDAR} THEN {ISO} END"
QUERIES: Final = {
    USERS: "SELECT id::text, email, username, {created} AS created FROM users",
    ALBUMS: """
        SELECT id::text, user_id::text, title, description, {created} AS created, {updated} AS updated
        FROM gallery_albums
    """,
    PHOTOS: """
        SELECT id::text, user_id::text, album_id::text, original_filename, s3_key, title, description, alt_text,
          tags::text AS tags, {created} AS created, {updated} AS updated FROM gallery_images
    """,
}
UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
Row = dict[str, Any]


@dataclass(frozen=True)
class Limits:
    """The settings that give amounts to a new account."""

    photos: int = 500
    bytes: int = 50 * 10**9


@dataclass
class Checker:
    """`changed_in_target`: whether people have worked in Sparks. Then photos may be in more albums, and only sums of
    upload limits are known. `has_equal_objects`: whether photos share their bytes. Then their digest leads to the first
    of them, and is gone with it. `given` are addresses from a CSV file.
    """

    url: str
    objects: Path
    table: Table
    blobs: Blobs
    limits: Limits = field(default_factory=Limits)
    changed_in_target: bool = False
    has_equal_objects: bool = False
    given: Mapping[str, str] = field(default_factory=dict)

    def differences(self) -> list[str]:
        """One line for each difference; none where both sides are equal."""
        return list(_Check(self).run())

    def issues(self) -> dict[tuple[str, str], list[Row]]:
        """The issues by table and id of their rows."""
        items = (item for item in scan(self.table) if item["PK"].startswith("ALIAS#"))
        return {_alias_key(item): item["issues"] for item in items if item.get("issues")}


class _Check:
    def __init__(self, checker: Checker) -> None:
        self._checker = checker
        self._source = read_source(checker.url)
        items = list(scan(checker.table))
        self._items = {(item["PK"], item["SK"]): item for item in items}
        self._aliases = {_alias_key(item): item for item in items if item["PK"].startswith("ALIAS#")}
        self._photos = {item["PK"]: item for item in items if item["SK"].startswith("UPLOADED_BY#")}
        self._partitions: dict[str, list[str]] = defaultdict(list)
        for item in items:
            self._partitions[item["PK"]].append(item["SK"])
        self._blobs = set(blob_keys(checker.blobs))

    def run(self) -> Iterator[str]:
        for row in self._source[USERS].values():
            yield from self._user(row)
        for row in self._source[ALBUMS].values():
            yield from self._album(row)
        for row in self._source[PHOTOS].values():
            yield from self._photo(row)
        yield from self._once()
        yield from self._leftovers()
        yield from self._limits()
        yield from self._digests()

    # -- Rows that the source has

    def _taken(self, table: str, row: Row) -> tuple[str | None, list[str]]:
        """What the row became, or None; and the differences of its alias."""
        alias = self._aliases.get((table, row["id"]))
        if alias is None:
            return None, [f"{table} {row['id']} has no alias"]
        told = [each for each in alias.get("issues", []) if not each["taken"]]
        if "imageId" in alias and (table == USERS or not told):
            return alias["imageId"], []  # an account stays, and so does a row as it was when it could be taken
        return None, [] if told else [f"{table} {row['id']} was not taken, and no issue says why"]

    def _target_of(self, table: str, row_id: str | None) -> str | None:
        alias = {} if row_id is None else self._aliases.get((table, row_id), {})
        target: str | None = alias.get("imageId")
        return target

    def _user(self, row: Row) -> Iterator[str]:
        email, problems = self._taken(USERS, row)
        yield from problems
        if email is None:
            return
        wanted = self._checker.given.get(row["id"]) or (row["email"] or "").strip().lower()
        if email != wanted and "email" not in self._issue_fields(USERS, row):
            yield f"user {row['id']} has the address {email}, not {wanted}"
        values = {
            "sourceId": row["id"],
            "email": email,
            "username": row["username"] or email.partition("@")[0],
            "createdAt": row["created"],
        }
        yield from self._compare(f"user {row['id']}", (email, email), values)

    def _album(self, row: Row) -> Iterator[str]:
        album_id, problems = self._taken(ALBUMS, row)
        yield from problems
        if album_id is None:
            return
        owner = self._target_of(USERS, row["user_id"])
        key = (f"ALBUM#{album_id}", "METADATA")
        values = {
            "sourceId": row["id"],
            "owner": owner,
            "title": row["title"] or "",
            "description": row["description"],
            "createdAt": row["created"],
        }
        yield from self._compare(f"album {row['id']}", key, values)
        changed = self._items.get(key, {}).get("updatedAt")
        if row["updated"] is not None and (changed is None or changed < row["updated"]):  # photos come and go later
            yield f"album {row['id']} was changed at {row['updated']}, not {changed}"
        owners = [
            sk.removeprefix("MEMBER#")
            for sk in self._partitions[key[0]]
            if sk.startswith("MEMBER#") and self._items[key[0], sk]["role"] == "owner"
        ]
        if owners != [owner]:
            yield f"album {row['id']} has the owners {owners}, not {owner}"
        yield from self._id_problems("album", row, album_id)

    def _photo(self, row: Row) -> Iterator[str]:
        image_id, problems = self._taken(PHOTOS, row)
        yield from problems
        if image_id is None:
            return
        owner = self._target_of(USERS, row["user_id"])
        album = self._target_of(ALBUMS, row["album_id"])
        tags = json.loads(row["tags"]) if row["tags"] is not None else None
        values = {
            "sourceId": row["id"],
            "imageId": image_id,
            "owner": owner,
            "originalFilename": row["original_filename"],
            "title": row["title"],
            "description": row["description"],
            "altText": row["alt_text"],
            "tags": [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else [],
            "uploaded_datetime": row["created"],
            "updatedAt": row["updated"],
        }
        what = f"photo {row['id']}"
        yield from self._compare(what, (image_id, f"UPLOADED_BY#{owner}"), values)
        yield from self._albums(what, image_id, owner, album)
        yield from self._object(what, image_id, row)
        yield from self._id_problems("photo", row, image_id)

    def _albums(self, what: str, image_id: str, owner: str | None, album: str | None) -> Iterator[str]:
        rows = [sk.removeprefix("ALBUM#") for sk in self._partitions[image_id] if re.fullmatch(r"ALBUM#[^#]+", sk)]
        held = self._photos.get(image_id, {}).get("albums", [])
        if sorted(rows) != sorted(held):
            yield f"{what} is in the albums {rows} by its rows, and in {held} by its own row"
        if album is not None and album not in rows:
            yield f"{what} is not in the album {album}"
        if album is not None and self._items.get((image_id, f"ALBUM#{album}"), {}).get("addedBy") != owner:
            yield f"{what} was not put into its album by its owner"
        if rows != ([] if album is None else [album]) and not self._checker.changed_in_target:
            yield f"{what} is in the albums {rows}, not {album}"

    def _object(self, what: str, image_id: str, row: Row) -> Iterator[str]:
        there = self._source_object(row["s3_key"])
        photo = self._photos.get(image_id)
        if photo is None:
            return
        key = photo.get("s3Key")
        if there is None:
            if key is not None or photo["entityType"] != "IMAGE_FAILED":
                yield f"{what} has no object in the source, and is {photo['entityType']} with {key} in the target"
            return
        digest = hashlib.sha256(there).hexdigest()
        if key is None or not key.startswith(f"originals/{image_id}.") or key not in self._blobs:
            yield f"{what} has no original: {key}"
            return
        if digest != photo.get("sha256") or digest != self._stored_digest(key):
            yield f"{what} has other bytes than its object"
        if photo.get("fileSize") != len(there):
            yield f"{what} has the size {photo.get('fileSize')}, not {len(there)}"

    def _source_object(self, key: str) -> bytes | None:
        folder = self._checker.objects.resolve()
        try:
            path = (folder / key).resolve()
            return path.read_bytes() if folder in path.parents and path.is_file() else None
        except (OSError, ValueError):
            return None

    def _stored_digest(self, key: str) -> str:
        digest = hashlib.sha256()
        for chunk in self._checker.blobs.open(key):
            digest.update(chunk)
        return digest.hexdigest()

    def _compare(self, what: str, key: tuple[str, str], values: Mapping[str, Any]) -> Iterator[str]:
        item = self._items.get(key)
        if item is None:
            yield f"{what} is missing: {key}"
            return
        for name, wanted in values.items():
            found = item.get(name, [] if name == "tags" else None)
            if found != wanted:
                yield f"{what}: {name} is {found!r:.200}, not {wanted!r:.200}"
        if item.get("entityType") in ("IMAGE_DELETING", "ALBUM_DELETING") or "removedAt" in item:
            yield f"{what} is being deleted"

    def _issue_fields(self, table: str, row: Row) -> set[str]:
        return {each["field"] for each in self._aliases[table, row["id"]].get("issues", [])}

    def _id_problems(self, what: str, row: Row, new_id: str) -> Iterator[str]:
        if UUID.fullmatch(new_id) is None or new_id[14] != "7":
            yield f"{what} {row['id']} became {new_id}, which is no UUIDv7"
        if row["id"][14] == "7" and row["id"][19] in "89ab" and new_id != row["id"]:
            yield f"{what} {row['id']} is a UUIDv7 already, and became {new_id}"

    # -- Nothing twice, nothing left

    def _once(self) -> Iterator[str]:
        """A row of the source became one row of the target, and every such row has its alias."""
        for table, kind in ((USERS, "user"), (ALBUMS, "album"), (PHOTOS, "photo")):
            found = Counter(item["sourceId"] for item in self._of(table) if "sourceId" in item)
            yield from (f"{kind} {old} is there {count} times" for old, count in found.items() if count > 1)
            taken = {old for (system, old), alias in self._aliases.items() if system == table and "imageId" in alias}
            yield from (f"{kind} {old} has no alias" for old in found.keys() - taken)
            yield from (f"the alias of {kind} {old} leads nowhere" for old in taken - found.keys())

    def _of(self, table: str) -> Iterator[Item]:
        for (pk, sk), item in self._items.items():
            is_user = pk == sk and "@" in pk
            is_album = pk.startswith("ALBUM#") and sk == "METADATA"
            is_photo = sk.startswith("UPLOADED_BY#")
            if {USERS: is_user, ALBUMS: is_album, PHOTOS: is_photo}[table]:
                yield item

    def _leftovers(self) -> Iterator[str]:
        for table, old in self._aliases:
            if old not in self._source[table]:
                yield f"{table} {old} is gone from the source, and its alias is there"
        for table in (USERS, ALBUMS, PHOTOS):
            for item in self._of(table):
                if "sourceId" in item and item["sourceId"] not in self._source[table]:
                    yield f"{table} {item['sourceId']} is gone from the source, and {item['PK']} is there"
        yield from filter(None, map(self._blob_leftover, self._blobs))
        for pk, sks in self._partitions.items():
            yield from self._partition_leftovers(pk, sks)

    def _blob_leftover(self, key: str) -> str | None:
        image_id = re.split(r"[._]", key.partition("/")[2])[0]
        if not key.startswith(("originals/", "processed/")):
            return None
        if image_id not in self._photos:
            return f"the blob {key} belongs to no photo"
        is_other = key.startswith("originals/") and self._photos[image_id].get("s3Key") != key
        return f"the blob {key} is not the original of its photo" if is_other else None

    def _partition_leftovers(self, pk: str, sks: list[str]) -> Iterator[str]:
        if pk.startswith("ALBUM#") and (pk, "METADATA") not in self._items:
            yield f"the rows {sks} are left of {pk}"
        if UUID.fullmatch(pk) is None:
            return
        if pk not in self._photos:
            yield f"the rows {sks} are left of the photo {pk}"
        for sk in sks:
            if re.fullmatch(r"ALBUM#[^#]+", sk) and (sk, "METADATA") not in self._items:
                yield f"the photo {pk} is in {sk}, which is gone"

    # -- Upload limits and digests

    def _limits(self) -> Iterator[str]:
        sizes: dict[str, list[int]] = defaultdict(list)
        for photo in self._photos.values():
            sizes[photo["owner"]].append(photo.get("fileSize") or 0)
        for pk, sk in list(self._items):
            if pk.startswith("LIMIT#") and (sk, sk) not in self._items:
                yield f"the upload limit of {sk} is left of an account"
        for user in self._of(USERS):
            email = user["PK"]
            limit = self._items.get((f"LIMIT#{email}", email))
            if limit is None:
                yield f"{email} has no upload limit"
                continue
            used = limit["given"] - limit["limit"], limit["bytesGiven"] - limit["bytesLeft"]
            if used != (len(sizes[email]), sum(sizes[email])):
                yield f"{email} uses {used} by the limit, and has {len(sizes[email])}, {sum(sizes[email])}"
            left = limit["limit"], limit["bytesLeft"]
            if not self._checker.changed_in_target and left != (
                self._checker.limits.photos,
                self._checker.limits.bytes,
            ):
                yield f"{email} has {left} left to upload"

    def _digests(self) -> Iterator[str]:
        """Bytes of a photo of an owner lead to one of the owner's photos that have them."""
        holders: dict[tuple[str, str], set[str]] = defaultdict(set)
        for image_id, photo in self._photos.items():
            for name in ("sha256", "sha1"):
                if name in photo and photo["entityType"] != "IMAGE_DELETING":
                    holders[photo["owner"], photo[name]].add(image_id)
        found = {
            (pk.removeprefix("HASH#").rpartition("#")[0], pk.rpartition("#")[2]): item["imageId"]
            for (pk, sk), item in self._items.items()
            if sk == "HASH"
        }
        for key, image_id in found.items():
            if image_id not in holders.get(key, ()):
                yield f"the digest {key} leads to {image_id}, which has other bytes"
        for key, image_ids in holders.items():
            if key not in found and not self._checker.has_equal_objects:
                yield f"no digest leads to the photo {image_ids}"


def read_source(url: str) -> dict[str, dict[str, Row]]:
    """All rows of the three tables at one moment, by id. A time outside the calendar is None."""
    times = {"created": TIME.format("created_at"), "updated": TIME.format("updated_at")}
    with psycopg.connect(url, row_factory=psycopg.rows.dict_row) as connection:
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        return {
            table: {row["id"]: row for row in connection.execute(query.format(**times)).fetchall()}
            for table, query in QUERIES.items()
        }


def scan(table: Table) -> Iterator[Item]:
    page = table.scan()
    yield from page.items
    while page.after is not None:
        page = table.scan(after=page.after)
        yield from page.items


def blob_keys(blobs: Blobs) -> Iterator[str]:
    page = blobs.list()
    yield from (blob.key for blob in page.blobs)
    while page.after is not None:
        page = blobs.list(after=page.after)
        yield from (blob.key for blob in page.blobs)


def _alias_key(item: Item) -> tuple[str, str]:
    _, system, old_id = item["PK"].split("#", 2)
    return system, old_id


# -- The journal of the legacy application


@dataclass
class _History:
    """What the application did to one row. `values` are those that a column may have now."""

    inserted: bool = False
    may_be_gone: bool = False
    must_be_absent: bool = False
    values: dict[str, list[Any]] = field(default_factory=lambda: defaultdict(list))


def journal_problems(journal: Path, url: str, *, changed_in_target: frozenset[str] = frozenset()) -> list[str]:
    """Whether the source holds what was committed, and nothing of what was refused or undone. Rows that people changed
    in the target are left out.
    """
    source = read_source(url)
    lines = read_journal(journal)
    rows, emptied = _histories(lines)
    problems = [f"a statement failed with {line['sqlstate']}: {line}" for line in lines if line["outcome"] == "failed"]
    for (table, row_id), row in rows.items():
        if row_id not in changed_in_target:
            problems += _row_problems(table, row_id, row, source[table].get(row_id), emptied=emptied)
    return problems


def read_journal(journal: Path) -> list[dict[str, Any]]:
    """The complete lines."""
    text = journal.read_text() if journal.exists() else ""
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]


def _histories(lines: list[dict[str, Any]]) -> tuple[dict[tuple[str, str], _History], bool]:
    """The rows, and whether statements may have emptied tables."""
    rows: dict[tuple[str, str], _History] = defaultdict(_History)
    emptied = False
    for line in lines:
        happened = line["outcome"] in ("committed", "unknown")
        for each in line["operations"]:
            if each["operation"] not in ("INSERT", "UPDATE", "DELETE"):
                emptied |= happened
                continue
            row = rows[each["table"], each["id"]]
            if each["operation"] == "INSERT":
                row.inserted |= line["outcome"] == "committed"
                row.must_be_absent = not happened
            row.may_be_gone |= each["operation"] == "DELETE" and happened
            if happened:
                for name, value in each["columns"].items():
                    row.values[name].append(value)
    return rows, emptied


def _row_problems(table: str, row_id: str, row: _History, found: Row | None, *, emptied: bool) -> Iterator[str]:
    if found is None:
        if row.inserted and not row.may_be_gone and not emptied:
            yield f"{table} {row_id} was committed, and is not in the source"
        return
    if row.must_be_absent:
        yield f"{table} {row_id} was refused or undone, and is in the source"
    for name, values in row.values.items():
        if name in ("title", "description", "alt_text", "username", "original_filename") and found[name] not in values:
            yield f"{table} {row_id}: {name} is {found[name]!r:.80}, which was never committed"
