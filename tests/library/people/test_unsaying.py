"""What is left of a decision once one of whom it was said is forgotten."""

from typing import Any

import pytest

from sparks.library.people.unsaying import without
from sparks.model.face import FaceReference
from sparks.model.person import Decision, DecisionKind
from tests.factories import ANN, NOON, a_photo
from tests.library.people.rows import a_box

PHOTO = a_photo()
GONE, OTHER = (FaceReference(image_id=PHOTO.image_id, box=a_box(place), face_id=f"face{place}") for place in (0, 1))
FORGOTTEN = frozenset({"person1", "person2"})


def said(kind: DecisionKind, person_id: str, *faces: FaceReference, **more: Any) -> Decision:
    return Decision(
        person_id=person_id, decided_at=NOON, decision_id=f"made.{person_id}", kind=kind, who=ANN, faces=faces, **more
    )


def left(decision: Decision) -> tuple[Any, ...] | None:
    after = without(decision, FORGOTTEN, lambda reference: reference == GONE)
    if after is None:
        return None
    return after.kind, after.decision_id, after.person_id, after.other_person_id, after.faces


def as_it_is(decision: Decision) -> tuple[Any, ...]:
    return decision.kind, decision.decision_id, decision.person_id, decision.other_person_id, decision.faces


@pytest.mark.parametrize("kind", [kind for kind in DecisionKind if kind is not DecisionKind.SPLIT])
def test_what_was_said_about_them_goes(kind: DecisionKind) -> None:
    assert left(said(kind, "person1", OTHER, other_person_id="person9")) is None


@pytest.mark.parametrize(
    "decision",
    [
        said(DecisionKind.NAME, "person9", name="Yan"),
        said(DecisionKind.REJECT, "person9", OTHER),
        said(DecisionKind.SPLIT, "person9", OTHER, other_person_id="person8"),
        said(DecisionKind.MERGE, "person9", other_person_id="person8"),
    ],
    ids=lambda decision: decision.kind.value,
)
def test_what_was_said_about_others_stands(decision: Decision) -> None:
    assert left(decision) == as_it_is(decision)


@pytest.mark.parametrize("kind", [DecisionKind.DIFFERENT, DecisionKind.MERGE])
def test_what_was_said_about_both_goes(kind: DecisionKind) -> None:
    assert left(said(kind, "person9", other_person_id="person2")) is None


def test_a_face_that_was_split_off_from_them_was_given_to_whoever_has_it() -> None:
    split = said(DecisionKind.SPLIT, "person1", GONE, OTHER, other_person_id="person9")
    assert left(split) == (DecisionKind.ASSIGN, "made.person9", "person9", None, (OTHER,))


def test_a_face_that_was_split_off_for_them_is_still_not_whom_it_was_taken_from() -> None:
    split = said(DecisionKind.SPLIT, "person9", OTHER, other_person_id="person1")
    assert left(split) == (DecisionKind.REJECT, "made.person9", "person9", None, (OTHER,))


def test_nobody_is_told_that_a_face_was_theirs_before() -> None:
    assigned = said(DecisionKind.ASSIGN, "person9", OTHER, other_person_id="person1")
    assert left(assigned) == (DecisionKind.ASSIGN, "made.person9", "person9", None, (OTHER,))


def test_a_face_that_is_gone_is_named_by_nobody() -> None:
    assert left(said(DecisionKind.ASSIGN, "person9", GONE)) is None
    assert left(said(DecisionKind.ASSIGN, "person9", GONE, OTHER)) == as_it_is(
        said(DecisionKind.ASSIGN, "person9", OTHER)
    )
