"""`sparks export`: the library as plain files, also where it is killed in the middle."""

import json
import subprocess
import sys
from functools import partial
from hashlib import sha256
from pathlib import Path

from sparks.library.accounts.lifecycle import create_user
from sparks.library.records import to_item
from sparks.model.album import AlbumPhoto
from sparks.model.photo import Photo
from sparks.table.port import Put
from tests.cli.conftest import Run
from tests.cli.library import stores_in
from tests.cli.processes import environment
from tests.factories import ANN, BOB, NOON, a_photo, a_user, an_album
from tests.servers.process import wait_until

ALBUM = an_album()


def fill(data: Path, number: int, *, owner: str = ANN, albums: tuple[str, ...] = ()) -> list[Photo]:
    """Photos of an account that is made with them."""
    photos = []
    with stores_in(data) as stores:
        create_user(a_user(owner), photos=5000, bytes=10**9, table=stores.table)
        for n in range(number):
            content = f"picture {n} of {owner}".encode() * 100
            photo = a_photo(
                owner=owner,
                albums=albums,
                file_size=len(content),
                sha256=sha256(content).hexdigest(),
                original_filename=f"IMG_{n % 7}.jpg",
                taken_at=NOON,
            )
            stores.blobs.put(photo.original_key or "", [content])
            stores.table.write(Put(to_item(photo)))
            photos.append(photo)
    return photos


def originals(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.jpg"))


def is_far(process: "subprocess.Popen[bytes]", folder: Path, least: int) -> bool:
    return process.poll() is not None or len(originals(folder)) >= least


def test_an_exported_library_passes_its_verification(data: Path, run: Run, tmp_path: Path) -> None:
    fill(data, 9)
    out = tmp_path / "out"
    output = json.loads(run("export", str(out), "--json").out)
    assert output["counts"] == {"written": 9, "updated": 0, "there": 0, "failed": 0}
    assert len(originals(out)) == 9
    again = run("export", str(out))
    assert "exported 0 photos" in again.out
    assert "9 there already" in again.out
    read = run("export", "--verify", "--json", str(out))
    assert (read.code, json.loads(read.out)) == (0, {"files": 27, "faults": 0, "differences": []})


def test_verifying_a_changed_export_lists_the_differences_and_exits_with_code_1(
    data: Path, run: Run, tmp_path: Path
) -> None:
    fill(data, 2)
    out = tmp_path / "out"
    run("export", str(out))
    originals(out)[0].write_bytes(b"other bytes")
    read = run("export", "--verify", str(out))
    assert read.code == 1
    assert "damaged: 2025/08/IMG_0.jpg\n" in read.out


def test_one_owner_or_one_album_is_exported_alone(data: Path, run: Run, tmp_path: Path) -> None:
    fill(data, 3)
    (photo, *_) = fill(data, 2, owner=BOB, albums=(ALBUM.album_id,))
    link = AlbumPhoto(image_id=photo.image_id, owner=BOB, album_id=ALBUM.album_id, added_by=BOB, added_at=NOON)
    with stores_in(data) as stores:
        stores.table.write(Put(to_item(ALBUM)), Put(to_item(link)))
    run("export", "--owner", "BOB@example.com", str(tmp_path / "bob"))
    assert len(originals(tmp_path / "bob")) == 2
    run("export", "--album", ALBUM.album_id, str(tmp_path / "album"))
    assert [path.read_bytes()[:20] for path in originals(tmp_path / "album")] == [b"picture 0 of bob@exa"]
    assert run("export", "--verify", "--owner", BOB, str(tmp_path / "bob")).code == 0
    assert run("export", "--owner", "eve@example.com", str(tmp_path / "eve")).code == 1
    assert run("export", "--album", "none", str(tmp_path / "none")).code == 1


def test_an_export_into_the_data_folder_is_refused(data: Path, run: Run) -> None:
    fill(data, 1)
    assert run("export", str(data / "out")).code == 2


def test_a_killed_export_continues_when_it_is_run_again(data: Path, run: Run, tmp_path: Path) -> None:
    fill(data, 300)
    out = tmp_path / "out"
    command = [sys.executable, "-m", "sparks", "--data", str(data), "export", str(out)]
    for least in (1, 60, 150):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment()) as process:
            wait_until(partial(is_far, process, out, least), what="some photos to be there")
            process.kill()
    assert run("export", str(out)).code == 0
    assert len(originals(out)) == 300
    read = run("export", "--verify", "--json", str(out))
    assert (read.code, json.loads(read.out)["files"]) == (0, 900)
    assert not list(out.rglob("*.sparks-part"))
