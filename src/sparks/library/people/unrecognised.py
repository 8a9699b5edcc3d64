"""Faces that nobody is to be known by: one vector each, kept for just that.

They are few, and lie together, so that whoever keeps a face reads all of them as they are now, not as a list may lag.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Final

import numpy as np

from sparks.library import keys
from sparks.library.face_index import HALF, vector_of
from sparks.library.records import from_item, key_of
from sparks.model.face import Face
from sparks.model.forgetting import Unrecognised
from sparks.table.port import Change, Delete, Table, every
from sparks.vectors.port import Vector

NONE: Final = np.empty((0, 0), np.float32)


def unrecognised(*, table: Table) -> list[Unrecognised]:
    return [from_item(Unrecognised, row) for row in every(table, keys.UNRECOGNISED)]


def forgotten_vectors(engine: str, *, table: Table) -> Vector:
    """One row each, of length 1; none where there are none of this engine. See consent, [Note: asked twice]."""
    kept = [each for each in unrecognised(table=table) if each.engine == engine]
    vectors = [vector for each in kept if (vector := _told(each.embedding)) is not None]
    return np.stack(_alike(vectors)) if vectors else NONE


def is_forgotten(vector: Vector, forgotten: Vector, *, strong: float) -> bool:
    """Whether the face is one of those that nobody is to be known by."""
    unit = _unit(vector)
    if unit is None or not len(forgotten) or forgotten.shape[1] != len(unit):
        return False
    return float((forgotten @ unit).max()) >= strong


def do_not_recognise(
    unrecognised_id: str, vector: Vector, *, engine: str, account: str | None, at: datetime
) -> Unrecognised:
    return Unrecognised(
        unrecognised_id=unrecognised_id,
        engine=engine,
        embedding=vector.astype(HALF).tobytes(),
        made_at=at,
        account=account,
    )


def recognise_again(account: str, *, table: Table) -> int:
    """Drops what the account asked to keep; tells how many vectors these were."""
    theirs = [each for each in unrecognised(table=table) if each.account == account]
    for each in theirs:
        table.write(Delete(key_of(each)))
    return len(theirs)


def forget_vector(unrecognised_id: str, *, also: Sequence[Change] = (), table: Table) -> None:
    """Nothing there: nothing happens but `also`."""
    table.write(Delete(keys.unrecognised(unrecognised_id)), *also)


def mean_of(faces: Sequence[Face], engine: str, *, founding: float) -> Vector | None:
    """The direction that their good faces share, or all where none is good; None where no face tells one."""
    known = [face for face in faces if face.embedding is not None and face.engine == engine]
    good = [face for face in known if (face.quality or 0.0) >= founding] or known
    vectors = [vector for face in good if (vector := _told(face.embedding)) is not None]
    return _unit(np.mean(np.stack(_alike(vectors)), axis=0)) if vectors else None


def _told(embedding: bytes | None) -> Vector | None:
    """None where it makes no sense, as a damaged row may have it."""
    if embedding is None or len(embedding) % HALF.itemsize:
        return None
    return _unit(vector_of(embedding, len(embedding) // HALF.itemsize))


def _alike(vectors: Sequence[Vector]) -> list[Vector]:
    """Those of as many numbers as most have: the others are of no engine."""
    [(length, _)] = Counter(map(len, vectors)).most_common(1)
    return [vector for vector in vectors if len(vector) == length]


def _unit(vector: Vector | None) -> Vector | None:
    length = 0.0 if vector is None else float(np.linalg.norm(vector))
    return None if vector is None or not length else (vector / length).astype(np.float32)
