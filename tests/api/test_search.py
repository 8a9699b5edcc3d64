"""`GET /api/search` and its suggestions: what is asked for, in any combination, and only what one may see."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from sparks.library.people import name_person, relist_person
from sparks.library.photos import set_favourite, settle_links
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


def test_an_answer_is_shaped_as_any_list_of_images(community: Community, browser: Client, bob: Headers) -> None:
    photo = hang(community, title="Sea")
    community.reindex()
    found, feed = (browser.get(path, headers=bob).json()["images"] for path in ("/api/search?q=sea", "/api/photos"))
    assert found == feed
    assert found[0]["imageId"] == photo.image_id


def test_one_sees_ones_own_the_community_and_ones_albums(community: Community, ask: Asks, ann: Headers) -> None:
    private = Visibility.PRIVATE
    shown = hang(community, title="Sea")
    hidden = hang(community, title="Sea", visibility=private)
    joined = hang(community, title="Sea", visibility=private, albums=("x",))
    bobs = hang(community, title="Sea", visibility=private, owner=BOB)
    community.keep(AlbumMember(album_id="x", email=BOB, role=AlbumRole.VIEWER))
    community.reindex()
    assert ask("q=sea") == [bobs.image_id, joined.image_id, shown.image_id]
    assert ask("q=sea", ann) == [joined.image_id, hidden.image_id, shown.image_id]


def test_pages_go_on_with_a_cursor_that_is_good_for_this_search_alone(
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
    relist_person(anna.person_id, enough=FEW, table=community.table)
    community.keep(Album(album_id="x", owner=ANN, title="Wedding"))
    community.keep(AlbumMember(album_id="x", email=ANN, role=AlbumRole.OWNER))
    album = hang(community, albums=("x",))
    community.reindex()
    assert ask("q=anne%20mull") == [both.image_id, one.image_id]
    assert ask(f"person={anna.person_id}&person={other.person_id}") == [both.image_id]
    assert (ask("q=wedding", ann), ask("album=x", ann), ask("q=wedding")) == ([album.image_id], [album.image_id], [])


@pytest.mark.parametrize("query", ["person=person99", "album=x", "uploader=nobody@example.com"])
def test_what_one_does_not_see_is_not_there(browser: Client, bob: Headers, query: str) -> None:
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
def test_what_makes_no_sense_is_refused(browser: Client, bob: Headers, query: str, status: int) -> None:
    assert browser.get(f"/api/search?{query}", headers=bob).status_code == status


@pytest.mark.parametrize("text", ['"', "'", "*", "AND", "NEAR(", "a%20OR", "%5C", "%F0%9F%8F%96", "(((", "-"])
def test_any_text_is_answered(browser: Client, bob: Headers, text: str) -> None:
    assert browser.get(f"/api/search?q={text}&sort=relevance", headers=bob).status_code == 200
    assert browser.get(f"/api/search/suggestions?q={text}", headers=bob).status_code == 200


def test_favourites_are_the_callers_own(community: Community, ask: Asks, ann: Headers) -> None:
    marked, other = (hang(community, title="Sea") for _ in range(2))
    set_favourite(marked.image_id, ANN, BOB, at=NOON, table=community.table)
    community.reindex()
    assert (ask("favorite=true&q=sea"), ask("favorite=true", ann)) == ([marked.image_id], [])
    assert ask("favorite=false") == [other.image_id]


def test_what_is_changed_over_http_is_found_as_soon_as_it_was_heard_of(
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


def test_while_the_index_is_being_built_the_answer_says_so(community: Community, browser: Client, bob: Headers) -> None:
    community.index._search.clear()
    for path in ("/api/search", "/api/search/suggestions?q=a"):
        status, code, message = refusal(browser.get(path, headers=bob))
        assert (status, code) == (503, "BUSY")
        assert "being built" in message


# -- Suggestions


def test_suggestions_are_of_all_kinds_and_those_that_fit_best_come_first(
    community: Community, browser: Client, ann: Headers, bob: Headers
) -> None:
    for tags in (("Annex",), ("Annex", "another"), ("sea",)):
        photo = hang(community, tags=tags, exif=Exif(camera="Anneca 3"))
        settle_links(photo.image_id, photo.owner, table=community.table)
    person = met(community.table, photo)
    name_person(person.person_id, "Anna", who=ANN, at=NOON, table=community.table)
    relist_person(person.person_id, enough=FEW, table=community.table)
    community.keep(Album(album_id="x", owner=ANN, title="Annual meeting"))
    community.keep(AlbumMember(album_id="x", email=ANN, role=AlbumRole.OWNER))
    community.reindex()
    told = browser.get("/api/search/suggestions?q=ann", headers=ann).json()
    assert told["tags"] == [{"tag": "annex", "count": 2}]
    assert [each["displayName"] for each in told["persons"]] == ["Anna"]
    assert told["albums"] == [{"albumId": "x", "title": "Annual meeting"}]
    assert told["cameras"] == ["Anneca 3"]
    assert told["members"] == [{"email": ANN, "username": "ann"}]
    assert browser.get("/api/search/suggestions?q=ann", headers=bob).json()["albums"] == []
    assert set(map(len, browser.get("/api/search/suggestions", headers=bob).json().values())) == {0}


def test_no_suggestion_tells_of_what_one_does_not_see(community: Community, browser: Client, bob: Headers) -> None:
    photo = hang(community, tags=("secret",), exif=Exif(camera="Secretcam"), visibility=Visibility.PRIVATE)
    person = met(community.table, photo)
    name_person(person.person_id, "Secreta", who=ANN, at=NOON, table=community.table)
    community.keep(Album(album_id="x", owner=ANN, title="Secret album"))
    community.reindex()
    told = browser.get("/api/search/suggestions?q=secret", headers=bob).json()
    assert told == {"tags": [], "persons": [], "albums": [], "cameras": [], "members": []}


def test_a_process_without_an_index_says_so(tmp_path: Path) -> None:
    community = Community(tmp_path, equip=lambda stores: replace(stores, search=None))
    with community.browser() as browser:
        status, code, _ = refusal(browser.get("/api/search", headers=community.session_of(community.bob)))
    assert (status, code) == (503, "UNAVAILABLE")
