"""Lifecycle of photos through real processes: upload, views, edits and deletion, on one machine and on many."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.streams import follow
from tests.cli.deployments import DEPLOYMENTS
from tests.cli.photo_lifecycle.client import LifecycleClient
from tests.cli.photo_lifecycle.deletions import delete_everything, find_nothing
from tests.cli.photo_lifecycle.edits import mark_and_edit, throw_away_and_take_back
from tests.cli.photo_lifecycle.lifecycle import Lifecycle
from tests.cli.photo_lifecycle.uploads import (
    follow_a_video,
    send_the_same_again,
    upload_each_way,
    upload_what_is_refused,
    wait_for_all,
)
from tests.cli.photo_lifecycle.views import look_at_lists, look_at_pictures, try_the_broken_one_again
from tests.factories import ANN
from tests.media.clips import clip_named
from tests.media.container_builders import gradient, saved
from tests.media.samples import sample


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return {
        "posted": sample("metadata/tanners_ridge.jpg"),
        "signed": sample("metadata/prairie_falcon.jpg"),
        "in parts": saved(gradient(260, 240).repeat(10, axis=0).repeat(10, axis=1), "TIFF"),
        "broken": sample("odd/truncated_jpeg.jpg"),
        "video": clip_named("mjpeg.avi"),
    }


@pytest.fixture(params=DEPLOYMENTS)
def lifecycle(request: pytest.FixtureRequest, tmp_path: Path, files: dict[str, bytes]) -> Iterator[Lifecycle]:
    with DEPLOYMENTS[request.param](tmp_path) as deployment:
        deployment.command("user", "add", ANN, "--no-password", "--limit", "20", "--bytes", "100MB")
        key = deployment.command("key", "add", ANN, "--name", "trip").strip()
        with LifecycleClient(deployment.serve.url, key) as client:
            with follow(client.url, client.headers) as page:
                position = (page.block() or {})["id"]
            yield Lifecycle(deployment, client, files, client.read("/me/limit"), position)


def test_photos_are_uploaded_processed_changed_and_deleted_without_a_trace(lifecycle: Lifecycle) -> None:
    upload_each_way(lifecycle)
    upload_what_is_refused(lifecycle)
    follow_a_video(lifecycle)
    wait_for_all(lifecycle)
    send_the_same_again(lifecycle)
    look_at_lists(lifecycle)
    look_at_pictures(lifecycle)
    try_the_broken_one_again(lifecycle)
    mark_and_edit(lifecycle)
    throw_away_and_take_back(lifecycle)
    delete_everything(lifecycle)
    find_nothing(lifecycle)
