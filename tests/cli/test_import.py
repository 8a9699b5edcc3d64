"""`sparks import`."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sparks.library.accounts.lifecycle import create_user
from sparks.library.albums.album_lookup import owned_albums
from sparks.library.photos.photo_rows import find_photo
from sparks.model.photo import Photo, PhotoState, Visibility
from tests.cli.library import stores_in
from tests.cli.processes import environment, start, start_serve
from tests.factories import a_user
from tests.servers.process import wait_until
from tests.uploads.folder_import.pictures import note, picture, put_pictures
from tests.uploads.folder_import.test_sidecar_metadata import NOON


class Ended(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def output(self) -> dict[str, Any]:
        output: dict[str, Any] = json.loads(self.out)
        return output


def sparks(data: Path, *arguments: str) -> Ended:
    command = [sys.executable, "-m", "sparks", "--data", str(data), *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=120, check=False)
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def add_account(data: Path) -> None:
    with stores_in(data) as stores:
        create_user(a_user(), photos=500, bytes=10**9, password_hash=None, table=stores.table)


def the_photo(data: Path, image_id: str) -> Photo:
    with stores_in(data) as stores:
        photo = find_photo(image_id, table=stores.table)
    assert photo is not None
    return photo


def state_of(folder: Path) -> dict[str, tuple[int, ...]]:
    """All that could change about the files of a folder, the time of the last reading included."""
    marks = ("st_mode", "st_size", "st_atime_ns", "st_mtime_ns", "st_ctime_ns")
    return {
        str(path): tuple(getattr(path.stat(), mark) for mark in marks)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


class Imported(NamedTuple):
    data: Path
    source: Path
    ended: Ended
    before: dict[str, tuple[int, ...]]

    def path(self, name: str) -> str:
        return str(self.source / name)

    def photo(self, name: str) -> Photo:
        files = self.ended.output["files"]
        ids = {file["path"]: file["imageId"] for status in ("imported", "failed") for file in files[status]}
        return the_photo(self.data, ids[self.path(name)])


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Imported:
    """A folder with all that is told apart, imported once."""
    place = tmp_path_factory.mktemp("import")
    source, data = place / "source", place / "data"
    put_pictures(source / "2019", 5)
    (source / "2019/copy.jpg").write_bytes(picture(0))
    (source / "2019/notes.txt").write_text("Dear diary")
    (source / "2019/broken.jpg").write_bytes(picture(99)[:300])
    album = source / "Takeout/Paris"
    album.mkdir(parents=True)
    (album / "tower.jpg").write_bytes(picture(50, clock="2019:07:04 14:00:00"))
    (album / "tower.jpg.supplemental-metadata.json").write_bytes(note(NOON, description="The tower"))
    (album / "metadata.json").write_text('{"title": "Paris!"}')
    add_account(data)
    before = state_of(source)
    return Imported(data, source, sparks(data, "import", "--json", "--visibility", "private", str(source)), before)


def test_the_report_lists_every_file_with_its_status(imported: Imported) -> None:
    files = imported.ended.output["files"]
    assert imported.ended.output["counts"] == {"imported": 6, "there": 1, "skipped": 1, "failed": 1}
    assert {file["path"] for file in files["there"]} <= {
        imported.path("2019/copy.jpg"),
        imported.path("2019/IMG_0000.jpg"),
    }
    assert files["skipped"] == [{"path": imported.path("2019/notes.txt"), "reason": "This looks like a text file"}]
    assert files["failed"][0]["path"] == imported.path("2019/broken.jpg")
    assert files["failed"][0]["reason"].startswith("it is stored, but cannot be shown: This JPEG")


def test_an_import_with_a_failed_file_exits_with_code_1(imported: Imported) -> None:
    assert imported.ended.code == 1


def test_an_import_ends_when_its_photos_are_finished(imported: Imported) -> None:
    photo = imported.photo("Takeout/Paris/tower.jpg")
    assert photo.state is PhotoState.READY
    assert photo.sizes == ("ORIGINAL", "LARGE", "MEDIUM", "THUMB")
    assert photo.visibility is Visibility.PRIVATE
    with stores_in(imported.data) as stores:
        counts = stores.jobs.counts()
    assert (counts.waiting, counts.delayed, counts.leased, counts.dead) == (0, 0, 0, 0)


def test_metadata_of_sidecars_is_stored_with_the_photo(imported: Imported) -> None:
    photo = imported.photo("Takeout/Paris/tower.jpg")
    assert (photo.description, photo.taken_at, photo.taken_offset) == ("The tower", NOON, "+02:00")
    assert "albumNames" not in photo.extra


def test_albums_of_google_takeout_become_albums(imported: Imported) -> None:
    photo = imported.photo("Takeout/Paris/tower.jpg")
    with stores_in(imported.data) as stores:
        (album,) = owned_albums(photo.owner, table=stores.table)
    assert (album.title, album.photo_count, album.cover_image_id) == ("Paris!", 1, photo.image_id)
    assert photo.albums == (album.album_id,)


def test_a_photo_that_cannot_be_shown_is_kept(imported: Imported) -> None:
    photo = imported.photo("2019/broken.jpg")
    assert photo.state is PhotoState.FAILED
    assert photo.original_key is not None
    with stores_in(imported.data) as stores:
        assert b"".join(stores.blobs.open(photo.original_key)) == picture(99)[:300]


def test_an_import_changes_nothing_in_the_folder(imported: Imported) -> None:
    assert state_of(imported.source) == imported.before


def test_a_second_import_reports_all_files_as_there_already(imported: Imported) -> None:
    again = sparks(imported.data, "import", str(imported.source))
    assert again.code == 0
    assert f"skipped: {imported.path('2019/notes.txt')}: This looks like a text file\n" in again.out
    assert f"there already: {imported.path('Takeout/Paris/tower.jpg')}\n" in again.out
    assert "imported 0 files (0 bytes); 8 there already, 1 skipped, 0 failed, in " in again.out


def test_an_empty_path_does_not_mean_the_working_directory(tmp_path: Path) -> None:
    add_account(tmp_path / "data")
    ended = sparks(tmp_path / "data", "import", "")
    assert (ended.code, ended.out) == (2, "")
    assert "a path is empty: name a file or a folder" in ended.err


def test_photos_that_are_not_waited_for_are_finished_by_the_next_import(tmp_path: Path) -> None:
    data = tmp_path / "data"
    put_pictures(tmp_path / "source", 2)
    add_account(data)
    queued = sparks(data, "import", "--no-wait", "--json", str(tmp_path / "source"))
    ids = [file["imageId"] for file in queued.output["files"]["imported"]]
    assert {the_photo(data, image_id).state for image_id in ids} == {PhotoState.PENDING}
    with stores_in(data) as stores:  # as where it was killed before it could send them on
        while deliveries := stores.jobs.receive(wait=0):
            for delivery in deliveries:
                stores.jobs.done(delivery)
    again = sparks(data, "import", "--json", str(tmp_path / "source"))
    assert again.output["counts"]["there"] == 2
    assert {the_photo(data, image_id).state for image_id in ids} == {PhotoState.READY}


def test_a_running_server_finishes_imported_photos(tmp_path: Path) -> None:
    data = tmp_path / "data"
    put_pictures(tmp_path / "source", 2)
    add_account(data)
    with start_serve(data) as server:
        ended = sparks(data, "import", "--json", str(tmp_path / "source"))
        ran = [line for line in server.lines("job done") if line["kind"] == "make_renditions"]
    assert ended.code == 0, ended.err
    assert len(ran) == 2
    ids = [file["imageId"] for file in ended.output["files"]["imported"]]
    assert {the_photo(data, image_id).state for image_id in ids} == {PhotoState.READY}


def test_files_added_to_a_watched_folder_are_imported(tmp_path: Path) -> None:
    data, source = tmp_path / "data", tmp_path / "source"
    put_pictures(source, 1)
    add_account(data)
    with start(data, "import", "--watch", str(source)) as running:
        wait_until(lambda: "watching" in running.out, what="the first photo")
        (source / "later.jpg").write_bytes(picture(7))
        wait_until(lambda: f"imported: {source}/later.jpg" in running.out, what="the second photo")
        assert running.end(signal.SIGTERM) == 0
        assert "imported 2 files" in running.out


def test_an_interrupted_import_prints_how_many_files_it_imported(tmp_path: Path) -> None:
    data, source = tmp_path / "data", tmp_path / "source"
    put_pictures(source, 200)
    add_account(data)
    with start(data, "import", str(source)) as running:
        wait_until(lambda: any((data / "blobs").rglob("*_thumb.webp*")), what="the first photo")
        assert running.end(signal.SIGINT) == 130
        assert "interrupted (run it again to continue): imported " in running.out
