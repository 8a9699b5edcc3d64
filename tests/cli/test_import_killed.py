"""An import that is killed at any moment and started again."""

import hashlib
import json
import os
import random
import subprocess
import sys
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from sparks.journey import Journey, Stores
from sparks.library import blob_keys
from sparks.library.accounts.lifecycle import create_user
from sparks.library.records import from_item
from sparks.library.upload_limits.account_limit import read_limit
from sparks.media.sandboxed_renderer import SandboxedRenderer
from sparks.model import times
from sparks.model.events import UpkeepDue
from sparks.model.photo import Photo, PhotoState
from sparks.worker import Worker
from tests.account_makers import everything
from tests.cli.library import stores_in
from tests.cli.processes import environment
from tests.factories import ANN, a_user
from tests.servers.process import wait_until
from tests.uploads.folder_import.pictures import picture

GIVEN, GIVEN_BYTES = 1000, 10**9
EACH_TIME = 8


def add_pictures(source: Path, *, already: int) -> None:
    source.mkdir(exist_ok=True)
    for number in range(already, already + EACH_TIME):
        (source / f"{number:04}.jpg").write_bytes(picture(number))


def start_import(data: Path, source: Path) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "sparks", "--data", str(data), "import", "--json", str(source)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment())


def kill_after(seconds: float, process: "subprocess.Popen[bytes]") -> None:
    try:
        process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()


def wait_for_bytes(data: Path, process: "subprocess.Popen[bytes]") -> None:
    """Returns when the first new original is being stored, or all is over."""

    def originals() -> int:
        return sum(len(files) for _, _, files in os.walk(data / "blobs/originals"))

    before = originals()
    wait_until(lambda: originals() > before or process.poll() is not None, what="an original to arrive")


def finish(process: "subprocess.Popen[bytes]") -> dict[str, int]:
    """The number of files of each status."""
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    counts: dict[str, int] = json.loads(output)["counts"]
    return counts


def photos_in(stores: Stores) -> list[Photo]:
    return [from_item(Photo, item) for item in everything(stores.table) if item["SK"].startswith("UPLOADED_BY#")]


def assert_sound(stores: Stores) -> list[Photo]:
    """Checks the invariants: limits are exact, and each stored original is complete and there once."""
    photos = photos_in(stores)
    counted = [photo for photo in photos if photo.state is not PhotoState.DELETING]
    limit = read_limit(ANN, table=stores.table)
    assert limit.photos_left + len(counted) == GIVEN
    assert (limit.bytes_left or 0) + sum(photo.file_size or 0 for photo in counted) == GIVEN_BYTES
    arrived = [photo for photo in counted if photo.state is not PhotoState.RESERVED]
    for photo in arrived:
        assert photo.original_key is not None
        assert hashlib.sha256(b"".join(stores.blobs.open(photo.original_key))).hexdigest() == photo.sha256
    assert len({photo.sha256 for photo in arrived}) == len(arrived)
    return arrived


def contents(stores: Stores, photos: list[Photo]) -> set[bytes]:
    return {b"".join(stores.blobs.open(str(photo.original_key))) for photo in photos}


def keys_of(photo: Photo) -> list[str]:
    assert photo.renditions is not None
    return [str(photo.original_key), *photo.renditions.keys.values()]


def blobs_in(stores: Stores) -> set[str]:
    """All but those that can be built again at any time."""
    page = stores.blobs.list()
    found = page.blobs
    while page.after is not None:
        page = stores.blobs.list(after=page.after)
        found = [*found, *page.blobs]
    return {blob.key for blob in found if not blob.key.startswith(blob_keys.DERIVED)}


def sweep_a_day_later(stores: Stores) -> None:
    """Runs the upkeep of the next day and all jobs that follow, also those whose lease a killed import held."""
    Journey().send_after(UpkeepDue(times.now() + timedelta(hours=25)), jobs=stores.jobs)
    worker = Worker(journey=Journey(), stores=stores, report=lambda _: None, wait=0, overdue=lambda: None)
    assert all(report.done for report in worker.run_waiting())


@pytest.mark.parametrize("kills", [6, pytest.param(60, marks=pytest.mark.long)])
def test_an_import_that_is_killed_repeatedly_loses_no_photo_and_leaves_no_orphan(
    kills: int, tmp_path: Path, renderer: SandboxedRenderer
) -> None:
    data, source = tmp_path / "data", tmp_path / "source"
    moments = random.Random(kills)
    with stores_in(data) as stores:
        create_user(a_user(), photos=GIVEN, bytes=GIVEN_BYTES, password_hash=None, table=stores.table)
    add_pictures(source, already=0)
    began = time.monotonic()
    assert finish(start_import(data, source)) == {"imported": EACH_TIME, "there": 0, "skipped": 0, "failed": 0}
    usual = time.monotonic() - began
    known: set[str | None] = set()
    for kill in range(1, kills + 1):
        add_pictures(source, already=kill * EACH_TIME)
        process = start_import(data, source)
        if kill % 2:
            wait_for_bytes(data, process)
            kill_after(moments.uniform(0, 0.1) * usual, process)
        else:
            kill_after(moments.uniform(0.3, 1.1) * usual, process)
        with stores_in(data) as stores:
            arrived = {photo.sha256 for photo in assert_sound(stores)}
            assert known <= arrived
            known = arrived

    counts = finish(start_import(data, source))
    assert counts["imported"] + counts["there"] == EACH_TIME * (kills + 1)
    with stores_in(data) as stores:
        sweep_a_day_later(replace(stores, renderer=renderer))
        photos = assert_sound(stores)
        assert {photo.state for photo in photos_in(stores)} == {PhotoState.READY}
        assert contents(stores, photos) == {path.read_bytes() for path in source.iterdir()}
        assert blobs_in(stores) == {key for photo in photos for key in keys_of(photo)}
