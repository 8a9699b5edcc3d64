"""Rows that another writer, who knows only the documents, puts into the table."""

import logging
import uuid
from datetime import timedelta
from typing import Any

import httpx
import pytest

from sparks.model import times
from sparks.model.account import Role
from sparks.model.events import UpkeepDue
from sparks.model.face import Box
from sparks.upkeep.orphaned_blobs import delete_orphans, find_orphans
from tests.documents.site import Row, Site, a_jpeg, image_row
from tests.faces.fake_engine import found_face


def feed_of(site: Site, session: dict[str, str]) -> dict[str, Any]:
    """The feed by image id, as its pages have it."""
    images: dict[str, Any] = {}
    page = site.get("/api/photos?limit=3", session)
    while True:
        images |= {image["imageId"]: image for image in page["images"]}
        if not page["hasMore"]:
            return images
        page = site.get("/api/photos", session, params={"limit": 3, "cursor": page["lastEvaluatedKey"]})


def test_an_image_as_in_the_document_is_in_the_feed_and_among_the_owners_photos(site: Site) -> None:
    ann, session = site.join()
    row = image_row(ann.email)
    site.put_rows(row)
    image = feed_of(site, session)[row["PK"]]
    assert {name: image[name] for name in ("uploadedBy", "uploaded_datetime", "s3Key", "persons", "tags")} == {
        "uploadedBy": ann.email,
        "uploaded_datetime": row["uploaded_datetime"],
        "s3Key": row["s3Key"],
        "persons": [],
        "tags": [],
    }
    assert (image["images"], image["visibility"], image["processingStatus"]) == ({}, "community", "pending")
    assert [each["imageId"] for each in site.get("/api/me/photos", session)["images"]] == [row["PK"]]
    assert site.get(f"/api/photos/{row['PK']}", session)["imageId"] == row["PK"]


def test_renditions_in_typed_form_are_read(site: Site) -> None:
    ann, session = site.join()
    image_id = str(uuid.uuid4())
    large = f"processed/{image_id}_large.webp"
    images = {"large": {"S": large}, "processedAt": {"S": "2025-08-01T09:24:28.957Z"}}
    site.put_rows(image_row(ann.email, imageId=image_id, images=images))
    site.put_object(large, b"a picture")
    image = feed_of(site, session)[image_id]
    assert image["images"] == {"large": large}
    redirect = site.browser.get(image["urls"]["large"], headers=session)
    assert httpx.get(redirect.headers["Location"]).content == b"a picture"


def test_an_image_of_another_writer_is_processed_by_the_upkeep_and_deleted_as_any_other(site: Site) -> None:
    ann, session = site.join()
    row = image_row(ann.email, tags=["sea"])
    site.put_object(row["s3Key"], a_jpeg())
    site.put_rows(row)
    site.engine.faces = [found_face(1, box=Box(0.1, 0.1, 0.2, 0.2))]
    site.send_event(UpkeepDue(times.now() + timedelta(days=2)))
    image = site.get(f"/api/photos/{row['PK']}", session)
    assert (image["processingStatus"], image["status"], image["faceCount"]) == ("completed", "INDEXED", 1)
    assert (image["width"], image["height"]) == (640, 480)
    assert set(image["images"]) >= {"large", "medium", "thumb"}
    assert set(site.object_keys(f"processed/{row['PK']}")) == set(image["images"].values())
    [month] = site.get("/api/timeline", session)["months"]
    assert (month["month"], month["count"]) == ("2025-08", 1)
    assert [each["tag"] for each in site.get("/api/tags", session)["tags"]] == ["sea"]
    limit = site.row(f"LIMIT#{ann.email}", ann.email)["limit"]
    assert site.browser.delete(f"/api/photos/{row['PK']}", headers=session).is_success
    site.work()
    assert site.object_keys(row["s3Key"]) == site.object_keys(f"processed/{row['PK']}") == []
    assert (
        site.outside.query(KeyConditionExpression="PK = :pk", ExpressionAttributeValues={":pk": row["PK"]})["Items"]
        == []
    )
    assert site.row(f"LIMIT#{ann.email}", ann.email)["limit"] == limit + 1


def test_an_image_whose_file_is_broken_fails_with_a_reason(site: Site) -> None:
    ann, session = site.join()
    row = image_row(ann.email)
    site.put_object(row["s3Key"], b"no picture")
    site.put_rows(row)
    site.send_event(UpkeepDue(times.now() + timedelta(days=2)))
    image = site.get(f"/api/photos/{row['PK']}", session)
    assert (image["processingStatus"], bool(image["processingError"])) == ("failed", True)


def test_the_original_of_a_row_that_cannot_be_read_is_no_orphan(site: Site) -> None:
    ann, _ = site.join()
    unreadable = [
        image_row(ann.email, visibility="friends"),
        image_row(ann.email, s3Key="originals/holiday.jpg"),
        image_row("no address"),
    ]
    keys = sorted({*(f"originals/{row['PK']}.jpg" for row in unreadable), "originals/holiday.jpg"})
    site.put_rows(*unreadable)
    for key in keys:
        site.put_object(key, b"bytes")
    scan = find_orphans(table=site.table, blobs=site.blobs, before=times.now() + timedelta(days=2))
    assert [blob.key for blob in scan.orphans if blob.key in keys] == []
    delete_orphans(scan, table=site.table, blobs=site.blobs)
    assert set(keys) <= set(site.object_keys("originals/"))


def test_what_is_left_out_of_a_row_is_reported_once(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    ann, session = site.join()
    row = image_row(ann.email, assetType="SOUND", title=None, tags={"sea", "sun"})
    site.put_rows(row)
    with caplog.at_level(logging.WARNING, logger="sparks.library.records"):
        shown = [feed_of(site, session)[row["PK"]] for _ in range(3)]
    assert [(image.get("title"), image["assetType"], image["tags"]) for image in shown] == [
        (None, "IMAGE", ["sea", "sun"])
    ] * 3
    reports = [record for record in caplog.records if getattr(record, "row", None) == row["PK"]]
    assert [record.getMessage() for record in reports] == [
        "a row of another writer, read as a Photo: left out assetType, which cannot be read"
    ]


def test_a_user_with_a_limit_as_in_the_document_has_an_account(site: Site) -> None:
    _, session = site.join(role=Role.ADMIN)
    email = f"{uuid.uuid4().hex}@example.com"
    site.put_rows(
        {
            "PK": email,
            "SK": email,
            "entityType": "USER",
            "email": email,
            "username": "Ja",
            "profilePicture": f"profile-pictures/{email}/profile.jpg",
            "personId": "person123",
        },
        {"PK": f"LIMIT#{email}", "SK": email, "entityType": "DEFAULT_LIMIT", "limit": 500},
    )
    user = site.get(f"/api/users/{email}", session)
    assert (user["email"], user["username"], user["uploadLimit"]["limit"]) == (email, "Ja", 500)
    assert email in {each["email"] for each in site.get("/api/users?limit=100", session)["users"]}


def test_a_person_with_a_tagging_as_in_the_document_is_shown_with_their_photo(site: Site) -> None:
    ann, session = site.join()
    row, person_id = image_row(ann.email), f"person{uuid.uuid4().int % 10**9}"
    site.put_rows(
        row,
        {
            "PK": f"PERSON#{person_id}",
            "SK": person_id,
            "entityType": "PERSON",
            "displayName": person_id,
            "s3Key": f"persons/{person_id}.jpg",
            "createdAt": 1754040302,
        },
        {
            "PK": row["PK"],
            "SK": f"PERSON#{person_id}",
            "entityType": f"TAGGING#{person_id}",
            "s3Key": f"processed/{row['PK']}_large.webp",
            "createdAt": 1754040302,
        },
    )
    site.get("/api/persons", session)
    site.get(f"/api/photos/{row['PK']}/persons", session)


def rows_of_other_documents(email: str) -> list[Row]:
    """A user and a photo of 001, a photo and a face of 002, a file of 003 and an image of 004, all in one table."""
    one, face = str(uuid.uuid4()), str(uuid.uuid4())
    return [
        {"PK": f"USER#{email}", "SK": f"USER#{email}", "entityType": "user", "uploadedBy": email, "uploadLimit": 500},
        {"PK": f"PHOTO#{one}", "SK": "PHOTO#1754040302", "entityType": "photo", "uploadedBy": email, "tags": ["sea"]},
        {"PK": one, "SK": one, "photoId": one, "s3KeyRaw": f"uploads/raw/{one}.jpg", "status": "INDEXED"},
        {"PK": face, "SK": one, "faceId": face, "photoId": one, "gsi1pk": one, "gsi1sk": face},
        {"PK": email, "SK": one, "username": email, "id": one, "uploadedAt": 1754040302159, "sizes": ["ORIGINAL"]},
        {"PK": f"IMAGE#{one}", "SK": "METADATA", "id": one, "userId": email, "GSI1PK": f"USER#{email}", "version": 1},
    ]


def test_rows_of_the_other_documents_are_ignored(site: Site) -> None:
    ann, session = site.join()
    good = image_row(ann.email)
    site.put_rows(*rows_of_other_documents(ann.email), good)
    assert [each["imageId"] for each in site.get("/api/me/photos", session)["images"]] == [good["PK"]]
    assert good["PK"] in feed_of(site, session)
    site.search.build(at=times.now())
    site.send_event(UpkeepDue(times.now()))
    assert site.browser.request("DELETE", "/api/me", headers=session).status_code != 500
