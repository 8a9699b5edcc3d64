"""The labelled photos, imported as usual, and the persons of their faces.

A helper of `benchmarks.faces`. A photo's folder says who is in it; the face that it is about is the large one in the
middle, and only that one counts.
"""

import hashlib
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from pathlib import Path
from typing import Final

from sparks.library.people.people_statistics import faces_with_persons
from sparks.model.face import Face
from sparks.model.pipeline_settings import FacePipelineSettings
from sparks.people.clustering.face_columns import FaceColumns
from sparks.people.face_arrays import columns_of, read_all_faces
from sparks.settings import Settings
from sparks.wiring import open_stores
from tests.media.samples import FOLDER

FOLDERS: Final = (FOLDER.parent / "faces/lfw", FOLDER.parent / "faces/congress")
OWNER: Final = "ann@example.com"


@dataclass(frozen=True, slots=True)
class Labelled:
    """Faces by their ids, `columns` of them, and `persons` whose they are; `labels` of those that count, of so many
    `photos`.
    """

    pipeline: FacePipelineSettings
    photos: int
    faces: Mapping[str, Face]
    columns: FaceColumns
    labels: Mapping[str, str]
    persons: Mapping[str, str]


def labelled_photos() -> list[Path]:
    return sorted(path for folder in FOLDERS for path in folder.glob("*/*"))


def import_labelled(data: Path) -> float:
    """Imports them, and returns the seconds until persons were found."""
    sparks(data, "user", "add", OWNER, "--no-password", "--limit", str(len(labelled_photos())))
    told = json.loads(sparks(data, "import", "--json", *map(str, FOLDERS)))
    assert told["counts"]["imported"] == len(labelled_photos()), told["counts"]
    sparks(data, "faces", "rebuild")
    return float(told["seconds"])


def sparks(data: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "sparks", "--data", str(data), *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def read_labelled(data: Path) -> Labelled:
    label_of = {hashlib.sha256(path.read_bytes()).hexdigest(): path.parent.name for path in labelled_photos()}
    with open_stores(Settings(data=data)) as stores:
        assert stores.pipeline.faces is not None
        seen = list(faces_with_persons(table=stores.table))
        persons = {one.face.face_id: one.person.person_id for one in seen if one.person is not None}
        faces = read_all_faces(set(persons.values()), table=stores.table)
        main = main_faces([one.face for one in seen])
        return Labelled(
            pipeline=stores.pipeline.faces,
            photos=len(label_of),
            faces=faces,
            columns=columns_of(faces.values(), stores.pipeline.faces),
            labels={one.face.face_id: label_of[one.photo.sha256 or ""] for one in seen if one.face.face_id in main},
            persons=persons,
        )


def main_faces(faces: Sequence[Face]) -> set[str]:
    """Of each photo the one that it is about."""
    best: dict[str, Face] = {}
    for face in sorted(faces, key=_prominence):
        best[face.image_id] = face
    return {face.face_id for face in best.values()}


def _prominence(face: Face) -> float:
    box = face.box
    off = hypot(box.left + box.width / 2 - 0.5, box.top + box.height / 2 - 0.5)
    return box.width * box.height * (1 - off)
