"""`sparks renditions rebuild`: sizes that were added later, for the photos that are there already."""

import json
from pathlib import Path

import pytest

from sparks.media.sandboxed_renderer import SandboxedRenderer
from sparks.model.photo import Photo, Visibility
from tests.cli.conftest import Run
from tests.cli.library import stores_in
from tests.cli.processes import start_serve
from tests.media.container_builders import gradient, saved
from tests.servers.process import wait_until
from tests.uploads.pending_photos import arrive, make, now_of

SIZES = ("ORIGINAL", "LARGE", "MEDIUM", "THUMB")


@pytest.fixture
def photos(data: Path, renderer: SandboxedRenderer) -> list[Photo]:
    """With the usual renditions; the last one is private."""
    with stores_in(data) as stores:
        photos = [
            arrive(saved(gradient(100 + number, 80), "JPEG"), stores, visibility=visibility)
            for number, visibility in enumerate((Visibility.COMMUNITY, Visibility.COMMUNITY, Visibility.PRIVATE))
        ]
        for photo in photos:
            make(photo, stores, renderer)
    return photos


def sizes_of(photos: list[Photo], data: Path) -> list[tuple[str, ...]]:
    with stores_in(data) as stores:
        return [now_of(photo, stores.table).sizes for photo in photos]


def test_a_rebuild_makes_a_new_rendition_size_of_every_photo(run: Run, data: Path, photos: list[Photo]) -> None:
    code, out, _ = run("renditions", "rebuild", "--json", SPARKS_RENDITION_SIZES="tiny=64")

    output = json.loads(out)
    assert (code, output["made"], output["failed"]) == (0, 3, 0)
    assert sizes_of(photos, data) == [(*SIZES, "TINY")] * 3


def test_a_rebuild_makes_nothing_where_no_rendition_is_missing(run: Run, photos: list[Photo]) -> None:
    assert photos

    code, out, _ = run("renditions", "rebuild")

    assert (code, out) == (0, "no photo lacks a rendition\n")


def test_a_photo_with_a_damaged_original_is_reported_and_not_changed(run: Run, data: Path, photos: list[Photo]) -> None:
    with stores_in(data) as stores:
        stores.blobs.put(photos[0].original_key or "", [saved(gradient(100, 80), "JPEG")[:500]])

    code, out, _ = run("renditions", "rebuild", "--json", SPARKS_RENDITION_SIZES="tiny=64")

    output = json.loads(out)
    assert (code, output["made"], output["failed"]) == (1, 2, 1)
    assert sizes_of(photos, data) == [SIZES, (*SIZES, "TINY"), (*SIZES, "TINY")]


def test_a_running_server_makes_the_missing_renditions(run: Run, data: Path, photos: list[Photo]) -> None:
    with start_serve(data, SPARKS_RENDITION_SIZES="tiny=64") as serving:
        code, out, _ = run("renditions", "rebuild", "--json", SPARKS_RENDITION_SIZES="tiny=64")
        wait_until(lambda: len(serving.lines("job done")) >= len(photos), what="the server's jobs")

    assert (code, json.loads(out)["made"]) == (0, 3)
    assert sizes_of(photos, data) == [(*SIZES, "TINY")] * 3
