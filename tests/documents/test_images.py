"""An uploaded photo as an outsider finds it in the table, and the lists of the API."""

import time
from typing import Any

from sparks.model.account import Role
from sparks.model.errors import Damaged
from tests.api.community import Headers
from tests.documents.site import Row, Site, a_jpeg, image_row

REASON = "this file cannot be decoded"


def photo_row(site: Site, image_id: str, email: str) -> Row:
    return site.row(image_id, f"UPLOADED_BY#{email}")


def test_a_row_has_its_times_from_the_start_and_the_upload_is_when_it_was_completed(site: Site) -> None:
    ann, session = site.join()
    picture = a_jpeg("coral")
    ticket = site.reserve(session, picture)
    image_id = ticket["imageId"]
    reserved = photo_row(site, image_id, ann.email)
    assert reserved["updatedAt"] == reserved["createdAt"]
    assert "uploaded_datetime" not in reserved
    site.send(ticket, picture)
    _wait_for_the_next_millisecond()
    site.post(f"/api/uploads/{image_id}/complete", session)
    complete = photo_row(site, image_id, ann.email)
    assert complete["createdAt"] == reserved["createdAt"] < complete["uploaded_datetime"] == complete["updatedAt"]
    site.work()
    processed = photo_row(site, image_id, ann.email)
    assert [processed[name] for name in ("createdAt", "uploaded_datetime", "updatedAt", "version")] == [
        complete[name] for name in ("createdAt", "uploaded_datetime", "updatedAt", "version")
    ]


def test_images_in_lists_hold_keys_alone_and_the_row_says_when_they_were_made(site: Site) -> None:
    ann, session = site.join()
    image_id = site.upload(session, a_jpeg("navy"))
    site.work()
    stored = photo_row(site, image_id, ann.email)["images"]
    keys = {name: f"processed/{image_id}_{name}.webp" for name in ("large", "medium", "thumb")}
    assert {name: stored[name] for name in keys} == keys
    [listed] = site.get("/api/me/photos", session)["images"]
    assert listed["images"] == {name: key for name, key in stored.items() if name != "processedAt"}
    details = site.get(f"/api/photos/{image_id}", session)
    assert (details["images"], details["processedAt"]) == (listed["images"], stored["processedAt"])


def pages_of(site: Site, path: str, session: Headers) -> list[Any]:
    pages = [site.get(path, session, params={"limit": 1})]
    while (cursor := pages[-1].get("lastEvaluatedKey")) is not None:
        pages.append(site.get(path, session, params={"limit": 1, "cursor": cursor}))
    return pages


def test_every_page_says_whether_there_are_more(site: Site) -> None:
    ann, session = site.join(role=Role.ADMIN)
    site.join()
    site.put_rows(image_row(ann.email, tags=["sea"]), image_row(ann.email, tags=["sea"]))
    for path in ("/api/photos", "/api/me/photos", "/api/users", "/api/admin/audit"):
        pages = pages_of(site, path, session)
        assert [page["hasMore"] for page in pages] == [True] * (len(pages) - 1) + [False], path
    last = ("/api/me/favorites", "/api/me/trash", "/api/tags", "/api/persons", "/api/albums", "/api/suggestions")
    assert [site.get(path, session)["hasMore"] for path in (*last, "/api/admin/migration", "/api/admin/claims")] == [
        False
    ] * (len(last) + 2)


def test_a_failed_face_detection_has_a_reason_until_a_retry_succeeds(site: Site) -> None:
    ann, session = site.join()
    _, others = site.join()
    _, administrators = site.join(role=Role.ADMIN)
    image_id = site.upload(session, a_jpeg("olive"))
    site.engine.error = Damaged(REASON)
    site.work()
    row = photo_row(site, image_id, ann.email)
    assert (row["status"], row["error"]) == ("FAILED", REASON)
    shown = [site.get(f"/api/photos/{image_id}", who).get("error") for who in (session, administrators, others)]
    assert shown == [REASON, REASON, None]
    assert all("error" not in image for image in site.get("/api/me/photos", session)["images"])
    retry = f"/api/photos/{image_id}/faces/retry"
    assert site.browser.post(retry, headers=others).status_code in (403, 404)
    site.engine.error = None
    waiting = site.post(retry, session)
    assert (waiting["status"], waiting.get("error")) == ("RAW", None)
    site.work()
    row = photo_row(site, image_id, ann.email)
    assert (row["status"], "error" in row) == ("INDEXED", False)
    assert site.browser.post(retry, headers=session).status_code == 409


def _wait_for_the_next_millisecond() -> None:
    """A row holds times to the millisecond."""
    start = time.time_ns() // 1_000_000
    while time.time_ns() // 1_000_000 == start:
        pass
