"""A server, a worker and a data folder: soon after photos were deleted, no byte of the folder holds their ids."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from sparks.auth.api_keys import make_key
from sparks.library.accounts.lifecycle import create_user
from sparks.model import times
from tests.cli.library import stores_in
from tests.cli.processes import Running, start_serve
from tests.factories import ANN, a_user
from tests.media.container_builders import gradient, saved
from tests.servers.process import wait_until
from tests.stored_traces import traces_in

LIMIT = 20
BYTES = 10**9
PICTURE = saved(gradient(320, 200), "JPEG")
LARGE = 20 * 1024 * 1024
SOON = 120.0  # seconds: most of them for a machine that is busy


def picture(number: int) -> bytes:
    return PICTURE + bytes([number])


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    with start_serve(tmp_path / "data") as running:
        yield running


@pytest.fixture
def ann(running: Running) -> Iterator[httpx.Client]:
    with stores_in(running.data) as stores:
        user = a_user(ANN)
        create_user(user, photos=LIMIT, bytes=BYTES, table=stores.table)
        _, key = make_key(user, name="a key", at=times.now(), table=stores.table)
    with httpx.Client(base_url=running.url, headers={"Authorization": f"Bearer {key}"}, timeout=60) as client:
        yield client


def ask(ann: httpx.Client, method: str, path: str, **more: Any) -> Any:
    answer = ann.request(method, path, **more)
    assert answer.is_success, (method, path, answer.text)
    return answer.json() if answer.content else None


def post(ann: httpx.Client, content: bytes) -> str:
    return str(ask(ann, "POST", "/api/photos", params={"filename": "sea.jpg"}, content=content)["imageId"])


def status_of(ann: httpx.Client, image_id: str) -> str:
    return str(ask(ann, "GET", f"/api/photos/{image_id}")["processingStatus"])


def finished(ann: httpx.Client, image_id: str) -> str:
    wait_until(lambda: status_of(ann, image_id) in {"completed", "failed"}, what="a photo to be finished")
    return image_id


def reserve(ann: httpx.Client, size: int) -> dict[str, Any]:
    ticket: dict[str, Any] = ask(ann, "POST", "/api/uploads", json={"filename": "sea.jpg", "size": size})
    return ticket


def arrive_whole(ann: httpx.Client, content: bytes) -> str:
    """An upload whose bytes are stored and that was not completed."""
    ticket = reserve(ann, len(content))
    httpx.put(ticket["url"], content=content, headers=ticket["headers"]).raise_for_status()
    return str(ticket["imageId"])


def arrive_in_part(ann: httpx.Client) -> str:
    """The first of its parts is there."""
    ticket = reserve(ann, LARGE)
    path = f"/api/uploads/{ticket['imageId']}/parts"
    [part] = ask(ann, "POST", path, json={"partNumbers": [1]})["parts"]
    httpx.put(part["url"], content=bytes(part["size"]), headers=part["headers"]).raise_for_status()
    return str(ticket["imageId"])


def complete(ann: httpx.Client, image_id: str) -> str:
    ask(ann, "POST", f"/api/uploads/{image_id}/complete", headers={"Idempotency-Key": f"for {image_id[:8]}"})
    return image_id


def look(ann: httpx.Client, data: Path, image_id: str) -> bool:
    """Whether the copies of months that are kept for the next one who looks hold the photo."""
    ask(ann, "GET", "/api/photos")
    for scope in ("mine", "community"):
        months = ask(ann, "GET", "/api/timeline", params={"scope": scope})["months"]
        ann.get("/api/timeline/ratios", params={"scope": scope}).raise_for_status()
        for month in months:
            ask(ann, "GET", f"/api/timeline/{month['month']}", params={"scope": scope})
    return any("derived/" in place for place in traces_in(data, image_id))


def live(ann: httpx.Client) -> list[str]:
    """Photos that went through all that can be done with them, and are in all states."""
    shown = [finished(ann, post(ann, picture(number))) for number in range(3)]
    shown.append(finished(ann, complete(ann, arrive_whole(ann, picture(3)))))
    failed = finished(ann, post(ann, PICTURE[:300]))
    ask(ann, "PUT", f"/api/photos/{shown[0]}/favorite")
    ask(ann, "PATCH", f"/api/photos/{shown[1]}", json={"version": 1, "tags": ["sea"], "visibility": "private"})
    ask(ann, "POST", "/api/photos/trash", json={"ids": [shown[2]]})
    return [*shown, failed, arrive_whole(ann, picture(4)), arrive_in_part(ann), post(ann, picture(5))]


def test_soon_after_a_deletion_no_file_of_the_data_folder_contains_the_id(running: Running, ann: httpx.Client) -> None:
    ids = live(ann)
    wait_until(lambda: look(ann, running.data, ids[0]), what="copies of months")
    assert all(traces_in(running.data, image_id) for image_id in ids)

    assert ask(ann, "DELETE", "/api/me/trash") == {"deleted": 1}
    ask(ann, "DELETE", f"/api/photos/{ids[0]}")
    left = [image_id for image_id in ids[1:] if image_id != ids[2]]
    results = ask(ann, "POST", "/api/photos/delete", json={"ids": left})["results"]
    assert [result.get("status") for result in results] == ["deleted"] * len(left)

    wait_until(lambda: not any(traces_in(running.data, image_id) for image_id in ids), what="no trace", seconds=SOON)
    assert ask(ann, "GET", "/api/photos")["images"] == []
    limit = ask(ann, "GET", "/api/me/limit")
    assert (limit["limit"], limit["used"], limit["bytesLeft"]) == (LIMIT, 0, BYTES)
    assert not running.lines("the step")
