"""Tables that change at random between looks: Sparks is as an independent reading of the items says."""

import random
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from sparks.journey import Stores
from sparks.library.accounts.users import find_user
from sparks.library.people.photo_faces import decisions_about, find_person
from sparks.library.people.redirects import resolve_person
from sparks.library.people.replay_decisions import in_force
from sparks.library.upload_limits.account_limit import read_limit
from sparks.migrate.comparison import known_rows
from sparks.migrate.context import Migration
from sparks.migrate.follow import Follower
from sparks.model.migration import PERSONS, PHOTOS, USERS
from sparks.model.person import DecisionKind
from tests.migrate.in_process import memory_stores, verify
from tests.migrate.layouts import items
from tests.migrate.layouts.in_process import filled, photo_of

ROUNDS = 12
Table = dict[tuple[str, str], dict[str, Any]]


class OldService:
    """A table of layout 000 in which users, photos, persons and taggings come, change and go."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.table: Table = {}
        for _ in range(40):
            self.change()

    def change(self) -> None:
        draw = self.random
        email, image = f"user{draw.randrange(4)}@example.org", f"image-{draw.randrange(12)}"
        person = f"person{draw.randrange(5)}"
        owner = f"user{int(image.removeprefix('image-')) % 4}@example.org"
        made: list[dict[str, Any]] = [
            {"PK": email, "SK": email, "entityType": "USER", "email": email, "username": draw.choice("ABC")},
            {"PK": f"LIMIT#{email}", "SK": email, "entityType": "DEFAULT_LIMIT", "limit": draw.randrange(9)},
            {
                "PK": image,
                "SK": f"UPLOADED_BY#{owner}",
                "entityType": "IMAGE",
                "uploadedBy": owner,
                "s3Key": f"originals/{image}.jpg",
                "uploaded_datetime": "2025-08-01T09:24:22.159Z",
                "tags": [draw.choice(("sea", "sun"))],
            },
            {
                "PK": f"PERSON#{person}",
                "SK": person,
                "entityType": "PERSON",
                "displayName": draw.choice((person, "Carol", "Dan")),
            },
            {"PK": image, "SK": f"PERSON#{person}", "entityType": f"TAGGING#{person}"},
        ]
        item = draw.choice(made)
        if draw.random() < 0.35:
            self.table.pop((item["PK"], item["SK"]), None)
        else:
            self.table[item["PK"], item["SK"]] = item

    def of(self, kind: str) -> Iterator[dict[str, Any]]:
        return (item for item in self.table.values() if item["entityType"].startswith(kind))


@pytest.mark.parametrize("seed", range(3))
def test_sparks_follows_random_changes(seed: int, tmp_path: Path) -> None:
    old, stores = OldService(seed), memory_stores()
    objects = tmp_path / "objects"
    objects.mkdir()
    file = items.write_scan(tmp_path / "scan.json", list(old.table.values()))
    with filled(f"dynamodb://{file}", objects, stores, tmp_path) as migration:
        for _ in range(ROUNDS):
            check(old, stores, migration)
            for _ in range(old.random.randrange(1, 15)):
                old.change()
            items.write_scan(file, list(old.table.values()))
            migration.capture.install()
            Follower(migration).catch_up()
    assert verify(stores).differences == []


def check(old: OldService, stores: Stores, migration: Migration) -> None:
    images = {item["PK"]: item for item in old.of("IMAGE")}
    there = {row.old_id for row in known_rows(PHOTOS, migration.target)}
    assert there == images.keys()
    for old_id, item in images.items():
        photo = photo_of(old_id, stores)
        assert (photo.owner, list(photo.tags)) == (item["uploadedBy"], item["tags"])
    _check_users(old, stores, migration)
    _check_persons(old, stores, migration, images)


def _check_users(old: OldService, stores: Stores, migration: Migration) -> None:
    users = {item["PK"]: item for item in old.of("USER")}
    uploaders = {item["uploadedBy"] for item in old.of("IMAGE")}
    assert {row.old_id for row in known_rows(USERS, migration.target)} == users.keys() | uploaders
    limits = {item["SK"]: item["limit"] for item in old.of("DEFAULT_LIMIT")}
    for email in users.keys() | uploaders:
        user = find_user(email, table=stores.table)
        assert user is not None
        assert user.username == (users[email]["username"] if email in users else email.partition("@")[0])
        if email in limits:
            assert read_limit(email, table=stores.table).photos_left == limits[email]


def _check_persons(old: OldService, stores: Stores, migration: Migration, images: dict[str, Any]) -> None:
    named = {item["SK"]: item["displayName"] for item in old.of("PERSON")}
    tagged: dict[str, list[str]] = {}
    for item in old.of("TAGGING"):
        tagged.setdefault(item["PK"], []).append(item["SK"].removeprefix("PERSON#"))
    known = {row.old_id: row.target_id or "" for row in known_rows(PERSONS, migration.target)}
    assert known.keys() == named.keys() | {each for persons in tagged.values() for each in persons}
    for old_id, person_id in known.items():
        name = named.get(old_id, old_id)
        person = find_person(person_id, table=stores.table)
        shown = person.display_name if person is not None and person.is_named else None
        assert shown == (None if name.startswith("person") else name)
        decided = {
            face.image_id
            for decision in in_force(decisions_about(person_id, table=stores.table))
            if decision.kind is DecisionKind.ASSIGN
            for face in decision.faces
        }
        alone = [image for image, persons in tagged.items() if persons == [old_id] and image in images]
        assert decided == {photo_of(image, stores).image_id for image in alone}


class OldGallery:
    """Tables of layout 002 in which photos, faces, clusters, members and redirects come, change and go."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.table: Table = {}
        for _ in range(40):
            self.change()

    def change(self) -> None:
        draw = self.random
        photo, face, number = f"photo-{draw.randrange(6)}", f"face-{draw.randrange(8)}", draw.randrange(5)
        cluster: dict[str, Any] = {"clusterId": f"c-{number}", "memberCount": draw.randrange(9)}
        if number < 4 and draw.random() < 0.4:
            cluster["canonicalClusterId"] = f"c-{draw.randrange(number + 1, 5)}"
        box = {"Left": 0.1 * draw.randrange(3), "Top": 0.2, "Width": 0.2, "Height": 0.2}
        made: list[tuple[str, dict[str, Any]]] = [
            ("Photo", {"photoId": photo, "s3KeyRaw": f"uploads/raw/{photo}.jpg", "uploadedAt": "2026-01-15T18:40:12Z"}),
            (
                "FaceOccurrence",
                {"faceId": face, "photoId": photo, "bbox": {k: Decimal(str(v)) for k, v in box.items()}},
            ),
            ("Cluster", cluster),
            ("ClusterMember", {"clusterId": f"c-{number}", "faceId": face}),
        ]
        kind, item = draw.choice(made)
        key = "/".join(str(item[name]) for name in ("clusterId", "faceId", "photoId") if name in item)
        if draw.random() < 0.35:
            self.table.pop((kind, key), None)
        else:
            self.table[kind, key] = item

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [item for (table, _), item in self.table.items() if table == kind]


@pytest.mark.parametrize("seed", range(3))
def test_sparks_follows_random_changes_of_clusters(seed: int, tmp_path: Path) -> None:
    old, stores = OldGallery(seed), memory_stores()
    objects = tmp_path / "objects"
    objects.mkdir()
    file = items.write_scan(tmp_path / "scan.json", list(old.table.values()))
    options = {"owner": "hosts@example.org", "layout": "002"}
    with filled(f"dynamodb://{file}", objects, stores, tmp_path, options=options) as migration:
        for _ in range(ROUNDS):
            check_clusters(old, stores, migration)
            for _ in range(old.random.randrange(1, 15)):
                old.change()
            items.write_scan(file, list(old.table.values()))
            migration.capture.install()
            Follower(migration).catch_up()
    assert verify(stores).differences == []


def check_clusters(old: OldGallery, stores: Stores, migration: Migration) -> None:
    photos = {item["photoId"] for item in old.of("Photo")}
    assert {row.old_id for row in known_rows(PHOTOS, migration.target)} == photos
    canonical = {item["clusterId"]: item.get("canonicalClusterId") for item in old.of("Cluster")}
    members = {(item["clusterId"], item["faceId"]) for item in old.of("ClusterMember")}
    known = {row.old_id: row.target_id or "" for row in known_rows(PERSONS, migration.target)}
    assert known.keys() >= canonical.keys() | {cluster for cluster, _ in members}
    for cluster in canonical.keys() | {cluster for cluster, _ in members}:
        wanted = {
            (item["faceId"], photo_of(item["photoId"], stores).image_id)
            for item in old.of("FaceOccurrence")
            if (cluster, item["faceId"]) in members and item["photoId"] in photos
        }
        decided = {
            (face.face_id, face.image_id)
            for decision in in_force(decisions_about(known[cluster], table=stores.table))
            if decision.kind is DecisionKind.ASSIGN
            for face in decision.faces
        }
        assert decided == wanted
        end = cluster
        while canonical.get(end) is not None:
            end = canonical[end]
        assert resolve_person(known[cluster], table=stores.table) == known[end]
