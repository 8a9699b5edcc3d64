"""Photos are deleted, and nothing is left of them."""

from contextlib import suppress
from datetime import timedelta
from typing import Final

from sparks.journey import Stores
from sparks.model import times
from tests.cli.trip.traveller import Trip
from tests.factories import ANN
from tests.media.samples import sample
from tests.servers.process import wait_until
from tests.traces import traces_in, traces_of

SHORT_LIVED: Final = tuple(f"orientation/Landscape_{number}.jpg" for number in (1, 2, 3, 4))


def delete_everything(trip: Trip) -> None:
    """One, many, and by way of the trash; and one that has arrived in part."""
    client = trip.client
    client.ask("DELETE", f"/photos/{trip.ids['posted']}", status=204)
    client.ask("DELETE", f"/me/photos/{trip.ids['posted']}", status=404)
    data = trip.files["in parts"][:-1]
    half = client.reserve(data, filename="half.tif")
    client.send_parts(half, data, [2])
    wanted = [half["imageId"], *trip.named("in parts", "broken", "posted")]
    results = client.ask("POST", "/photos/delete", json={"ids": wanted}).json()["results"]
    assert [each.get("status", each.get("error")) for each in results] == ["deleted"] * 3 + ["NOT_FOUND"]
    client.ask("POST", "/photos/trash", json={"ids": trip.named("signed", "film")})
    assert client.ask("DELETE", "/me/trash").json() == {"deleted": 2}
    trip.gone += [half["imageId"], *trip.ids.values(), *delete_at_work(trip)]
    assert client.read("/me/limit") == trip.limit


def delete_at_work(trip: Trip) -> list[str]:
    """While workers are at them, each a little further."""
    posted = [trip.client.post(sample(name), filename="short.jpg")["imageId"] for name in SHORT_LIVED]
    for image_id in posted:
        trip.client.ask("DELETE", f"/photos/{image_id}", status=204)
    return posted


def find_nothing(trip: Trip) -> None:
    gone = set(trip.gone)
    with trip.house.stores() as stores:
        wait_until(lambda: is_quiet(stores), what="the queue to be empty")
        trip.follow_from_start(lambda told: all(told.get(each, {}).get("gone") for each in trip.ids.values()))
        assert trip.client.ids("/me/photos") == trip.client.ids("/photos") == trip.client.ids("/me/trash") == []
        assert trip.client.ids("/me/favorites") == []
        assert trip.months() == trip.months("community") == {}
        assert trip.month("2022-03") == []
        assert trip.client.read("/me/limit") == trip.limit
        assert [traces_of(each, table=stores.table, blobs=stores.blobs, owner=ANN) for each in gone] == [[]] * len(gone)
        trip.house.command("sweep")
        assert [blob.key for blob in stores.blobs.list().blobs] == []
        assert list(stores.blobs.list_uploads(started_before=times.now() + timedelta(days=1))) == []
    forget(trip)
    assert trip.house.complaints() == []


def forget(trip: Trip) -> None:
    """Waits for the data folders to do so, and tells what it is that they remember. An index that hears late of
    something does so within a minute, and truncates its log some seconds after that.
    """
    with suppress(TimeoutError):
        wait_until(lambda: not traces(trip), what="the data folders to forget", seconds=180)
    assert traces(trip) == []


def traces(trip: Trip) -> list[str]:
    """In all data folders."""
    folders = [running.data for running in (trip.house.serve, *trip.house.workers)]
    return [found for folder in folders for image_id in trip.gone for found in traces_in(folder, image_id)]


def is_quiet(stores: Stores) -> bool:
    """No job waits, is run, or is given up."""
    counts = stores.jobs.counts()
    return not counts.waiting + counts.delayed + counts.leased + counts.dead
