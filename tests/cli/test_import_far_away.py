"""`sparks import` into a library of many machines, from one that runs no server."""

import json
import subprocess
import sys
from pathlib import Path

from sparks.library.accounts import create_user
from sparks.library.photos import find_photo
from sparks.model.photo import PhotoState
from sparks.settings import load_settings
from sparks.wiring import open_stores
from tests.cli.houses import engines
from tests.cli.running import environment
from tests.factories import a_user
from tests.upload.importing.pictures import put_pictures


def test_photos_are_stored_and_finished_there(tmp_path: Path) -> None:
    data, there = tmp_path / "data", engines()

    def sparks(*arguments: str) -> bytes:
        command = [sys.executable, "-m", "sparks", "--data", str(data), *arguments]
        ran = subprocess.run(command, capture_output=True, check=False, env=environment(**there), timeout=120)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    sparks("create")
    put_pictures(tmp_path / "source", 4)
    with open_stores(load_settings({"data": data}, there)) as stores:
        create_user(a_user(), photos=10, bytes=10**9, password_hash=None, table=stores.table)
        told = json.loads(sparks("import", "--json", str(tmp_path / "source")))
        assert told["counts"] == {"imported": 4, "there": 0, "skipped": 0, "failed": 0}
        photos = [find_photo(file["imageId"], table=stores.table) for file in told["files"]["imported"]]
        assert {photo and photo.state for photo in photos} == {PhotoState.READY}
        assert len(stores.blobs.list("originals/").blobs) == 4
        assert len(stores.blobs.list("processed/").blobs) == 12
