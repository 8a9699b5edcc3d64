"""Grouping of faces into persons."""

from itertools import combinations

import numpy as np
import pytest

from sparks.people.clustering import average_linkage
from sparks.people.clustering.constraints import Constraints, GroupingThresholds
from sparks.people.clustering.face_columns import FaceColumns, faces_of
from sparks.people.clustering.group_faces import group_faces
from sparks.people.clustering.neighbor_graph import CondensedGroup, near_edges
from tests.people.makers import alike, directions, made_up_faces, nearest_among, shuffled, together

THRESHOLDS = GroupingThresholds(candidate=0.4, strong=0.5)


def test_without_faces_there_are_no_groups() -> None:
    nothing = group_faces(faces_of((), (), (), ()), thresholds=THRESHOLDS)
    assert (nothing.groups, nothing.unassigned, nothing.doubts) == ((), (), ())


def test_two_faces_join_at_the_strong_threshold() -> None:
    assert together(group_faces(alike({"a b": 0.51}), thresholds=THRESHOLDS)) == ["a b"]


def test_two_faces_below_the_strong_threshold_stay_apart_and_are_a_doubt() -> None:
    grouping = group_faces(alike({"a b": 0.48}), thresholds=THRESHOLDS)
    assert together(grouping) == ["a", "b"]
    assert [(doubt.one, doubt.other, round(doubt.similarity, 5)) for doubt in grouping.doubts] == [("a", "b", 0.48)]


def test_two_faces_below_the_candidate_threshold_are_no_doubt() -> None:
    assert group_faces(alike({"a b": 0.39}), thresholds=THRESHOLDS).doubts == ()


def test_between_the_thresholds_several_faces_have_to_agree() -> None:
    agreed = {"a b": 0.6, "c d": 0.6, "a c": 0.44, "a d": 0.44, "b c": 0.44, "b d": 0.44}
    assert together(group_faces(alike(agreed), thresholds=THRESHOLDS)) == ["a b c d"]


def test_one_similar_pair_of_faces_does_not_chain_two_persons() -> None:
    bridged = {"a b": 0.7, "c d": 0.7, "b c": 0.55}
    assert together(group_faces(alike(bridged), thresholds=THRESHOLDS)) == ["a b", "c d"]


def test_frames_of_a_burst_count_as_one_face() -> None:
    frames = {f"{one} {other}": 0.97 for kind in ("abc", "xyz") for one, other in combinations(kind, 2)}
    across = {f"{one} {other}": 0.45 for one in "abc" for other in "xyz"}
    assert together(group_faces(alike(frames | across), thresholds=THRESHOLDS)) == ["a b c", "x y z"]


def test_two_faces_of_a_photo_are_two_persons_however_similar() -> None:
    faces = alike({"a b": 0.9}, photos={"a": "mirror", "b": "mirror"})
    assert together(group_faces(faces, thresholds=THRESHOLDS)) == ["a", "b"]


def test_of_two_faces_of_a_photo_the_more_similar_one_joins() -> None:
    sisters = alike({"a b": 0.6, "a c": 0.7, "b c": 0.5}, photos={"b": "garden", "c": "garden"})
    assert together(group_faces(sisters, thresholds=THRESHOLDS)) == ["a c", "b"]


def test_groups_that_share_a_photo_are_no_doubt() -> None:
    faces = alike({"a b": 0.45}, photos={"a": "mirror", "b": "mirror"})
    assert group_faces(faces, thresholds=THRESHOLDS).doubts == ()


# -- Faces of low quality


def test_a_poor_face_founds_no_person_and_stays_unassigned() -> None:
    grouping = group_faces(alike({"a b": 0.1}, poor="a"), thresholds=THRESHOLDS)
    assert (together(grouping), grouping.unassigned) == (["b"], ("a",))


def test_a_poor_face_joins_a_similar_person() -> None:
    assert together(group_faces(alike({"a b": 0.6}, poor="a"), thresholds=THRESHOLDS)) == ["a b"]


def test_two_similar_poor_faces_found_no_person() -> None:
    assert group_faces(alike({"a b": 0.9}, poor="ab"), thresholds=THRESHOLDS).unassigned == ("a", "b")


def test_a_poor_face_does_not_chain_two_persons() -> None:
    faces = alike({"a b": 0.6, "b c": 0.6, "a c": 0.3}, poor="b", photos={"a": "1", "c": "3"})
    assert sorted(map(len, together(group_faces(faces, thresholds=THRESHOLDS)))) == [1, 3]


def test_of_two_poor_faces_of_a_photo_the_nearer_one_joins() -> None:
    faces = alike({"a b": 0.6, "a c": 0.7, "b c": 0.2}, poor="bc", photos={"b": "street", "c": "street"})
    grouping = group_faces(faces, thresholds=THRESHOLDS)
    assert (together(grouping), grouping.unassigned) == (["a c"], ("b",))


# -- The whole


def test_every_synthetic_person_becomes_one_group() -> None:
    grouping = group_faces(made_up_faces(40, 5), thresholds=GroupingThresholds())
    persons = [{face.split("-")[0] for face in group.faces} for group in grouping.groups]
    assert len(persons) == 40
    assert all(len(person) == 1 for person in persons)


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_the_faces_does_not_matter(seed: int) -> None:
    faces = made_up_faces(12, 4, likeness=0.48, seed=seed)
    assert group_faces(shuffled(faces, seed), thresholds=GroupingThresholds()) == group_faces(
        faces, thresholds=GroupingThresholds()
    )


@pytest.mark.parametrize("seed", range(4))
def test_an_index_of_neighbors_gives_the_same_groups_as_comparing_all(seed: int) -> None:
    faces = made_up_faces(12, 4, likeness=0.48, seed=seed)
    assert group_faces(faces, thresholds=GroupingThresholds(), nearest=nearest_among(faces)) == group_faces(
        faces, thresholds=GroupingThresholds()
    )


@pytest.mark.parametrize("seed", range(4))
def test_the_groups_are_those_of_plain_average_linkage(seed: int) -> None:
    faces = made_up_faces(10, 4, likeness=0.47, seed=seed)
    assert [set(group.faces) for group in group_faces(faces, thresholds=GroupingThresholds()).groups] == plainly_linked(
        faces, GroupingThresholds()
    )


def plainly_linked(faces: FaceColumns, thresholds: GroupingThresholds) -> list[set[str]]:
    """All pairs of groups compared each time, by all pairs of their faces."""
    similar = faces.vectors @ faces.vectors.T
    groups = [[row] for row in range(len(faces))]

    def effective_count(group: list[int]) -> float:
        return thresholds.effective_count(len(group), float(similar[np.ix_(group, group)].sum()))

    def margin(one: list[int], other: list[int]) -> float:
        needed = thresholds.needed(np.array([effective_count(one) * effective_count(other)]))
        return float(similar[np.ix_(one, other)].mean() - needed[0])

    while len(groups) > 1:
        best = max(combinations(groups, 2), key=lambda pair: margin(*pair))
        if margin(*best) < 0:
            break
        groups = [group for group in groups if group not in best] + [best[0] + best[1]]
    return [{faces.ids[row] for row in group} for group in sorted(map(sorted, groups))]


def test_a_person_in_more_photos_than_a_face_has_neighbors_is_one_group() -> None:
    """Two long afternoons: each face has its own as nearest, and none of the other."""
    chance = np.random.default_rng(0)
    person, *days = directions(3, chance)
    own = directions(120, chance)
    day = np.repeat(np.array(days), 60, axis=0)
    vectors = np.sqrt(0.6) * person + np.sqrt(0.15) * day + np.sqrt(0.25) * own
    ids = [f"{at:03}" for at in range(120)]
    faces = faces_of(ids, ids, vectors, np.ones(120))
    edges = near_edges(faces, at_least=0.42, nearest=None)
    assert len(faces) > 2 * average_linkage.LARGE_GROUP
    assert not any((edges.of(row) // 60 != row // 60).any() for row in range(120))
    assert len(group_faces(faces, thresholds=GroupingThresholds()).groups) == 1


def test_a_condensed_group_is_compared_by_its_mean_only() -> None:
    faces = made_up_faces(2, 100)
    known = [np.array(faces.rows(f"p{person}-{at}" for at in range(98)), np.int32) for person in range(2)]
    condensed = [CondensedGroup(rows, faces.vectors[rows].mean(axis=0)) for rows in known]
    edges = near_edges(faces, at_least=0.42, nearest=None, condensed=condensed)
    near = [len(edges.of(row)) for row in range(len(faces))]
    assert [near[row] for rows in known for row in rows[1:]] == [0] * 194
    assert [near[row] for rows in known for row in rows[:1]] == [2, 2]
    assert [near[row] for row in faces.rows(["p0-98", "p0-99", "p1-98", "p1-99"])] == [2] * 4


@pytest.mark.parametrize("likeness", [0.45, 0.65])
def test_condensing_large_groups_does_not_change_the_result(likeness: float) -> None:
    faces = made_up_faces(5, 30, likeness=likeness)
    blocks = tuple(frozenset(f"p{person}-{at}" for at in range(20)) for person in range(4))
    constraints = Constraints(together=blocks)
    assert group_faces(
        faces, thresholds=GroupingThresholds(), constraints=constraints, condense_above=10
    ) == group_faces(faces, thresholds=GroupingThresholds(), constraints=constraints)
