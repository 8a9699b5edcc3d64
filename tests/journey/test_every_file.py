"""Every sample file goes through `sparks import`, and comes to the outcome that is written down for it."""

import fcntl
import hashlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from sparks.journey import Stores
from sparks.library.accounts.lifecycle import create_user
from sparks.library.photos.photo_rows import find_photo
from sparks.library.upload_limits.account_limit import read_limit
from sparks.media.file_types import KINDS
from sparks.model.photo import AssetType, Photo, PhotoState, ProcessingStatus
from sparks.model.times import iso
from tests.cli.library import stores_in
from tests.cli.processes import environment
from tests.factories import ANN, a_user
from tests.media import sample_results
from tests.media.decoded_renditions import difference
from tests.media.sample_results import Outcome
from tests.media.samples import FOLDER, sample

PHOTOS = 100
WEBP_METADATA = (b"EXIF", b"XMP ", b"ICCP")

SHOWN = {name: outcome for name, outcome in sample_results.ALL.items() if outcome.refused is None}
REFUSED = {name: outcome for name, outcome in sample_results.ALL.items() if outcome.refused is not None}


@dataclass(frozen=True)
class Library:
    stores: Stores
    report: dict[str, Any]
    code: int
    ids: dict[str, str]

    def photo(self, name: str) -> Photo:
        photo = find_photo(self.ids[name], table=self.stores.table)
        assert photo is not None
        return photo

    def picture(self, name: str, size: str = "large") -> bytes:
        renditions = self.photo(name).renditions
        assert renditions is not None
        return b"".join(self.stores.blobs.open(renditions.keys[size]))


@contextmanager
def imported(names: list[str], folder: Path) -> Iterator[Library]:
    """The library after an import of these files into an empty one, which is made once for all who share the folder."""
    folder.mkdir(exist_ok=True)
    with (folder / "import.json").open("a+b") as answer:
        fcntl.flock(answer, fcntl.LOCK_EX)
        if not os.fstat(answer.fileno()).st_size:
            answer.write(json.dumps(run_import(names, folder / "data")).encode())
        answer.seek(0)
        report, code = json.load(answer)
    known = [each for status in report["files"].values() for each in status if "imageId" in each]
    ids = {str(Path(each["path"]).relative_to(FOLDER)): each["imageId"] for each in known}
    with stores_in(folder / "data") as stores:
        yield Library(stores, report, code, ids)


def run_import(names: list[str], data: Path) -> tuple[Any, int]:
    """The JSON output and the exit code."""
    with stores_in(data) as stores:
        create_user(a_user(), photos=PHOTOS, bytes=10**9, password_hash=None, table=stores.table)
    command = [
        sys.executable,
        "-m",
        "sparks",
        "--data",
        str(data),
        "import",
        "--json",
        *(str(FOLDER / n) for n in names),
    ]
    ran = subprocess.run(command, check=False, stdout=subprocess.PIPE, env=environment())
    return json.loads(ran.stdout), ran.returncode


def shared_folder(factory: pytest.TempPathFactory) -> Path:
    """For all processes of a test run."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    return factory.mktemp("library") if run is None else factory.getbasetemp().parent / f"library-{run}"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    sample("odd/logo.svg")  # skips where there are no samples
    names = [name for name in (*sample_results.ALL, *sample_results.NOT_TAKEN) if name not in sample_results.HUGE]
    with imported(names, shared_folder(tmp_path_factory)) as made:
        yield made


def each(files: dict[str, Outcome]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        ("name", "outcome"), [item for item in files.items() if item[0] not in sample_results.HUGE]
    )


@each(SHOWN)
def test_each_file_is_shown_with_its_metadata(library: Library, name: str, outcome: Outcome) -> None:
    check_shown(library, name, outcome)


@each(REFUSED)
def test_a_file_that_cannot_be_shown_is_kept_with_the_reason(library: Library, name: str, outcome: Outcome) -> None:
    photo = library.photo(name)
    assert (photo.state, photo.processing_status) == (PhotoState.FAILED, ProcessingStatus.FAILED)
    assert outcome.refused is not None
    assert outcome.refused in (photo.processing_error or "")
    assert photo.sizes == ("ORIGINAL",)
    check_original(library, name)


def test_a_file_that_is_not_imported_is_listed_with_the_reason(library: Library) -> None:
    skipped = {Path(each["path"]).name: each["reason"] for each in library.report["files"]["skipped"]}
    assert skipped == {Path(name).name: f"This looks like {words}" for name, words in sample_results.NOT_TAKEN.items()}


def test_the_import_reports_files_that_could_not_be_shown(library: Library) -> None:
    assert library.code == 1
    failed = {str(Path(each["path"]).relative_to(FOLDER)) for each in library.report["files"]["failed"]}
    assert failed == REFUSED.keys()


def test_the_upload_limit_counts_the_imported_photos(library: Library) -> None:
    limit = read_limit(ANN, table=library.stores.table)
    assert limit.photos_left == PHOTOS - len(library.ids)
    sizes = [library.photo(name).file_size or 0 for name in library.ids]
    assert limit.bytes_left == 10**9 - sum(sizes)


def test_the_eight_orientations_look_alike(library: Library) -> None:
    upright = pixels(library.picture("orientation/Landscape_1.jpg", "medium"))
    for number in range(2, 9):
        other = pixels(library.picture(f"orientation/Landscape_{number}.jpg", "medium"))
        assert difference(upright, other) < 4


@pytest.mark.long
@pytest.mark.parametrize(("name", "outcome"), sample_results.HUGE.items())
def test_a_huge_picture_is_shown_too(name: str, outcome: Outcome, tmp_path: Path) -> None:
    sample(name)
    with imported([name], tmp_path) as library:
        check_shown(library, name, outcome)


def check_shown(library: Library, name: str, outcome: Outcome) -> None:
    photo, kind = library.photo(name), KINDS[outcome.kind]
    assert (photo.state, photo.processing_status) == (PhotoState.READY, ProcessingStatus.COMPLETED)
    assert (photo.mime_type, photo.asset_type) == (kind.mime, kind.asset_type)
    assert (photo.width, photo.height) == (outcome.width, outcome.height)
    assert (photo.duration is not None) == (photo.asset_type is AssetType.VIDEO or outcome.live)
    assert photo.thumbhash
    assert photo.sizes == ("ORIGINAL", "LARGE", "MEDIUM", "THUMB", *(("MOTION",) if outcome.live else ()))
    check_taken(photo, name, outcome)
    check_original(library, name)
    for size, side in (("large", 2048), ("medium", 720), ("thumb", 256)):
        check_rendition(library.picture(name, size), outcome, side)


def check_taken(photo: Photo, name: str, outcome: Outcome) -> None:
    assert photo.exif is not None
    assert photo.exif.camera == outcome.camera
    assert photo.taken_at is not None
    if outcome.taken is not None:
        assert iso(photo.taken_at) + (photo.taken_offset or "") == outcome.taken
        assert photo.exif.taken_from == outcome.source
    else:
        assert int(photo.taken_at.timestamp()) == int((FOLDER / name).stat().st_mtime)
        assert photo.exif.taken_from == "file"


def check_original(library: Library, name: str) -> None:
    photo = library.photo(name)
    kept = b"".join(library.stores.blobs.open(photo.original_key or ""))
    assert hashlib.sha256(kept).hexdigest() == hashlib.sha256(sample(name)).hexdigest() == photo.sha256
    assert photo.original_filename == Path(name).name


def check_rendition(file: bytes, outcome: Outcome, side: int) -> None:
    with Image.open(io.BytesIO(file)) as made:
        assert made.format == "WEBP"
        assert getattr(made, "is_animated", False) == outcome.animated
        scale = min(1, side / max(outcome.width, outcome.height))
        expected = outcome.width * scale, outcome.height * scale
        assert max(abs(got - wanted) for got, wanted in zip(made.size, expected, strict=True)) <= 32
    assert not any(chunk in file[:64] for chunk in WEBP_METADATA)


def pixels(file: bytes) -> NDArray[np.float64]:
    with Image.open(io.BytesIO(file)) as made:
        return np.asarray(made.convert("RGB"), np.float64)
