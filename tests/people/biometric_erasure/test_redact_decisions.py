"""Redaction of decisions that name an erased person or face."""

from typing import Any

import pytest

from sparks.model.face import FaceReference
from sparks.model.person import Decision, DecisionKind
from sparks.people.biometric_erasure.redact_decisions import redacted
from tests.factories import ANN, NOON, a_photo
from tests.library.people.rows import a_box

PHOTO = a_photo()
GONE, OTHER = (FaceReference(image_id=PHOTO.image_id, box=a_box(place), face_id=f"face{place}") for place in (0, 1))
FORGOTTEN = frozenset({"person1", "person2"})


def a_decision(kind: DecisionKind, person_id: str, *faces: FaceReference, **more: Any) -> Decision:
    return Decision(
        person_id=person_id, decided_at=NOON, decision_id=f"made.{person_id}", kind=kind, who=ANN, faces=faces, **more
    )


def left(decision: Decision) -> tuple[Any, ...] | None:
    after = redacted(decision, FORGOTTEN, lambda reference: reference == GONE)
    if after is None:
        return None
    return after.kind, after.decision_id, after.person_id, after.other_person_id, after.faces


def as_it_is(decision: Decision) -> tuple[Any, ...]:
    return decision.kind, decision.decision_id, decision.person_id, decision.other_person_id, decision.faces


@pytest.mark.parametrize("kind", [kind for kind in DecisionKind if kind is not DecisionKind.SPLIT])
def test_a_decision_whose_person_is_erased_is_removed(kind: DecisionKind) -> None:
    assert left(a_decision(kind, "person1", OTHER, other_person_id="person9")) is None


@pytest.mark.parametrize(
    "decision",
    [
        a_decision(DecisionKind.NAME, "person9", name="Yan"),
        a_decision(DecisionKind.REJECT, "person9", OTHER),
        a_decision(DecisionKind.SPLIT, "person9", OTHER, other_person_id="person8"),
        a_decision(DecisionKind.MERGE, "person9", other_person_id="person8"),
    ],
    ids=lambda decision: decision.kind.value,
)
def test_a_decision_about_other_persons_stands(decision: Decision) -> None:
    assert left(decision) == as_it_is(decision)


@pytest.mark.parametrize("kind", [DecisionKind.DIFFERENT, DecisionKind.MERGE])
def test_a_merge_or_difference_with_an_erased_person_is_removed(kind: DecisionKind) -> None:
    assert left(a_decision(kind, "person9", other_person_id="person2")) is None


def test_a_split_from_the_erased_person_becomes_an_assignment_to_the_other() -> None:
    split = a_decision(DecisionKind.SPLIT, "person1", GONE, OTHER, other_person_id="person9")
    assert left(split) == (DecisionKind.ASSIGN, "made.person9", "person9", None, (OTHER,))


def test_a_split_to_the_erased_person_becomes_a_rejection_from_the_other() -> None:
    split = a_decision(DecisionKind.SPLIT, "person9", OTHER, other_person_id="person1")
    assert left(split) == (DecisionKind.REJECT, "made.person9", "person9", None, (OTHER,))


def test_an_assignment_forgets_that_the_face_was_the_erased_persons_before() -> None:
    assigned = a_decision(DecisionKind.ASSIGN, "person9", OTHER, other_person_id="person1")
    assert left(assigned) == (DecisionKind.ASSIGN, "made.person9", "person9", None, (OTHER,))


def test_no_decision_names_an_erased_face() -> None:
    assert left(a_decision(DecisionKind.ASSIGN, "person9", GONE)) is None
    assert left(a_decision(DecisionKind.ASSIGN, "person9", GONE, OTHER)) == as_it_is(
        a_decision(DecisionKind.ASSIGN, "person9", OTHER)
    )
