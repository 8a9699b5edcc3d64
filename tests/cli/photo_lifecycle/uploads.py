"""Photos arrive, each in another way, and are finished."""

import hashlib

from tests.api.streams import follow
from tests.cli.photo_lifecycle.lifecycle import FINISHED, Lifecycle, followed
from tests.media.samples import sample
from tests.servers.process import wait_until


def upload_each_way(lifecycle: Lifecycle) -> None:
    client, files = lifecycle.client, lifecycle.files
    posted = client.post(files["posted"], filename="ridge.jpg", title="The ridge", tags=["hills", "autumn"])
    assert (posted["title"], posted["tags"], posted["urls"].keys()) == ("The ridge", ["hills", "autumn"], {"original"})
    ticket = client.reserve(files["signed"], filename="falcon.jpg", mimeType="image/jpeg")
    client.send(ticket, files["signed"])
    lifecycle.ids |= {
        "posted": posted["imageId"],
        "signed": client.complete(ticket["imageId"])["imageId"],
        "in parts": upload_in_parts(lifecycle),
        "broken": client.post(files["broken"], filename="broken.jpg", visibility="private")["imageId"],
    }


def upload_in_parts(lifecycle: Lifecycle) -> str:
    """Sparks is killed in the middle, and its answers are forgotten: what has arrived is asked for."""
    client, data = lifecycle.client, lifecycle.files["in parts"]
    ticket = client.reserve(data, filename="scan.tif", visibility="private", takenAt="2024-01-31T23:30:00-02:00")
    assert (ticket["partCount"], ticket.get("url")) == (3, None)
    image_id: str = ticket["imageId"]
    client.send_parts(ticket, data, [3, 1])
    client.ask("POST", f"/uploads/{image_id}/complete", status=409)
    lifecycle.deployment.restart()
    state = client.read(f"/uploads/{image_id}")
    assert (state["completed"], state["arrivedParts"]) == (False, [1, 3])
    client.send_parts(state["ticket"], data, [2])
    assert client.read(f"/uploads/{image_id}")["arrived"]
    assert client.complete(image_id)["imageId"] == image_id
    assert client.read(f"/uploads/{image_id}")["completed"]
    return image_id


def upload_what_is_refused(lifecycle: Lifecycle) -> None:
    """Uploads that are refused, and count for nothing."""
    client, drawing = lifecycle.client, sample("odd/logo.svg")
    assert "SVG" in client.post(drawing, status=415, filename="logo.jpg")["message"]
    ticket = client.reserve(drawing, filename="logo.jpg")
    client.send(ticket, drawing)
    client.ask("POST", f"/uploads/{ticket['imageId']}/complete", status=415)
    given_up = client.reserve(drawing, filename="given-up.jpg")
    client.ask("DELETE", f"/uploads/{given_up['imageId']}", status=204)
    lifecycle.gone += [ticket["imageId"], given_up["imageId"]]
    assert lifecycle.photos() == len(lifecycle.ids)


def follow_a_video(lifecycle: Lifecycle) -> None:
    """An open page is told that it is ready, without asking."""
    client = lifecycle.client
    with follow(client.url, client.headers) as page:
        page.block()
        video = lifecycle.ids["video"] = client.post(lifecycle.files["video"], filename="clip.avi")["imageId"]
        followed(page, lambda events: events.get(video, {}).get("processingStatus") == "completed")


def wait_for_all(lifecycle: Lifecycle) -> None:
    finished = {name: "failed" if name == "broken" else "completed" for name in lifecycle.files}
    wait_until(lambda: lifecycle.statuses() == finished, what="all to be finished")
    wait_until(lambda: "video" in lifecycle.client.photo(lifecycle.ids["video"])["urls"], what="the video for browsers")
    mine = set(lifecycle.ids.values())
    events = lifecycle.follow_from_start(
        lambda events: mine <= {each for each in events if events[each].get("processingStatus") in FINISHED}
    )
    assert events[lifecycle.ids["broken"]]["processingError"]
    wait_until(
        lambda: [sum(lifecycle.months(scope).values()) for scope in ("mine", "community")] == [4, 3],
        what="the months to show them",
    )


def send_the_same_again(lifecycle: Lifecycle) -> None:
    """A file that is uploaded again, in any way, stays one photo."""
    client = lifecycle.client
    for name in ("posted", "signed", "in parts"):
        data, duplicate = lifecycle.files[name], {"imageId": lifecycle.ids[name], "duplicate": True}
        assert client.post(data, status=200, filename="again.jpg") == duplicate
        announced = hashlib.sha256(data).hexdigest()
        assert client.reserve(data, status=200, filename="again.jpg", sha256=announced) == duplicate
    lifecycle.gone.append(send_a_copy(lifecycle, "signed"))
    assert lifecycle.photos() == len(lifecycle.ids)


def send_a_copy(lifecycle: Lifecycle, name: str) -> str:
    """S3 does not hash uploads: the duplicate is a photo until a worker has processed it."""
    client, data = lifecycle.client, lifecycle.files[name]
    ticket = client.reserve(data, filename="again.jpg")
    client.send(ticket, data)
    copy: str = ticket["imageId"]
    if lifecycle.deployment.engines:
        assert client.ask("POST", f"/uploads/{copy}/complete", status=201).json()["imageId"] == copy
        wait_until(lambda: not client.is_there(copy), what="the second copy to go")
    else:
        assert client.complete(copy, status=200) == {"imageId": lifecycle.ids[name], "duplicate": True}
        assert not client.is_there(copy)
    return copy
