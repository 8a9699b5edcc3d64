"""`sparks faces`, and a folder of portraits through the whole pipeline: found, named, corrected and erased."""

import json
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sparks.auth.api_keys import make_key
from sparks.library import entity_types
from sparks.library.accounts.lifecycle import create_user
from sparks.library.records import from_item
from sparks.model import times
from sparks.model.account import Role
from sparks.model.face import Face
from sparks.table.port import every
from tests.cli.conftest import Run
from tests.cli.library import stores_in
from tests.cli.photo_lifecycle.client import LifecycleClient
from tests.cli.processes import start, start_serve
from tests.faces import samples
from tests.factories import ANN, a_user
from tests.servers.process import wait_until
from tests.stored_traces import files_with

PEOPLE = {"Al_Sharpton": 5, "Ari_Fleischer": 5, "Gerry_Adams": 5, "Demi_Moore": 3}
SELFIE = "Ari_Fleischer"  # whose next photo is not in the folder
SOON = 120.0


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A data folder with photos of some people, of each as many as PEOPLE says, and who they are; and Ann's key."""
    samples.photo("groups/000_5.jpg")  # so that a run without the photos skips, or fails, as it should
    folder = tmp_path_factory.mktemp("people")
    pictures = folder / "pictures"
    pictures.mkdir()
    for name, count in PEOPLE.items():
        for path in sorted((samples.FOLDER / "lfw" / name).iterdir())[:count]:
            shutil.copy(path, pictures)
    key = open_house(folder / "data")
    with start(folder / "data", "import", str(pictures)) as importing:
        assert importing.process.wait(SOON) == 0
    assert "in all photos" in importing.out
    return folder / "data", key


@pytest.fixture
def key(data: Path, imported: tuple[Path, str]) -> str:
    """Of Ann, to a copy of these photos."""
    there, key = imported
    shutil.copytree(there, data, ignore=shutil.ignore_patterns("*.wake"))
    return key


@pytest.fixture
def empty(data: Path) -> None:
    open_house(data)


def open_house(data: Path) -> str:
    """Ann's key; she runs it."""
    with stores_in(data) as stores:
        ann = a_user(ANN, role=Role.ADMIN)
        create_user(ann, photos=100, bytes=10**9, table=stores.table)
        return make_key(ann, name="a key", at=times.now(), table=stores.table)[1]


@pytest.fixture
def ann(data: Path, key: str) -> Iterator[LifecycleClient]:
    with start_serve(data) as serving, LifecycleClient(serving.url, key) as client:
        yield client


def exported(run: Run) -> list[dict[str, Any]]:
    code, out, _ = run("faces", "export", "--json")
    assert code == 0
    return [json.loads(line) for line in out.splitlines()]


def persons_of(run: Run) -> dict[str, Counter[str]]:
    """By whom the photos show, how often which person was found there."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for face in exported(run):
        if face["personId"] is not None:
            found[face["originalFilename"][:-9]][face["personId"]] += 1
    return found


def person_of(name: str, run: Run) -> str:
    return persons_of(run)[name].most_common(1)[0][0]


def rebuild(ann: LifecycleClient) -> None:
    """All is thought over by the server: while one waits, or later where it is at it already."""
    before = ann.read("/admin/rebuild")["full"].get("lastRunAt")
    ann.ask("POST", "/admin/rebuild", status=(200, 202), json={"mode": "full"})

    def is_done() -> bool:
        state = ann.read("/admin/rebuild")["full"]
        return not state["running"] and state.get("lastRunAt") != before

    wait_until(is_done, what="the rebuild", seconds=SOON)


def test_an_imported_folder_becomes_persons_and_all_commands_count_them_alike(run: Run, key: str) -> None:
    assert key
    found = persons_of(run)
    output = json.loads(run("faces", "stats", "--json").out)

    assert {name: found[name].most_common(1)[0][1] for name in PEOPLE} == PEOPLE
    assert len({found[name].most_common(1)[0][0] for name in PEOPLE}) == len(PEOPLE)
    faces = exported(run)
    assert output["photos"] == {"RAW": 0, "INDEXED": sum(PEOPLE.values()), "FAILED": 0}
    assert output["faces"] == len(faces)
    assert output["waiting"] == sum(face["personId"] is None for face in faces)
    assert output["persons"] == len({face["personId"] for face in faces} - {None})
    assert set(faces[0]) == {"originalFilename", "imageId", "faceId", "bbox", "personId", "displayName"}
    assert set(faces[0]["bbox"]) == {"Left", "Top", "Width", "Height"}
    assert len(run("faces", "export").out.splitlines()) == len(faces)

    code, out, _ = run("faces", "rebuild", "--full")
    assert (code, out) == (0, f"grouped {len(faces)} faces: 0 new persons, 0 changed\n")
    assert persons_of(run) == found


def test_decisions_survive_a_full_rebuild_and_an_erased_face_leaves_no_byte(
    run: Run, data: Path, ann: LifecycleClient
) -> None:
    al, ari, gerry, demi = (person_of(name, run) for name in PEOPLE)

    for person, name in ((al, "Al"), (ari, "Ari")):
        ann.ask("PATCH", f"/persons/{person}", json={"displayName": name})
    ann.ask("POST", f"/persons/{demi}/merge", json={"into": al})
    first, second, third, *_ = (face["faceId"] for face in ann.read(f"/persons/{gerry}/faces")["faces"])
    split = ann.ask("POST", f"/persons/{gerry}/split", json={"faceIds": [first, second]}).json()["decisions"][0]
    ann.ask("POST", f"/persons/{gerry}/reject", json={"faceIds": [third]})
    rebuild(ann)

    faces = {face["faceId"]: face for face in exported(run)}
    assert [faces[each]["personId"] for each in (first, second)] == [split["otherPersonId"]] * 2
    assert faces[third]["personId"] != gerry
    named = Counter(face["displayName"] for face in faces.values())
    assert (named["Al"], named["Ari"]) == (PEOPLE["Al_Sharpton"] + PEOPLE["Demi_Moore"], PEOPLE["Ari_Fleischer"])
    assert ann.read(f"/persons/{demi}")["personId"] == al

    selfie = sorted((samples.FOLDER / "lfw" / SELFIE).iterdir())[PEOPLE[SELFIE]].read_bytes()
    best = ann.ask("POST", "/selfie", content=selfie).json()["matches"][0]
    assert (best["personId"], best["displayName"], best["photoCount"]) == (ari, "Ari", PEOPLE[SELFIE])
    assert len(ann.read(f"/persons/{best['personId']}/photos")["images"]) == PEOPLE[SELFIE]

    biometrics = bytes_of(ari, data)
    assert all(files_with(data, each) for each in biometrics)
    receipt = ann.ask("DELETE", f"/persons/{ari}/biometrics").json()
    assert receipt["before"]["faces"] == receipt["removed"]["faces"] == PEOPLE[SELFIE]
    assert set(receipt["after"].values()) == {0}
    ann.ask("GET", f"/persons/{ari}", status=404)
    wait_until(lambda: not any(files_with(data, each) for each in biometrics), what="no trace", seconds=SOON)
    rebuild(ann)
    assert ann.ask("POST", "/selfie", content=selfie).json()["matches"] == []
    assert "Ari" not in {face["displayName"] for face in exported(run)}


def bytes_of(person_id: str, data: Path) -> list[bytes]:
    """The embedding and the crop of each face of theirs."""
    with stores_in(data) as stores:
        faces = [from_item(Face, row) for row in every(stores.table, entity_types.face(person_id))]
        crops = [b"".join(stores.blobs.open(face.thumb_key or "")) for face in faces]
        return [*(face.embedding or b"" for face in faces), *crops]


@pytest.mark.usefixtures("empty")
def test_where_faces_are_off_a_rebuild_says_what_to_do(run: Run) -> None:
    code, _, err = run("faces", "rebuild", SPARKS_FACES="false")

    assert (code, err) == (1, "sparks: faces are switched off: set the setting faces to true\n")
    assert run("faces", "stats", SPARKS_FACES="false").out.startswith("faces are switched off\n")


@pytest.mark.usefixtures("empty")
def test_a_full_rebuild_cannot_be_limited_to_some_faces(run: Run) -> None:
    code, _, err = run("faces", "rebuild", "--full", "--max-faces", "5")

    assert code == 2
    assert "leave --max-faces out" in err


@pytest.mark.usefixtures("empty")
def test_an_empty_library_has_no_faces_and_no_persons(run: Run) -> None:
    assert run("faces", "rebuild").out == "grouped 0 faces: 0 new persons, 0 changed\n"
    assert json.loads(run("faces", "stats", "--json").out)["persons"] == 0
    assert run("faces", "export", "--json").out == ""


@pytest.mark.usefixtures("empty")
def test_a_rebuild_finds_faces_in_photos_uploaded_while_faces_were_off(run: Run) -> None:
    samples.photo("groups/000_5.jpg")
    photo = str(min((samples.FOLDER / "lfw" / SELFIE).iterdir()))
    assert run("import", photo, SPARKS_FACES="false").code == 0
    assert json.loads(run("faces", "stats", "--json").out)["photos"] == {"RAW": 1, "INDEXED": 0, "FAILED": 0}

    output = json.loads(run("faces", "rebuild", "--json").out)

    assert output["photos"] == 1
    assert [face["displayName"] for face in exported(run)] == ["person1"]


@pytest.mark.usefixtures("empty")
def test_a_rebuild_and_the_statistics_say_why_the_engine_cannot_work(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    samples.photo("groups/000_5.jpg")
    photo = str(min((samples.FOLDER / "lfw" / SELFIE).iterdir()))
    assert run("import", photo, SPARKS_FACES="false").code == 0
    for user in ("opencv_engine", "opencv.weights"):
        monkeypatch.setattr(f"sparks.faces.{user}.missing_weights", lambda: "no weights here")

    code, out, err = run("faces", "rebuild", "--json")
    output = json.loads(out)
    assert (code, output["photos"], output["processedFaces"]) == (0, 0, 0)
    assert err.endswith("sparks: faces could not be searched for in 1 photo: no weights here\n")

    assert run("faces", "stats").out.splitlines()[1] == "faces cannot be searched for: no weights here"
    assert json.loads(run("faces", "stats", "--json").out)["missing"] == "no weights here"
    assert json.loads(run("faces", "stats", "--json", SPARKS_FACES="false").out)["missing"] is None
