"""Photos arrive, each in another way, and are finished."""

import hashlib

from tests.api.streams import follow
from tests.cli.trip.traveller import FINISHED, Trip, heard
from tests.media.samples import sample
from tests.servers.process import wait_until


def upload_each_way(trip: Trip) -> None:
    client, files = trip.client, trip.files
    posted = client.post(files["posted"], filename="ridge.jpg", title="The ridge", tags=["hills", "autumn"])
    assert (posted["title"], posted["tags"], posted["urls"].keys()) == ("The ridge", ["hills", "autumn"], {"original"})
    ticket = client.reserve(files["signed"], filename="falcon.jpg", mimeType="image/jpeg")
    client.send(ticket, files["signed"])
    trip.ids |= {
        "posted": posted["imageId"],
        "signed": client.complete(ticket["imageId"])["imageId"],
        "in parts": upload_in_parts(trip),
        "broken": client.post(files["broken"], filename="broken.jpg", visibility="private")["imageId"],
    }


def upload_in_parts(trip: Trip) -> str:
    """Sparks is killed in the middle, and its answers are forgotten: what has arrived is asked for."""
    client, data = trip.client, trip.files["in parts"]
    ticket = client.reserve(data, filename="scan.tif", visibility="private", takenAt="2024-01-31T23:30:00-02:00")
    assert (ticket["partCount"], ticket.get("url")) == (3, None)
    image_id: str = ticket["imageId"]
    client.send_parts(ticket, data, [3, 1])
    client.ask("POST", f"/uploads/{image_id}/complete", status=409)
    trip.house.restart()
    state = client.read(f"/uploads/{image_id}")
    assert (state["completed"], state["arrivedParts"]) == (False, [1, 3])
    client.send_parts(state["ticket"], data, [2])
    assert client.read(f"/uploads/{image_id}")["arrived"]
    assert client.complete(image_id)["imageId"] == image_id
    assert client.read(f"/uploads/{image_id}")["completed"]
    return image_id


def upload_what_is_refused(trip: Trip) -> None:
    """Nothing of it counts."""
    client, drawing = trip.client, sample("odd/logo.svg")
    assert "SVG" in client.post(drawing, status=415, filename="logo.jpg")["message"]
    ticket = client.reserve(drawing, filename="logo.jpg")
    client.send(ticket, drawing)
    client.ask("POST", f"/uploads/{ticket['imageId']}/complete", status=415)
    given_up = client.reserve(drawing, filename="given-up.jpg")
    client.ask("DELETE", f"/uploads/{given_up['imageId']}", status=204)
    trip.gone += [ticket["imageId"], given_up["imageId"]]
    assert trip.photos() == len(trip.ids)


def follow_a_film(trip: Trip) -> None:
    """An open page is told that it is ready, without asking."""
    client = trip.client
    with follow(client.url, client.headers) as page:
        page.block()
        film = trip.ids["film"] = client.post(trip.files["film"], filename="clip.avi")["imageId"]
        heard(page, lambda told: told.get(film, {}).get("processingStatus") == "completed")


def wait_for_all(trip: Trip) -> None:
    finished = {name: "failed" if name == "broken" else "completed" for name in trip.files}
    wait_until(lambda: trip.statuses() == finished, what="all to be finished")
    wait_until(lambda: "video" in trip.client.photo(trip.ids["film"])["urls"], what="the film for browsers")
    mine = set(trip.ids.values())
    told = trip.follow_from_start(
        lambda told: mine <= {each for each in told if told[each].get("processingStatus") in FINISHED}
    )
    assert told[trip.ids["broken"]]["processingError"]
    wait_until(
        lambda: [sum(trip.months(scope).values()) for scope in ("mine", "community")] == [4, 3],
        what="the months to show them",
    )


def send_the_same_again(trip: Trip) -> None:
    """However it comes, it stays one photo."""
    client = trip.client
    for name in ("posted", "signed", "in parts"):
        data, told = trip.files[name], {"imageId": trip.ids[name], "duplicate": True}
        assert client.post(data, status=200, filename="again.jpg") == told
        announced = hashlib.sha256(data).hexdigest()
        assert client.reserve(data, status=200, filename="again.jpg", sha256=announced) == told
    trip.gone.append(send_a_copy(trip, "signed"))
    assert trip.photos() == len(trip.ids)


def send_a_copy(trip: Trip, name: str) -> str:
    """Straight to a store where nobody hashes what arrives, it is a photo until a worker has looked."""
    client, data = trip.client, trip.files[name]
    ticket = client.reserve(data, filename="again.jpg")
    client.send(ticket, data)
    copy: str = ticket["imageId"]
    if trip.house.engines:
        assert client.ask("POST", f"/uploads/{copy}/complete", status=201).json()["imageId"] == copy
        wait_until(lambda: not client.is_there(copy), what="the second copy to go")
    else:
        assert client.complete(copy, status=200) == {"imageId": trip.ids[name], "duplicate": True}
        assert not client.is_there(copy)
    return copy
