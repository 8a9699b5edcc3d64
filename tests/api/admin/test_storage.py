"""Storage of all accounts, and the settings in force, for administrators."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from sparks.library.people.person_decisions import name_person
from sparks.library.people.reconcile import reconcile_people
from sparks.library.upload_limits.photo_usage import reserve_photo
from sparks.model.pipeline_settings import PipelineSettings
from tests.api.client import Client
from tests.api.community import CAROL, Community
from tests.factories import ANN, BOB, NOON
from tests.library.people.rows import met, photographed
from tests.library.tables import a_reservation
from tests.people.face_library import pipeline_settings_of


def read_storage(community: Community, browser: Client, **query: Any) -> dict[str, Any]:
    answer = browser.get("/api/admin/storage", params=query, headers=community.session_of(community.carol))
    assert answer.status_code == 200, answer.text
    storage: dict[str, Any] = answer.json()
    return storage


def upload(community: Community, email: str, size: int) -> None:
    reserve_photo(a_reservation(email, size, original_key=None), table=community.table)


def test_accounts_with_the_most_bytes_come_first_and_all_are_added_up(community: Community, browser: Client) -> None:
    for email, size in ((ANN, 100), (BOB, 1000), (BOB, 50)):
        upload(community, email, size)
    storage = read_storage(community, browser)
    assert (storage["photos"], storage["bytes"], storage["accountCount"]) == (3, 1150, 3)
    assert storage["accounts"] == [
        {"email": BOB, "limit": 498, "used": 2, "bytesLeft": 10**9 - 1050, "bytesUsed": 1050},
        {"email": ANN, "limit": 499, "used": 1, "bytesLeft": 10**9 - 100, "bytesUsed": 100},
        {"email": CAROL, "limit": 500, "used": 0, "bytesLeft": 10**9, "bytesUsed": 0},
    ]
    few = read_storage(community, browser, limit=1)
    assert [account["email"] for account in few["accounts"]] == [BOB]
    assert (few["photos"], few["accountCount"]) == (3, 3)


def test_persons_and_their_faces_are_counted(community: Community, browser: Client) -> None:
    assert read_storage(community, browser)["people"] == {"persons": 0, "named": 0, "faces": 0}
    photos = [photographed(community.table) for _ in range(2)]
    eve = met(community.table, photos[0])
    met(community.table, photos[1])
    name_person(eve.person_id, "Eve", who=ANN, at=NOON, table=community.table)
    for photo in photos:
        reconcile_people(photo.image_id, photo.owner, table=community.table)
    assert read_storage(community, browser)["people"] == {"persons": 2, "named": 1, "faces": 2}


def test_the_free_disk_space_is_reported_where_blobs_are_in_a_folder(tmp_path: Path) -> None:
    community = Community(tmp_path)
    with community.browser() as browser:
        assert "disk" not in read_storage(community, browser), "the folder is not there yet"
        community.settings.blob_folder.mkdir()
        disk = read_storage(community, browser)["disk"]
    assert 0 < disk["free"] <= disk["total"]
    elsewhere = Community(tmp_path, blobs="s3")
    with elsewhere.browser() as browser:
        assert "disk" not in read_storage(elsewhere, browser)


def test_the_settings_in_force_are_reported(tmp_path: Path) -> None:
    community = Community(tmp_path, registration="open", upload_limit=7, trash_days=3, person_min_photos=2)
    with community.browser() as browser:
        assert read_storage(community, browser)["settings"] == {
            "registration": "open",
            "uploadLimit": 7,
            "uploadLimitBytes": 50 * 10**9,
            "uploadMaxBytes": 10 * 10**9,
            "defaultVisibility": "community",
            "trashDays": 3,
            "personMinPhotos": 2,
        }


def test_the_engine_and_its_thresholds_are_reported_where_faces_are_on(tmp_path: Path) -> None:
    community = Community(
        tmp_path, equip=lambda stores: replace(stores, pipeline=PipelineSettings(faces=pipeline_settings_of("test-1")))
    )
    with community.browser() as browser:
        faces = read_storage(community, browser)["settings"]["faces"]
    assert faces == {"engine": "test-1", "candidateThreshold": 0.42, "strongThreshold": 0.49}
