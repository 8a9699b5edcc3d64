"""Rebuilds by administrators: incremental while they wait, full ones in the background."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from sparks.actions.face_lookup import NO_FACES
from sparks.journey import Stores
from sparks.library.face_index import FaceIndex
from sparks.library.leases import INCREMENTAL, acquire_lease, held_leases
from sparks.model.face import Face
from sparks.model.pipeline_settings import PipelineSettings
from sparks.vectors.memory import MemoryVectors
from tests.api.client import Client, refusal
from tests.api.community import Community, Headers
from tests.people.face_library import ENGINE, FaceLibrary, pipeline_settings_of
from tests.people.makers import DIMENSIONS

REBUILD = "/api/admin/rebuild"


def equipped(stores: Stores) -> Stores:
    index = FaceIndex(MemoryVectors(DIMENSIONS), engine=ENGINE, table=stores.table)
    return replace(stores, index=index, pipeline=PipelineSettings(faces=pipeline_settings_of(ENGINE)))


@pytest.fixture
def community(tmp_path: Path) -> Community:
    return Community(tmp_path, equip=equipped)


@pytest.fixture
def library(community: Community) -> FaceLibrary:
    return FaceLibrary(community.table)


@pytest.fixture
def carol(community: Community) -> Headers:
    return community.session_of(community.carol)


def rebuild(community: Community, browser: Client, carol: Headers, **body: object) -> httpx.Response:
    community.pass_time(minutes=1)
    return browser.post(REBUILD, json=body, headers=carol)


def test_an_incremental_rebuild_runs_while_the_caller_waits(
    community: Community, library: FaceLibrary, browser: Client, carol: Headers
) -> None:
    faces = library.photos(1, 2, times=3)
    answer = rebuild(community, browser, carol)
    result = answer.json()
    assert (answer.status_code, result["processedFaces"], result["createdPersons"], result["more"]) == (
        200,
        6,
        2,
        False,
    )
    assert result["checkpoint"] > "2025-08-01T12:00"
    assert len(library.persons_of(faces)) == 2


def test_max_faces_limits_an_incremental_rebuild(
    community: Community, library: FaceLibrary, browser: Client, carol: Headers
) -> None:
    library.photos(1, times=5)
    result = [rebuild(community, browser, carol, mode="incremental", maxFaces=3).json() for _ in range(2)]
    assert [(each["processedFaces"], each["more"]) for each in result] == [(3, True), (2, False)]


def test_a_full_rebuild_of_few_faces_runs_while_the_caller_waits(
    community: Community, library: FaceLibrary, browser: Client, carol: Headers
) -> None:
    faces = library.photos(1, 2, times=3)
    answer = rebuild(community, browser, carol, mode="full")
    result = answer.json()
    assert (answer.status_code, result["processedFaces"], result["createdPersons"]) == (200, 6, 2)
    assert {"updatedPersons", "checkpoint"} <= result.keys()
    assert len(library.persons_of(faces) - {None}) == 2
    assert community.work() == []


def test_a_full_rebuild_of_many_faces_runs_in_the_background(
    community: Community, library: FaceLibrary, browser: Client, carol: Headers, monkeypatch: pytest.MonkeyPatch
) -> None:
    faces = library.photos(1, 2, times=3)
    rebuild(community, browser, carol, maxFaces=1)
    monkeypatch.setattr("sparks.api.admin.rebuild_routes.MAX_FACES_PER_RUN", 5)
    answer = rebuild(community, browser, carol, mode="full")
    assert (answer.status_code, answer.json().keys()) == (202, {"incremental", "full"})
    assert None in library.persons_of(faces)
    check_rebuilt_by_a_job(community, library, faces)


def test_a_full_rebuild_runs_in_the_background_where_another_process_holds_the_lease(
    community: Community, library: FaceLibrary, browser: Client, carol: Headers
) -> None:
    faces = library.photos(1, 2, times=3)
    with held_leases(INCREMENTAL, at=community.at + timedelta(minutes=1), table=community.table):
        answer = rebuild(community, browser, carol, mode="full")
    assert answer.status_code == 202
    assert library.persons_of(faces) == {None}
    check_rebuilt_by_a_job(community, library, faces)


def check_rebuilt_by_a_job(community: Community, library: FaceLibrary, faces: list[Face]) -> None:
    assert [report.kind for report in community.work() if report.done] == ["rebuild_people"]
    assert len(library.persons_of(faces)) == 2
    assert None not in library.persons_of(faces)


def test_the_results_of_rebuilds_can_be_read(
    community: Community, library: FaceLibrary, browser: Client, carol: Headers
) -> None:
    never = {"running": False, "stats": {}}
    assert browser.get(REBUILD, headers=carol).json() == {"incremental": never, "full": never}
    library.photos(1, times=3)
    result = rebuild(community, browser, carol).json()
    state = browser.get(REBUILD, headers=carol).json()["incremental"]
    assert state["checkpoint"] == result["checkpoint"]
    assert state["lastRunAt"] == "2025-08-01T12:01:00.000Z"
    assert {name: state["stats"][name] for name in ("processedFaces", "createdPersons")} == {
        "processedFaces": 3,
        "createdPersons": 1,
    }


def test_a_running_rebuild_is_reported_and_not_started_twice(
    community: Community, browser: Client, carol: Headers
) -> None:
    acquire_lease(INCREMENTAL, "somebody else", at=community.at, seconds=600, table=community.table)
    assert browser.get(REBUILD, headers=carol).json()["incremental"]["running"] is True
    answer = rebuild(community, browser, carol)
    assert (answer.status_code, answer.json()["error"]) == (503, "BUSY")


@pytest.mark.parametrize("body", [{"mode": "half"}, {"maxFaces": 0}, {"maxFaces": "many"}, {"faces": 1}])
def test_a_malformed_request_for_a_rebuild_is_refused(
    community: Community, browser: Client, carol: Headers, body: dict[str, object]
) -> None:
    assert rebuild(community, browser, carol, **body).status_code == 422


def test_a_rebuild_is_not_found_where_faces_are_off(tmp_path: Path) -> None:
    blind = Community(tmp_path)
    with blind.browser() as browser:
        for mode in ("incremental", "full"):
            answer = browser.post(REBUILD, json={"mode": mode}, headers=blind.session_of(blind.carol))
            assert refusal(answer) == (404, "NOT_FOUND", NO_FACES)
