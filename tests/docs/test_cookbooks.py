"""The examples of the guide do what the pages say."""

import io
import json
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NoReturn

import pytest

from tests.docs.cookbook import PRELUDE, Cookbook, opened_cookbook
from tests.media.samples import FOLDER, sample

EVE: Final = "A000370"  # whom dance.jpg and selfie.jpg show
PEOPLE: Final = ("A000367", EVE, "A000371")
SVG: Final = b"<svg "


@pytest.fixture
def cookbook(tmp_path: Path) -> Iterator[Cookbook]:
    """With the files that the examples name. Without the test data the test is skipped, and fails in CI."""
    sea = sample("metadata/tanners_ridge.jpg")
    with opened_cookbook(tmp_path) as opened:
        (opened.home / "sea.jpg").write_bytes(sea)
        (opened.home / "dance.jpg").write_bytes(portraits(EVE)[0])
        (opened.home / "selfie.jpg").write_bytes(portraits(EVE)[1])
        yield opened


@pytest.fixture
def people(cookbook: Cookbook) -> Cookbook:
    """With three persons in the library, none of whom the selfie is from."""
    if not cookbook.client.get("/me/consent").json()["findsFaces"]:
        lack("this Sparks finds no faces: the weights of the engine are missing")
    for person in PEOPLE:
        kept = [photo for photo in portraits(person) if photo != (cookbook.home / "selfie.jpg").read_bytes()]
        for number, photo in enumerate(kept):
            upload(cookbook, f"{person}-{number}.jpg", photo, takenAt="2025-08-01T12:00:00Z")
    cookbook.bash(f". '{PRELUDE}'; wait_for_people")
    return cookbook


def portraits(person: str) -> list[bytes]:
    folder = FOLDER.parent / "faces" / "congress" / person
    if not folder.is_dir():
        lack("the photos of faces are not there; SPARKS_TEST_DATA may say where they are")
    return [path.read_bytes() for path in sorted(folder.iterdir())]


def lack(reason: str) -> NoReturn:
    """Skips the test; fails it in CI."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def upload(cookbook: Cookbook, name: str, content: bytes, **about: str) -> str:
    photo = cookbook.client.post("/photos", params={"filename": name, **about}, content=content).raise_for_status()
    return str(photo.json()["imageId"])


def upload_sea(cookbook: Cookbook) -> str:
    sea = (cookbook.home / "sea.jpg").read_bytes()
    return upload(cookbook, "sea.jpg", sea, title="The sea", tags="summer,sea")


def names_in(archive: bytes) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        assert opened.testzip() is None
        return sorted(opened.namelist())


def test_the_photos_page_uploads_changes_and_deletes_a_photo(cookbook: Cookbook) -> None:
    ran = cookbook.run("docs/photos.md")
    sea = (ran.folder / "sea.jpg").read_bytes()
    assert ran.call("{processingStatus, exif, urls}").json["processingStatus"] == "completed"
    assert (ran.folder / "copy.jpg").read_bytes() == sea
    assert (ran.folder / "start").read_bytes() == sea[:100]
    assert ran.call("timeline/2023-09").json["count"] == 1
    assert ran.call("Still the sea").json["version"] == 2
    assert ran.call("Too late").json["currentVersion"] == 2
    assert ran.call("photos/change").json["results"][0]["undo"] == {"removeTags": ["blue"], "favorite": False}
    assert len(ran.call('"$API/me/trash" # 200 {images}').json["images"]) == 1
    assert ran.call("/complete").json["originalFilename"] == "dance.jpg"


def test_the_people_page_names_merges_and_erases_persons(people: Cookbook) -> None:
    ran = people.run("docs/people.md")
    listed = ran.call("few=true").json["persons"]
    assert [person["personId"] for person in listed] == ["person1", "person2", "person3"]
    assert [match["score"] > 0.49 for match in ran.call("-T selfie.jpg").json["matches"]] == [True]
    assert ran.call('"$API/persons/person1" # 200').json["person"]["displayName"] == "Carol"
    assert ran.call('"$API/persons/person2" # 409').json["personId"] == "person1"
    assert ran.call("/split").json["decisions"][0]["otherPersonId"]
    assert ran.call("photos-with-me").json["images"]
    assert ran.call("/erasures/").json == json.loads((ran.folder / "receipt.json").read_text())


def test_the_albums_page_fills_and_shares_an_album(cookbook: Cookbook) -> None:
    pictures = cookbook.home / "Pictures" / "Italy"
    pictures.mkdir(parents=True)
    (pictures / "rocks.jpg").write_bytes(sample("metadata/el_torcal_rocks.jpg"))
    ran = cookbook.run("docs/albums.md")
    photos = ran.call('"$API/albums/$ALBUM/photos" # 200 {images}').json["images"]
    assert {photo["originalFilename"] for photo in photos} == {"rocks.jpg", "sea.jpg"}
    assert ran.call("members/bob@example.com").json["role"] == "contributor"
    assert sum(month["count"] for month in ran.call("timeline?scope=").json["months"]) == 2
    assert [result["status"] for result in ran.call("-X DELETE").json["results"]] == ["removed"]
    assert [result["status"] for result in ran.call('-X PUT --json "{').json["results"]] == ["added"]


def test_the_sharing_page_lets_a_guest_upload_and_find_herself(cookbook: Cookbook) -> None:
    ran = cookbook.run("docs/sharing.md")
    photo = json.loads((ran.folder / "photo.json").read_text())["imageId"]
    assert (ran.folder / "card.svg").read_bytes().startswith(SVG)
    assert ran.call("/guest/photos").json["images"][0]["waits"] is True
    assert [image["imageId"] for image in ran.call('/queue" # 200 {images}').json["images"]] == [photo]
    assert len(ran.call("consent=true").json["matches"]) == 1
    assert [image["imageId"] for image in ran.call('"${guest[@]}" "$API/albums/$ALBUM/photos"').json["images"]] == [
        photo
    ]
    assert [image["imageId"] for image in ran.call("/wall").json["images"]] == [photo]
    assert (ran.folder / f"{photo}.jpg").stat().st_size == (ran.folder / "dance.jpg").stat().st_size
    archive = next(ran.folder.glob("*.zip"))
    assert names_in(archive.read_bytes()) == ["dance.jpg"]


def test_the_search_page_finds_what_it_says(people: Cookbook) -> None:
    sea = upload_sea(people)
    ran = people.run("docs/search.md")
    assert [image["imageId"] for image in ran.call("tag=summer&kind=photo").json["images"]] == [sea]
    assert [image["imageId"] for image in ran.call("camera=nikon").json["images"]] == [sea]
    assert [tag["tag"] for tag in ran.call("suggestions").json["tags"]] == ["summer"]
    assert ran.call("tag-changes").json["finished"] is True


def test_the_takeout_page_writes_archives_and_an_export(people: Cookbook) -> None:
    sea = upload_sea(people)
    portrait = upload(people, "dance.jpg", (people.home / "dance.jpg").read_bytes())
    album = people.client.post("/albums", json={"title": "Italy"}).json()["albumId"]
    people.client.put(f"/albums/{album}/photos", json={"ids": [sea, portrait]}).raise_for_status()
    people.bash(f". '{PRELUDE}'; wait_for_people; wait_for_search")
    ran = people.run("docs/takeout.md")
    assert names_in((ran.folder / "album.zip").read_bytes()) == ["A000370-0.jpg", "sea.jpg"]
    assert (ran.folder / "half.zip").read_bytes() == (ran.folder / "album.zip").read_bytes()
    assert len(names_in((ran.folder / "one.zip").read_bytes())) == 1
    assert (ran.folder / "backup/2023/09/sea.jpg").read_bytes() == (ran.folder / "sea.jpg").read_bytes()
    assert (ran.folder / "backup/2023/09/sea.jpg.xmp").exists()
    assert (ran.folder / "backup/2023/09/sea.jpg.sparks.json").exists()


def test_the_accounts_page_makes_users_and_keys(cookbook: Cookbook) -> None:
    ran = cookbook.run("docs/accounts.md")
    assert [user["email"] for user in ran.call("/users").json["users"]] == [
        "ann@example.com",
        "bob@example.com",
        "dan@example.com",
    ]
    assert ran.call("/invitations").json["usesLeft"] == 1
    key = json.loads((ran.folder / "key.json").read_text())["key"]
    assert cookbook.client.get("/me/limit", headers={"Authorization": f"Bearer {key}"}).status_code == 401


def test_the_importing_page_imports_a_folder_once(cookbook: Cookbook) -> None:
    pictures = cookbook.home / "Pictures" / "2023"
    pictures.mkdir(parents=True)
    (pictures / "sea.jpg").write_bytes((cookbook.home / "sea.jpg").read_bytes())
    ran = cookbook.run("docs/importing.md")
    images = cookbook.client.get("/me/photos").json()["images"]
    assert [image["originalFilename"] for image in images] == ["sea.jpg"]
    assert "there already" in ran.printed


def test_the_readme_and_the_pages_for_operators_ask_a_running_server(cookbook: Cookbook) -> None:
    ran = cookbook.run("docs/operating.md")
    assert ran.call("/me/limit").json == {"limit": 500, "used": 0, "bytesLeft": 50 * 10**9, "bytesUsed": 0}
    assert ran.call("/readyz").json["status"] == "ready"
    assert '"SPARKS_PORT"' in cookbook.run("docs/configuration.md").printed
