"""Photos are looked at: in lists and months, as pictures, and as they came."""

import hashlib
import io
from typing import Final

from PIL import Image

from tests.cli.photo_lifecycle.client import LifecycleClient
from tests.cli.photo_lifecycle.lifecycle import UNDER_WAY, Lifecycle
from tests.factories import ANN
from tests.servers.process import wait_until

MONTH_BYTES: Final = 20  # of a strip of ratios, in front of the photos


def look_at_lists(lifecycle: Lifecycle) -> None:
    client = lifecycle.client
    shown = lifecycle.named("video", "signed", "posted")
    assert client.ids("/photos") == shown
    assert client.ids(f"/users/{ANN}/photos") == client.ids("/me/photos")
    assert client.ids("/me/photos") == lifecycle.named("video", "broken", "in parts", "signed", "posted")
    assert list(client.pages("/me/photos", limit=2)) == client.ids("/me/photos")
    uploaded = client.photo(lifecycle.ids["video"])["uploaded_datetime"][:7]
    assert lifecycle.months("community") == {uploaded: 1, "2023-09": 1, "2022-03": 1}
    assert lifecycle.months() == {uploaded: 1, "2024-01": 1, "2023-09": 1, "2022-03": 1}
    month = client.read("/timeline/2024-01")
    assert (month["ids"], month["times"], month["offsets"]) == (
        lifecycle.named("in parts"),
        ["2024-02-01T01:30:00.000Z"],
        ["-02:00"],
    )
    assert lifecycle.month("2024-01", "community") == []
    assert client.read(f"/timeline/{uploaded}")["kinds"] == ["VIDEO"]
    assert len(client.ask("GET", "/timeline/ratios").content) == 4 * MONTH_BYTES + 4
    first = client.ask("GET", "/photos")
    client.ask("GET", "/photos", status=304, headers={"If-None-Match": first.headers["ETag"]})


def look_at_pictures(lifecycle: Lifecycle) -> None:
    client = lifecycle.client
    for name in ("posted", "signed", "in parts", "video"):
        photo = client.photo(lifecycle.ids[name])
        sizes = {size: picture(client, photo["urls"][size]).size for size in ("large", "medium", "thumb")}
        assert max(sizes["large"]) == min(2048, max(photo["width"], photo["height"]))
        assert max(sizes["thumb"]) == min(256, max(sizes["large"]))
        check_original(lifecycle, name)
    assert client.photo(lifecycle.ids["posted"])["exif"]["camera"] == "NIKON D750"
    video = client.look(client.photo(lifecycle.ids["video"])["urls"]["video"])
    assert (video.headers["Content-Type"], video.content[4:8]) == ("video/mp4", b"ftyp")


def picture(client: LifecycleClient, address: str) -> Image.Image:
    answer = client.look(address)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "image/webp")
    return Image.open(io.BytesIO(answer.content))


def check_original(lifecycle: Lifecycle, name: str) -> None:
    """To the last byte, and in part."""
    image_id, data = lifecycle.ids[name], lifecycle.files[name]
    whole = lifecycle.client.original(image_id)
    assert hashlib.sha256(whole.content).digest() == hashlib.sha256(data).digest()
    assert whole.headers["Content-Disposition"].startswith("attachment")
    part = lifecycle.client.original(image_id, Range="bytes=1000-1999")
    assert (part.status_code, part.content) == (206, data[1000:2000])


def try_the_broken_one_again(lifecycle: Lifecycle) -> None:
    client, broken = lifecycle.client, lifecycle.ids["broken"]
    before = client.photo(broken)
    assert (before["processingStatus"], before["urls"].keys()) == ("failed", {"original"})
    assert "ends too early" in before["processingError"]
    check_original(lifecycle, "broken")
    assert client.ask("POST", f"/photos/{broken}/retry").json()["processingStatus"] in UNDER_WAY
    wait_until(lambda: lifecycle.statuses()["broken"] == "failed", what="another failure")
    assert client.photo(broken)["processingError"] == before["processingError"]
    client.ask("POST", f"/photos/{lifecycle.ids['posted']}/retry", status=409)
