"""`sparks import` into a library of many machines, from one that runs no server."""

import json
import subprocess
import sys
from pathlib import Path

from sparks.library.accounts.lifecycle import create_user
from sparks.library.photos.photo_rows import find_photo
from sparks.model.photo import PhotoState
from sparks.settings import load_settings
from sparks.wiring import open_stores
from tests.cli.deployments import engines
from tests.cli.processes import environment
from tests.factories import a_user
from tests.uploads.folder_import.pictures import put_pictures


def test_an_import_stores_and_finishes_photos_on_aws(tmp_path: Path) -> None:
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
        output = json.loads(sparks("import", "--json", str(tmp_path / "source")))
        assert output["counts"] == {"imported": 4, "there": 0, "skipped": 0, "failed": 0}
        photos = [find_photo(file["imageId"], table=stores.table) for file in output["files"]["imported"]]
        assert {photo and photo.state for photo in photos} == {PhotoState.READY}
        assert len(stores.blobs.list("originals/").blobs) == 4
        assert len(stores.blobs.list("processed/").blobs) == 12
