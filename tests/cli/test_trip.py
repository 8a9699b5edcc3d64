"""The whole trip of a photo through real processes: uploaded, made ready, looked at, changed, deleted without a trace.

One story, told on one machine and on many.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.streams import follow
from tests.cli.houses import HOUSES
from tests.cli.trip.changing import mark_and_edit, throw_away_and_take_back
from tests.cli.trip.client import TripClient
from tests.cli.trip.deleting import delete_everything, find_nothing
from tests.cli.trip.looking import look_at_lists, look_at_pictures, try_the_broken_one_again
from tests.cli.trip.traveller import Trip
from tests.cli.trip.uploading import (
    follow_a_film,
    send_the_same_again,
    upload_each_way,
    upload_what_is_refused,
    wait_for_all,
)
from tests.factories import ANN
from tests.media.build import gradient, saved
from tests.media.clips import clip_named
from tests.media.samples import sample


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return {
        "posted": sample("metadata/tanners_ridge.jpg"),
        "signed": sample("metadata/prairie_falcon.jpg"),
        "in parts": saved(gradient(260, 240).repeat(10, axis=0).repeat(10, axis=1), "TIFF"),
        "broken": sample("odd/truncated_jpeg.jpg"),
        "film": clip_named("mjpeg.avi"),
    }


@pytest.fixture(params=HOUSES)
def trip(request: pytest.FixtureRequest, tmp_path: Path, files: dict[str, bytes]) -> Iterator[Trip]:
    with HOUSES[request.param](tmp_path) as house:
        house.command("user", "add", ANN, "--no-password", "--limit", "20", "--bytes", "100MB")
        key = house.command("key", "add", ANN, "--name", "trip").strip()
        with TripClient(house.serve.url, key) as client:
            with follow(client.url, client.headers) as page:
                position = (page.block() or {})["id"]
            yield Trip(house, client, files, client.read("/me/limit"), position)


def test_photos_make_the_whole_trip_and_leave_no_trace(trip: Trip) -> None:
    upload_each_way(trip)
    upload_what_is_refused(trip)
    follow_a_film(trip)
    wait_for_all(trip)
    send_the_same_again(trip)
    look_at_lists(trip)
    look_at_pictures(trip)
    try_the_broken_one_again(trip)
    mark_and_edit(trip)
    throw_away_and_take_back(trip)
    delete_everything(trip)
    find_nothing(trip)
