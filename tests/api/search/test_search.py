"""`GET /api/search` and its suggestions: any combination of filters, and only what the caller sees."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from sparks.library.people.apply_decision import relist_person
from sparks.library.people.person_decisions import name_person
from sparks.library.photos.favorites import set_favorite
from sparks.library.photos.reconcile_links import reconcile_links
from sparks.model import times
from sparks.model.album import Album, AlbumMember, AlbumRole
from sparks.model.photo import AssetType, Exif, Location, Photo, Visibility
from tests.api.client import Client, refusal
from tests.api.community import Community, Headers
from tests.factories import ANN, BOB, NOON, a_photo
from tests.library.people.rows import FEW, also_in, met

CANON: Final = Exif(camera="Canon EOS 5D")
MUNICH: Final = Location(latitude=48.137, longitude=11.575)

Asks = Callable[..., list[str]]


@pytest.fixture
def ask(browser: Client, bob: Headers) -> Asks:
    """The ids that Bob finds."""

    def ask(query: str, headers: Headers = bob) -> list[str]:
        answer = browser.get(f"/api/search?{query}", headers=headers)
        assert answer.status_code == 200, answer.text
        return [image["imageId"] for image in answer.json()["images"]]

    return ask


def hang(community: Community, **more: Any) -> Photo:
    return community.keep(a_photo(**{"original_filename": None, **more}))


def test_photos_are_found_by_words_and_filters_combined(community: Community, ask: Asks) -> None:
    wanted = hang(
        community,
        title="Große Brücke",
        description="Am Abend",
        original_filename="IMG_2034.JPG",
        tags=("Sea", "blue"),
        exif=CANON,
        location=MUNICH,
        taken_at=NOON.replace(hour=23),
        taken_offset="+02:00",
        asset_type=AssetType.VIDEO,
    )
    hang(community, title="Something else")
    community.reindex()
    for query in (
        "q=grosse",
        "q=BRUCK%20abend",
        "q=img%202034",
        "q=canon%20sea",
        "tag=sea&tag=BLUE",
        "camera=canon%20eos%205d&kind=video",
        f"uploader={ANN}&tag=sea&q=br",
        "from=2025-08-02&to=2025-08-02",
        "near=48.1,11.6,20",
        "q=br&sort=relevance&kind=video&from=2025-08-01&near=48.137,11.575,1&favorite=false",
    ):
        assert ask(query) == [wanted.image_id], query
    for query in ("q=nothing", "tag=sea&kind=photo", "to=2025-08-01&tag=sea", "near=0,0,50", f"uploader={BOB}"):
        assert ask(query) == [], query


def test_a_result_has_the_form_of_any_list_of_photos(community: Community, browser: Client, bob: Headers) -> None:
    photo = hang(community, title="Sea")
    community.reindex()
    found, feed = (browser.get(path, headers=bob).json()["images"] for path in ("/api/search?q=sea", "/api/photos"))
    assert found == feed
    assert found[0]["imageId"] == photo.image_id


def test_a_member_finds_their_own_photos_the_communitys_and_their_albums(
    community: Community, ask: Asks, ann: Headers
) -> None:
    private = Visibility.PRIVATE
    shown = hang(community, title="Sea")
    hidden = hang(community, title="Sea", visibility=private)
    joined = hang(community, title="Sea", visibility=private, albums=("x",))
    bobs = hang(community, title="Sea", visibility=private, owner=BOB)
    community.keep(AlbumMember(album_id="x", email=BOB, role=AlbumRole.VIEWER))
    community.reindex()
    assert ask("q=sea") == [bobs.image_id, joined.image_id, shown.image_id]
    assert ask("q=sea", ann) == [joined.image_id, hidden.image_id, shown.image_id]


def test_pages_continue_with_a_cursor_that_is_valid_for_this_search_only(
    community: Community, browser: Client, ann: Headers, bob: Headers
) -> None:
    photos = [hang(community, title="Sea", tags=("a",)) for _ in range(5)]
    community.reindex()
    found, cursor = [], ""
    while True:
        page = browser.get(f"/api/search?q=sea&limit=2{cursor}", headers=bob).json()
        found += [image["imageId"] for image in page["images"]]
        if "lastEvaluatedKey" not in page:
            break
        cursor = f"&cursor={page['lastEvaluatedKey']}"
        for other, who in ((f"q=se{cursor}", bob), (f"q=sea&tag=a{cursor}", bob), (f"q=sea{cursor}", ann)):
            assert refusal(browser.get(f"/api/search?{other}", headers=who))[:2] == (400, "BAD_CURSOR")
    assert found == [photo.image_id for photo in reversed(photos)]


def test_persons_and_albums_are_found_by_their_names(community: Community, ask: Asks, ann: Headers) -> None:
    one, both = (hang(community) for _ in range(2))
    anna = met(community.table, one)
    also_in(community.table, anna, both)
    other = met(community.table, both, place=1)
    name_person(anna.person_id, "Änne Müller", who=ANN, at=NOON, table=community.table)
    relist_person(anna.person_id, min_photos=FEW, table=community.table)
    community.keep(Album(album_id="x", owner=ANN, title="Wedding"))
    community.keep(AlbumMember(album_id="x", email=ANN, role=AlbumRole.OWNER))
    album = hang(community, albums=("x",))
    community.reindex()
    assert ask("q=anne%20mull") == [both.image_id, one.image_id]
    assert ask(f"person={anna.person_id}&person={other.person_id}") == [both.image_id]
    assert (ask("q=wedding", ann), ask("album=x", ann), ask("q=wedding")) == ([album.image_id], [album.image_id], [])


@pytest.mark.parametrize("query", ["person=person99", "album=x", "uploader=nobody@example.com"])
def test_a_filter_by_something_invisible_gets_not_found(browser: Client, bob: Headers, query: str) -> None:
    assert refusal(browser.get(f"/api/search?{query}", headers=bob))[:2] == (404, "NOT_FOUND")


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("from=2025-02-30", 400),
        ("from=yesterday", 422),
        ("near=91,0,5", 400),
        ("near=0,181,5", 400),
        ("near=here", 422),
        ("near=0,0,-5", 422),
        ("kind=song", 422),
        ("sort=best", 422),
        ("q=" + "a%20b%20c%20d%20e%20f%20g%20h%20i%20j%20k%20l%20m%20n%20o%20p%20q%20r%20s%20t%20u", 400),
        ("q=" + "x" * 501, 422),
    ],
)
def test_filters_with_impossible_values_are_refused(browser: Client, bob: Headers, query: str, status: int) -> None:
    assert browser.get(f"/api/search?{query}", headers=bob).status_code == status


@pytest.mark.parametrize("text", ['"', "'", "*", "AND", "NEAR(", "a%20OR", "%5C", "%F0%9F%8F%96", "(((", "-"])
def test_any_text_can_be_searched_for(browser: Client, bob: Headers, text: str) -> None:
    assert browser.get(f"/api/search?q={text}&sort=relevance", headers=bob).status_code == 200
    assert browser.get(f"/api/search/suggestions?q={text}", headers=bob).status_code == 200


def test_favorites_are_the_callers_own(community: Community, ask: Asks, ann: Headers) -> None:
    marked, other = (hang(community, title="Sea") for _ in range(2))
    set_favorite(marked.image_id, ANN, BOB, at=NOON, table=community.table)
    community.reindex()
    assert (ask("favorite=true&q=sea"), ask("favorite=true", ann)) == ([marked.image_id], [])
    assert ask("favorite=false") == [other.image_id]


def test_a_change_is_found_once_the_index_has_read_it(
    community: Community, browser: Client, ask: Asks, ann: Headers
) -> None:
    photo = hang(community, title="Sea")
    community.reindex()
    path = f"/api/photos/{photo.image_id}"
    assert browser.patch(path, headers=ann, json={"version": 1, "title": "Sand"}).status_code == 200
    assert ask("q=sea") == [], "the row decides, whether or not the index has heard of it"
    community.index.catch_up(at=times.now())
    assert ask("q=sand") == [photo.image_id]
    browser.post("/api/photos/trash", headers=ann, json={"ids": [photo.image_id]})
    assert ask("q=sand") == []
    browser.post("/api/photos/restore", headers=ann, json={"ids": [photo.image_id]})
    community.index.catch_up(at=times.now())
    assert ask("q=sand") == [photo.image_id]
    browser.delete(path, headers=ann)
    community.work()
    community.index.catch_up(at=times.now())
    assert (ask("q=sand"), community.index.count()) == ([], 0)


def test_while_the_index_is_built_a_search_is_busy(community: Community, browser: Client, bob: Headers) -> None:
    community.index._search.clear()
    for path in ("/api/search", "/api/search/suggestions?q=a"):
        status, code, message = refusal(browser.get(path, headers=bob))
        assert (status, code) == (503, "BUSY")
        assert "being built" in message


# -- Suggestions


def test_suggestions_are_of_all_kinds_with_the_best_matches_first(
    community: Community, browser: Client, ann: Headers, bob: Headers
) -> None:
    for tags in (("Annex",), ("Annex", "another"), ("sea",)):
        photo = hang(community, tags=tags, exif=Exif(camera="Anneca 3"))
        reconcile_links(photo.image_id, photo.owner, table=community.table)
    person = met(community.table, photo)
    name_person(person.person_id, "Anna", who=ANN, at=NOON, table=community.table)
    relist_person(person.person_id, min_photos=FEW, table=community.table)
    community.keep(Album(album_id="x", owner=ANN, title="Annual meeting"))
    community.keep(AlbumMember(album_id="x", email=ANN, role=AlbumRole.OWNER))
    community.reindex()
    result = browser.get("/api/search/suggestions?q=ann", headers=ann).json()
    assert result["tags"] == [{"tag": "annex", "count": 2}]
    assert [each["displayName"] for each in result["persons"]] == ["Anna"]
    assert result["albums"] == [{"albumId": "x", "title": "Annual meeting"}]
    assert result["cameras"] == ["Anneca 3"]
    assert result["members"] == [{"email": ANN, "username": "ann"}]
    assert browser.get("/api/search/suggestions?q=ann", headers=bob).json()["albums"] == []
    assert set(map(len, browser.get("/api/search/suggestions", headers=bob).json().values())) == {0}


def test_suggestions_name_only_what_the_caller_sees(community: Community, browser: Client, bob: Headers) -> None:
    photo = hang(community, tags=("secret",), exif=Exif(camera="Secretcam"), visibility=Visibility.PRIVATE)
    person = met(community.table, photo)
    name_person(person.person_id, "Secreta", who=ANN, at=NOON, table=community.table)
    community.keep(Album(album_id="x", owner=ANN, title="Secret album"))
    community.reindex()
    result = browser.get("/api/search/suggestions?q=secret", headers=bob).json()
    assert result == {"tags": [], "persons": [], "albums": [], "cameras": [], "members": []}


def test_a_process_without_an_index_refuses_to_search(tmp_path: Path) -> None:
    community = Community(tmp_path, equip=lambda stores: replace(stores, search=None))
    with community.browser() as browser:
        status, code, _ = refusal(browser.get("/api/search", headers=community.session_of(community.bob)))
    assert (status, code) == (503, "UNAVAILABLE")
