"""Recognition opt-outs: vectors of faces that must not be recognized."""

from dataclasses import replace
from typing import Any

import numpy as np

from sparks.library.people.recognition_opt_outs import is_opted_out, mean_vector, opt_out, opt_out_vectors
from sparks.model.face import Face
from sparks.table.port import Table
from sparks.vectors.port import Vector
from tests.account_makers import keep
from tests.factories import ANN, NOON, a_face, a_photo
from tests.library.people.rows import a_box

ENGINE = "test-1"
STRONG = 0.49


def vector(*numbers: float) -> Vector:
    return np.array(numbers, np.float32)


def face(*numbers: float, **changes: Any) -> Face:
    embedding = vector(*numbers).astype("<f2").tobytes()
    return replace(a_face(a_photo(), a_box(), engine=ENGINE, embedding=embedding), **changes)


def test_there_are_none_at_first(table: Table) -> None:
    forgotten = opt_out_vectors(ENGINE, table=table)
    assert len(forgotten) == 0
    assert not is_opted_out(vector(1, 0), forgotten, strong=STRONG)


def test_a_face_matches_an_opt_out_by_similarity(table: Table) -> None:
    keep(table, opt_out("u1", vector(1, 0, 0), engine=ENGINE, account=ANN, at=NOON))
    keep(table, opt_out("u2", vector(0, 1, 0), engine=ENGINE, account=None, at=NOON))
    forgotten = opt_out_vectors(ENGINE, table=table)
    assert forgotten.shape == (2, 3)
    assert is_opted_out(vector(5, 0.1, 5), forgotten, strong=STRONG)
    assert not is_opted_out(vector(0.1, 0.1, 1), forgotten, strong=STRONG)


def test_embeddings_of_another_engine_are_ignored(table: Table) -> None:
    keep(table, opt_out("u1", vector(1, 0, 0), engine="another", account=ANN, at=NOON))
    assert len(opt_out_vectors(ENGINE, table=table)) == 0


def test_good_faces_tell_the_mean() -> None:
    faces = [face(1, 0, quality=0.9), face(0, 1, quality=0.9), face(-1, 0, quality=0.1), face(0, 0, quality=0.9)]
    mean = mean_vector(faces, ENGINE, founding=0.3)
    assert mean is not None
    np.testing.assert_allclose(mean, vector(0.7071, 0.7071), atol=1e-3)


def test_without_good_faces_the_mean_is_of_all_faces() -> None:
    mean = mean_vector([face(2, 0, quality=0.1), face(1, 0, quality=None)], ENGINE, founding=0.3)
    assert mean is not None
    np.testing.assert_allclose(mean, vector(1, 0), atol=1e-3)


def test_faces_that_tell_nothing_have_no_mean() -> None:
    silent = [face(1, 0, embedding=None), face(1, 0, engine="another"), face(1, 0, embedding=b"odd")]
    assert mean_vector(silent, ENGINE, founding=0.3) is None


def test_a_damaged_row_does_not_prevent_the_mean_of_the_other_faces() -> None:
    mean = mean_vector([face(1, 0), face(1, 0), face(1, 0, 0)], ENGINE, founding=0.3)
    assert mean is not None
    assert len(mean) == 2
