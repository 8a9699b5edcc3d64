"""Photos are deleted, and nothing is left of them."""

from contextlib import suppress
from datetime import timedelta
from typing import Final

from sparks.journey import Stores
from sparks.model import times
from tests.cli.photo_lifecycle.lifecycle import Lifecycle
from tests.factories import ANN
from tests.media.samples import sample
from tests.servers.process import wait_until
from tests.stored_traces import traces_in, traces_of

SHORT_LIVED: Final = tuple(f"orientation/Landscape_{number}.jpg" for number in (1, 2, 3, 4))


def delete_everything(lifecycle: Lifecycle) -> None:
    """One, many, and by way of the trash; and one that has arrived in part."""
    client = lifecycle.client
    client.ask("DELETE", f"/photos/{lifecycle.ids['posted']}", status=204)
    client.ask("DELETE", f"/me/photos/{lifecycle.ids['posted']}", status=404)
    data = lifecycle.files["in parts"][:-1]
    half = client.reserve(data, filename="half.tif")
    client.send_parts(half, data, [2])
    wanted = [half["imageId"], *lifecycle.named("in parts", "broken", "posted")]
    results = client.ask("POST", "/photos/delete", json={"ids": wanted}).json()["results"]
    assert [each.get("status", each.get("error")) for each in results] == ["deleted"] * 3 + ["NOT_FOUND"]
    client.ask("POST", "/photos/trash", json={"ids": lifecycle.named("signed", "video")})
    assert client.ask("DELETE", "/me/trash").json() == {"deleted": 2}
    lifecycle.gone += [half["imageId"], *lifecycle.ids.values(), *delete_at_work(lifecycle)]
    assert client.read("/me/limit") == lifecycle.limit


def delete_at_work(lifecycle: Lifecycle) -> list[str]:
    """While workers are at them, each a little further."""
    posted = [lifecycle.client.post(sample(name), filename="short.jpg")["imageId"] for name in SHORT_LIVED]
    for image_id in posted:
        lifecycle.client.ask("DELETE", f"/photos/{image_id}", status=204)
    return posted


def find_nothing(lifecycle: Lifecycle) -> None:
    gone = set(lifecycle.gone)
    with lifecycle.deployment.stores() as stores:
        wait_until(lambda: is_quiet(stores), what="the queue to be empty")
        lifecycle.follow_from_start(
            lambda events: all(events.get(each, {}).get("gone") for each in lifecycle.ids.values())
        )
        assert (
            lifecycle.client.ids("/me/photos")
            == lifecycle.client.ids("/photos")
            == lifecycle.client.ids("/me/trash")
            == []
        )
        assert lifecycle.client.ids("/me/favorites") == []
        assert lifecycle.months() == lifecycle.months("community") == {}
        assert lifecycle.month("2022-03") == []
        assert lifecycle.client.read("/me/limit") == lifecycle.limit
        assert [traces_of(each, table=stores.table, blobs=stores.blobs, owner=ANN) for each in gone] == [[]] * len(gone)
        lifecycle.deployment.command("sweep")
        assert [blob.key for blob in stores.blobs.list().blobs] == []
        assert list(stores.blobs.list_uploads(started_before=times.now() + timedelta(days=1))) == []
    forget(lifecycle)
    assert lifecycle.deployment.errors() == []


def forget(lifecycle: Lifecycle) -> None:
    """Waits for the data folders to do so, and tells what it is that they remember. An index that hears late of
    something does so within a minute, and truncates its log some seconds after that.
    """
    with suppress(TimeoutError):
        wait_until(lambda: not traces(lifecycle), what="the data folders to forget", seconds=180)
    assert traces(lifecycle) == []


def traces(lifecycle: Lifecycle) -> list[str]:
    """In all data folders."""
    folders = [running.data for running in (lifecycle.deployment.serve, *lifecycle.deployment.workers)]
    return [found for folder in folders for image_id in lifecycle.gone for found in traces_in(folder, image_id)]


def is_quiet(stores: Stores) -> bool:
    """No job waits, is run, or is given up."""
    counts = stores.jobs.counts()
    return not counts.waiting + counts.delayed + counts.leased + counts.dead
