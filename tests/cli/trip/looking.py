"""Photos are looked at: in lists and months, as pictures, and as they came."""

import hashlib
import io
from typing import Final

from PIL import Image

from tests.cli.trip.client import TripClient
from tests.cli.trip.traveller import UNDER_WAY, Trip
from tests.factories import ANN
from tests.servers.process import wait_until

MONTH_BYTES: Final = 20  # of a strip of ratios, in front of the photos


def look_at_lists(trip: Trip) -> None:
    client = trip.client
    shown = trip.named("film", "signed", "posted")
    assert client.ids("/photos") == shown
    assert client.ids(f"/users/{ANN}/photos") == client.ids("/me/photos")
    assert client.ids("/me/photos") == trip.named("film", "broken", "in parts", "signed", "posted")
    assert list(client.pages("/me/photos", limit=2)) == client.ids("/me/photos")
    uploaded = client.photo(trip.ids["film"])["uploaded_datetime"][:7]
    assert trip.months("community") == {uploaded: 1, "2023-09": 1, "2022-03": 1}
    assert trip.months() == {uploaded: 1, "2024-01": 1, "2023-09": 1, "2022-03": 1}
    month = client.read("/timeline/2024-01")
    assert (month["ids"], month["times"], month["offsets"]) == (
        trip.named("in parts"),
        ["2024-02-01T01:30:00.000Z"],
        ["-02:00"],
    )
    assert trip.month("2024-01", "community") == []
    assert client.read(f"/timeline/{uploaded}")["kinds"] == ["VIDEO"]
    assert len(client.ask("GET", "/timeline/ratios").content) == 4 * MONTH_BYTES + 4
    first = client.ask("GET", "/photos")
    client.ask("GET", "/photos", status=304, headers={"If-None-Match": first.headers["ETag"]})


def look_at_pictures(trip: Trip) -> None:
    client = trip.client
    for name in ("posted", "signed", "in parts", "film"):
        photo = client.photo(trip.ids[name])
        sizes = {size: picture(client, photo["urls"][size]).size for size in ("large", "medium", "thumb")}
        assert max(sizes["large"]) == min(2048, max(photo["width"], photo["height"]))
        assert max(sizes["thumb"]) == min(256, max(sizes["large"]))
        check_original(trip, name)
    assert client.photo(trip.ids["posted"])["exif"]["camera"] == "NIKON D750"
    film = client.look(client.photo(trip.ids["film"])["urls"]["video"])
    assert (film.headers["Content-Type"], film.content[4:8]) == ("video/mp4", b"ftyp")


def picture(client: TripClient, address: str) -> Image.Image:
    answer = client.look(address)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "image/webp")
    return Image.open(io.BytesIO(answer.content))


def check_original(trip: Trip, name: str) -> None:
    """To the last byte, and in part."""
    image_id, data = trip.ids[name], trip.files[name]
    whole = trip.client.original(image_id)
    assert hashlib.sha256(whole.content).digest() == hashlib.sha256(data).digest()
    assert whole.headers["Content-Disposition"].startswith("attachment")
    part = trip.client.original(image_id, Range="bytes=1000-1999")
    assert (part.status_code, part.content) == (206, data[1000:2000])


def try_the_broken_one_again(trip: Trip) -> None:
    client, broken = trip.client, trip.ids["broken"]
    before = client.photo(broken)
    assert (before["processingStatus"], before["urls"].keys()) == ("failed", {"original"})
    assert "ends too early" in before["processingError"]
    check_original(trip, "broken")
    assert client.ask("POST", f"/photos/{broken}/retry").json()["processingStatus"] in UNDER_WAY
    wait_until(lambda: trip.statuses()["broken"] == "failed", what="another failure")
    assert client.photo(broken)["processingError"] == before["processingError"]
    client.ask("POST", f"/photos/{trip.ids['posted']}/retry", status=409)
