"""Administrators have persons thought over: what is new while they wait, all of it in the background."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from sparks.api.mirror import NO_FACES
from sparks.journey import Stores
from sparks.library.face_index import FaceIndex
from sparks.library.job_states import INCREMENTAL, hold
from sparks.model.face import Face
from sparks.model.terms import Terms
from sparks.people.holding import held
from sparks.vectors.exact import ExactVectors
from tests.api.client import Client, refusal
from tests.api.community import Community, Headers
from tests.people.makers import DIMENSIONS
from tests.people.town import ENGINE, Town, terms_of

REBUILD = "/api/admin/rebuild"


def equipped(stores: Stores) -> Stores:
    index = FaceIndex(ExactVectors(DIMENSIONS), engine=ENGINE, table=stores.table)
    return replace(stores, index=index, terms=Terms(faces=terms_of(ENGINE)))


@pytest.fixture
def community(tmp_path: Path) -> Community:
    return Community(tmp_path, equip=equipped)


@pytest.fixture
def town(community: Community) -> Town:
    return Town(community.table)


@pytest.fixture
def carol(community: Community) -> Headers:
    return community.session_of(community.carol)


def rebuild(community: Community, browser: Client, carol: Headers, **wish: object) -> httpx.Response:
    community.pass_time(minutes=1)
    return browser.post(REBUILD, json=wish, headers=carol)


def test_new_faces_are_thought_over_while_one_waits(
    community: Community, town: Town, browser: Client, carol: Headers
) -> None:
    faces = town.photos(1, 2, times=3)
    answer = rebuild(community, browser, carol)
    told = answer.json()
    assert (answer.status_code, told["processedFaces"], told["createdPersons"], told["more"]) == (200, 6, 2, False)
    assert told["checkpoint"] > "2025-08-01T12:00"
    assert len(town.persons_of(faces)) == 2


def test_as_many_faces_are_looked_at_as_was_asked_for(
    community: Community, town: Town, browser: Client, carol: Headers
) -> None:
    town.photos(1, times=5)
    told = [rebuild(community, browser, carol, mode="incremental", maxFaces=3).json() for _ in range(2)]
    assert [(each["processedFaces"], each["more"]) for each in told] == [(3, True), (2, False)]


def test_all_is_thought_over_while_one_waits_where_that_is_little(
    community: Community, town: Town, browser: Client, carol: Headers
) -> None:
    faces = town.photos(1, 2, times=3)
    answer = rebuild(community, browser, carol, mode="full")
    told = answer.json()
    assert (answer.status_code, told["processedFaces"], told["createdPersons"]) == (200, 6, 2)
    assert {"updatedPersons", "checkpoint"} <= told.keys()
    assert len(town.persons_of(faces) - {None}) == 2
    assert community.work() == []


def test_all_is_thought_over_in_the_background_where_that_is_much(
    community: Community, town: Town, browser: Client, carol: Headers, monkeypatch: pytest.MonkeyPatch
) -> None:
    faces = town.photos(1, 2, times=3)
    rebuild(community, browser, carol, maxFaces=1)
    monkeypatch.setattr("sparks.api.rebuild.MOST_AT_ONCE", 5)
    answer = rebuild(community, browser, carol, mode="full")
    assert (answer.status_code, answer.json().keys()) == (202, {"incremental", "full"})
    assert None in town.persons_of(faces)
    check_rebuilt_by_a_job(community, town, faces)


def test_all_is_thought_over_in_the_background_where_somebody_is_at_it(
    community: Community, town: Town, browser: Client, carol: Headers
) -> None:
    faces = town.photos(1, 2, times=3)
    with held(INCREMENTAL, at=community.at + timedelta(minutes=1), table=community.table):
        answer = rebuild(community, browser, carol, mode="full")
    assert answer.status_code == 202
    assert town.persons_of(faces) == {None}
    check_rebuilt_by_a_job(community, town, faces)


def check_rebuilt_by_a_job(community: Community, town: Town, faces: list[Face]) -> None:
    assert [report.kind for report in community.work() if report.done] == ["rebuild_people"]
    assert len(town.persons_of(faces)) == 2
    assert None not in town.persons_of(faces)


def test_how_it_went_can_be_looked_up(community: Community, town: Town, browser: Client, carol: Headers) -> None:
    never = {"running": False, "stats": {}}
    assert browser.get(REBUILD, headers=carol).json() == {"incremental": never, "full": never}
    town.photos(1, times=3)
    told = rebuild(community, browser, carol).json()
    state = browser.get(REBUILD, headers=carol).json()["incremental"]
    assert state["checkpoint"] == told["checkpoint"]
    assert state["lastRunAt"] == "2025-08-01T12:01:00.000Z"
    assert {name: state["stats"][name] for name in ("processedFaces", "createdPersons")} == {
        "processedFaces": 3,
        "createdPersons": 1,
    }


def test_one_that_is_under_way_is_told_and_not_begun_twice(
    community: Community, browser: Client, carol: Headers
) -> None:
    hold(INCREMENTAL, "somebody else", at=community.at, seconds=600, table=community.table)
    assert browser.get(REBUILD, headers=carol).json()["incremental"]["running"] is True
    answer = rebuild(community, browser, carol)
    assert (answer.status_code, answer.json()["error"]) == (503, "BUSY")


@pytest.mark.parametrize("wish", [{"mode": "half"}, {"maxFaces": 0}, {"maxFaces": "many"}, {"faces": 1}])
def test_a_wish_that_makes_no_sense_is_refused(
    community: Community, browser: Client, carol: Headers, wish: dict[str, object]
) -> None:
    assert rebuild(community, browser, carol, **wish).status_code == 422


def test_where_faces_are_off_there_is_nothing_to_think_over(tmp_path: Path) -> None:
    blind = Community(tmp_path)
    with blind.browser() as browser:
        for mode in ("incremental", "full"):
            answer = browser.post(REBUILD, json={"mode": mode}, headers=blind.session_of(blind.carol))
            assert refusal(answer) == (404, "NOT_FOUND", NO_FACES)
