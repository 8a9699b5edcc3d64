"""Taking photos home over HTTP."""

import io
import zipfile
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

import httpx
import pytest

from sparks.api import archive_answers
from sparks.api.archive_answers import ArchiveAnswers
from sparks.api.archive_sources import ArchiveSources
from sparks.auth.callers import Callers
from sparks.auth.guests import guest_caller
from sparks.auth.rates import Rate
from sparks.library.records import changes, from_item, key_of
from sparks.model.album import Album, AlbumMember, AlbumPhoto, AlbumRole
from sparks.model.errors import NotAllowed, NotSignedIn
from sparks.model.photo import Photo, PhotoState, Renditions, Visibility
from sparks.model.share import LinkPermission
from sparks.sharing.archive import gathering
from sparks.sharing.archive.part import ASKED_AT_ONCE
from sparks.table.port import Delete
from tests.api.client import Client, refusal
from tests.api.community import Community, Headers
from tests.factories import ANN, BOB, NOON, a_photo, an_album

VIEW_AND_DOWNLOAD: Final = LinkPermission.VIEW, LinkPermission.DOWNLOAD


@pytest.fixture
def album(community: Community) -> Album:
    """Ann's, which Bob looks at."""
    album = community.keep(an_album(title="Summer ☀"))
    community.keep(AlbumMember(album_id=album.album_id, email=ANN, role=AlbumRole.OWNER))
    community.keep(AlbumMember(album_id=album.album_id, email=BOB, role=AlbumRole.VIEWER))
    return album


def hang(community: Community, album: Album, data: bytes = b"a picture", **more: Any) -> Photo:
    """In the album, and private."""
    told = {"visibility": Visibility.PRIVATE, "albums": (album.album_id,), "file_size": len(data), **more}
    photo = a_photo(**told)
    keys = {"large": f"processed/{photo.image_id}_large.webp"}
    community.blobs.put(photo.original_key or "", [data])
    community.blobs.put(keys["large"], [b"large"])
    link = AlbumPhoto(image_id=photo.image_id, owner=photo.owner, album_id=album.album_id, added_by=ANN, added_at=NOON)
    community.keep(link)
    return community.keep(replace(photo, renditions=Renditions(keys)))


def change(community: Community, photo: Photo, **values: Any) -> None:
    item = community.table.get(key_of(photo))
    assert item is not None
    before = from_item(Photo, item)
    community.table.write(changes(before, replace(before, **values)))


def files_in(answer: httpx.Response) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def address(album: Album, query: str = "") -> str:
    return f"/api/albums/{album.album_id}/archive{query}"


# -- Albums


def test_a_member_takes_an_album_home(community: Community, browser: Client, album: Album, bob: Headers) -> None:
    hang(community, album, b"one", original_filename="IMG_1.jpg")
    hang(community, album, b"two", original_filename="IMG_1.jpg")
    answer = browser.get(address(album), headers=bob)
    assert answer.status_code == 200
    assert sorted(files_in(answer)) == ["IMG_1 (2).jpg", "IMG_1.jpg"]
    assert sorted(files_in(answer).values()) == [b"one", b"two"]
    assert answer.headers["content-type"] == "application/zip"
    assert int(answer.headers["content-length"]) == len(answer.content)
    assert "Summer%20%E2%98%80.zip" in answer.headers["content-disposition"]


def test_a_head_tells_how_long_it_is(community: Community, browser: Client, album: Album, bob: Headers) -> None:
    hang(community, album)
    told = browser.request("HEAD", address(album), headers=bob).headers
    answer = browser.get(address(album), headers=bob)
    assert (told["content-length"], told["etag"]) == (str(len(answer.content)), answer.headers["etag"])


def test_renditions_are_taken_home_where_they_are_asked_for(
    community: Community, browser: Client, album: Album, bob: Headers
) -> None:
    hang(community, album, original_filename="IMG_1.jpg")
    assert files_in(browser.get(address(album, "?size=large"), headers=bob)) == {"IMG_1.webp": b"large"}


def test_what_one_does_not_see_is_not_in_it(community: Community, browser: Client, album: Album, bob: Headers) -> None:
    hang(community, album, original_filename="seen.jpg")
    hang(community, album, original_filename="trash.jpg", state=PhotoState.TRASHED)
    hang(community, album, original_filename="taken out.jpg", albums=())
    hang(community, album, original_filename="over.jpg", expires_at=NOON)
    assert files_in(browser.get(address(album), headers=bob)).keys() == {"seen.jpg"}


def test_who_is_no_member_finds_no_album(community: Community, browser: Client, album: Album) -> None:
    hang(community, album)
    answer = browser.get(address(album), headers=community.session_of(community.carol))
    assert refusal(answer)[0] == 404


def test_an_album_without_photos_gives_no_archive(browser: Client, album: Album, bob: Headers) -> None:
    assert refusal(browser.get(address(album), headers=bob))[:2] == (404, "NOT_FOUND")


def test_a_head_right_after_another_plans_nothing(
    community: Community, browser: Client, album: Album, bob: Headers
) -> None:
    hang(community, album)
    first = browser.request("HEAD", address(album), headers=bob).headers["etag"]
    hang(community, album, b"added since")
    assert browser.request("HEAD", address(album), headers=bob).headers["etag"] == first
    community.pass_time(minutes=1)
    later = browser.request("HEAD", address(album), headers=bob).headers["etag"]
    assert later == browser.get(address(album), headers=bob).headers["etag"] != first


# -- Going on


def test_a_download_goes_on_where_it_was(community: Community, browser: Client, album: Album, bob: Headers) -> None:
    for n in range(5):
        hang(community, album, bytes([n]) * 1000)
    whole = browser.get(address(album), headers=bob)
    etag = whole.headers["etag"]
    hang(community, album, b"added since")
    for start in range(0, len(whole.content), 700):
        rest = browser.get(address(album), headers={**bob, "Range": f"bytes={start}-", "If-Range": etag})
        assert rest.status_code == 206
        assert rest.content == whole.content[start:]
        assert rest.headers["content-range"] == f"bytes {start}-{len(whole.content) - 1}/{len(whole.content)}"


def test_a_range_without_a_word_of_what_one_has_goes_on_with_the_last(
    community: Community, browser: Client, album: Album, bob: Headers
) -> None:
    hang(community, album)
    whole = browser.get(address(album), headers=bob).content
    hang(community, album, b"added since")
    assert browser.get(address(album), headers={**bob, "Range": "bytes=20-39"}).content == whole[20:40]
    assert len(files_in(browser.get(address(album), headers=bob))) == 2


def test_another_if_range_begins_anew(community: Community, browser: Client, album: Album, bob: Headers) -> None:
    hang(community, album)
    answer = browser.get(address(album), headers={**bob, "Range": "bytes=20-", "If-Range": '"other-0"'})
    assert answer.status_code == 200
    assert len(files_in(answer)) == 1


def test_bytes_that_are_gone_begin_anew_as_another_file(
    community: Community, browser: Client, album: Album, bob: Headers
) -> None:
    gone = hang(community, album, original_filename="gone.jpg")
    hang(community, album, original_filename="there.jpg")
    etag = browser.get(address(album), headers=bob).headers["etag"]
    change(community, gone, state=PhotoState.TRASHED)
    answer = browser.get(address(album), headers={**bob, "Range": "bytes=5-", "If-Range": etag})
    assert answer.status_code == 200
    assert answer.headers["etag"] != etag
    assert files_in(answer).keys() == {"there.jpg", "_missing.txt"}


def test_there_are_no_bytes_behind_the_last(community: Community, browser: Client, album: Album, bob: Headers) -> None:
    hang(community, album)
    size = len(browser.get(address(album), headers=bob).content)
    answer = browser.get(address(album), headers={**bob, "Range": f"bytes={size}-"})
    assert answer.status_code == 416
    assert answer.headers["content-range"] == f"bytes */{size}"


# -- Selections


def test_a_selection_has_an_address_that_a_browser_follows(
    community: Community, browser: Client, elsewhere: Client, album: Album, bob: Headers
) -> None:
    photos = [hang(community, album), hang(community, album)]
    other = community.keep(a_photo(visibility=Visibility.PRIVATE))
    ids = [photo.image_id for photo in (*photos, other)]
    made = browser.post("/api/archives", json={"ids": [*ids, "nothing"]}, headers=bob)
    assert made.status_code == 201
    told = made.json()
    answer = elsewhere.get(told["url"])
    assert (told["photos"], told["bytes"]) == (2, len(answer.content))
    assert len(files_in(answer)) == 2
    assert elsewhere.get(told["url"], headers={"Range": "bytes=100-"}).content == answer.content[100:]
    assert browser.get(f"/api/archives/{told['archiveId']}", headers=bob).content == answer.content


def test_an_archive_is_for_who_made_it_alone(
    community: Community, browser: Client, elsewhere: Client, album: Album, ann: Headers, bob: Headers
) -> None:
    hang(community, album)
    told = browser.post("/api/archives", json={"albumId": album.album_id}, headers=bob).json()
    path = f"/api/archives/{told['archiveId']}"
    assert refusal(browser.get(path, headers=ann))[0] == 404
    assert refusal(elsewhere.get(told["url"].replace("signature=", "signature=x")))[0] == 403
    community.pass_time(days=4)
    assert refusal(browser.get(path, headers=bob))[0] == 404


def test_one_thing_at_a_time_is_asked_for(browser: Client, bob: Headers) -> None:
    wishes: list[tuple[dict[str, Any], int]] = [
        ({}, 400),
        ({"ids": ["x"], "albumId": "y"}, 400),
        ({"ids": ["x"], "search": {}}, 400),
        ({"search": {"from": "2025-02-30"}}, 400),
        ({"search": {"sort": "newest"}}, 422),
        ({"search": {"favorite": "true"}}, 422),
        ({"ids": []}, 422),
        ({"ids": ["x"], "size": "huge"}, 422),
    ]
    for wish, status in wishes:
        assert browser.post("/api/archives", json=wish, headers=bob).status_code == status


# -- Searches


def test_what_a_search_finds_is_taken_home(
    community: Community, browser: Client, elsewhere: Client, album: Album, bob: Headers
) -> None:
    hang(community, album, b"one", title="Sea", tags=("blue",), original_filename="one.jpg")
    hang(community, album, b"two", title="Sea", original_filename="two.jpg")
    hang(community, album, title="Sea", tags=("blue",), original_filename="elsewhere.jpg", albums=())
    community.reindex()
    answer = browser.get("/api/search/archive?q=se&tag=BLUE", headers=bob)
    assert files_in(answer) == {"one.jpg": b"one"}
    wish = {"q": "sea", "album": [album.album_id], "kind": "photo", "to": "2030-01-01", "favorite": False}
    told = browser.post("/api/archives", json={"search": wish, "size": "large"}, headers=bob).json()
    assert files_in(elsewhere.get(told["url"])) == {"one.webp": b"large", "two.webp": b"large"}
    rest = browser.get("/api/search/archive?q=se&tag=BLUE", headers={**bob, "Range": "bytes=9-"})
    assert (rest.status_code, rest.content) == (206, answer.content[9:])


def test_more_photos_than_a_page_has_are_taken_home(
    community: Community, browser: Client, album: Album, bob: Headers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gathering, "READ_AT_ONCE", 2)
    for _ in range(5):
        hang(community, album, title="Sea")
    community.reindex()
    assert len(files_in(browser.get("/api/search/archive?q=sea", headers=bob))) == 5


def test_a_search_that_finds_nothing_gives_no_archive(community: Community, browser: Client, bob: Headers) -> None:
    community.reindex()
    assert refusal(browser.get("/api/search/archive?q=nothing", headers=bob))[:2] == (404, "NOT_FOUND")
    answer = browser.post("/api/archives", json={"search": {"person": ["person99"]}}, headers=bob)
    assert refusal(answer)[:2] == (404, "NOT_FOUND")


def test_a_guest_searches_nothing(community: Community, browser: Client, album: Album) -> None:
    hang(community, album, title="Sea")
    community.reindex()
    guest = community.guest_of(community.link_to(album.album_id, *VIEW_AND_DOWNLOAD)[0])
    assert refusal(browser.post("/api/archives", json={"search": {"q": "sea"}}, headers=guest))[0] == 403
    assert refusal(browser.get("/api/search/archive?q=sea", headers=guest))[0] == 403


# -- Guests


def test_a_guest_is_given_files_that_tell_nothing(community: Community, browser: Client, album: Album) -> None:
    hang(community, album, original_filename="IMG_1.jpg")
    link, _ = community.link_to(album.album_id, *VIEW_AND_DOWNLOAD)
    guest = community.guest_of(link)
    assert files_in(browser.get(address(album), headers=guest)) == {"photo-0001.webp": b"large"}
    assert refusal(browser.get(address(album, "?size=original"), headers=guest))[:2] == (403, "NOT_ALLOWED")


def test_a_guest_is_given_originals_where_the_link_shows_what_is_in_them(
    community: Community, browser: Client, album: Album
) -> None:
    hang(community, album, b"original", original_filename="IMG_1.jpg")
    link, _ = community.link_to(album.album_id, *VIEW_AND_DOWNLOAD, show_metadata=True)
    guest = community.guest_of(link)
    answer = browser.get(address(album, "?size=original"), headers=guest)
    assert files_in(answer) == {"IMG_1.jpg": b"original"}
    community.keep(replace(link, show_metadata=False))
    headers = {**guest, "Range": "bytes=0-", "If-Range": answer.headers["etag"]}
    assert browser.get(address(album, "?size=original"), headers=headers).status_code == 403
    told = browser.post("/api/archives", json={"albumId": album.album_id}, headers=guest).json()
    assert files_in(browser.get(told["url"])).keys() == {"photo-0001.webp"}


def test_a_guest_without_the_right_to_download_is_given_nothing(
    community: Community, browser: Client, album: Album
) -> None:
    hang(community, album)
    link, _ = community.link_to(album.album_id, LinkPermission.VIEW)
    assert refusal(browser.get(address(album), headers=community.guest_of(link)))[0] == 403


def test_a_link_that_is_over_shuts_the_archive_too(community: Community, browser: Client, album: Album) -> None:
    hang(community, album)
    link, _ = community.link_to(album.album_id, *VIEW_AND_DOWNLOAD)
    wish = {"albumId": album.album_id}
    told = browser.post("/api/archives", json=wish, headers=community.guest_of(link)).json()
    community.keep(replace(link, expires_at=community.at))
    assert refusal(browser.get(told["url"]))[0] == 401


@pytest.mark.parametrize("narrowed", [False, True], ids=["revoked", "narrowed"])
def test_a_link_that_is_revoked_or_narrowed_stops_its_downloads(
    community: Community, album: Album, monkeypatch: pytest.MonkeyPatch, narrowed: bool
) -> None:
    monkeypatch.setattr(archive_answers, "ASKED_EVERY", 0)
    for _ in range(3 * ASKED_AT_ONCE):
        photo = hang(community, album)
        community.blobs.put(f"processed/{photo.image_id}_large.webp", [bytes(20_000)])
    link, _ = community.link_to(album.album_id, *VIEW_AND_DOWNLOAD)
    token = community.guest_of(link)["Authorization"].removeprefix("Bearer ")
    guest = guest_caller(token, at=NOON, table=community.table)
    callers = Callers(table=community.table, idle=timedelta(days=1))
    sources = ArchiveSources(stores=community.stores, clock=lambda: NOON)
    archive = sources.plan(*sources.album(guest, album.album_id, None))
    answers = ArchiveAnswers(clock=lambda: NOON, callers=callers, stores=community.stores)
    pieces = answers.reader(archive, guest).read(0, archive.byte_count)
    assert len(next(pieces)) < archive.byte_count // 3
    if narrowed:
        community.keep(replace(link, allow=frozenset({LinkPermission.VIEW})))
    else:
        community.table.write(Delete(key_of(link)))
    with pytest.raises(NotAllowed if narrowed else NotSignedIn):
        next(pieces)


# -- Floods


def test_plans_for_guests_are_counted_and_going_on_with_one_is_not(
    community: Community, browser: Client, album: Album, bob: Headers
) -> None:
    ids = [hang(community, album).image_id for _ in range(2)]
    link, _ = community.link_to(album.album_id, *VIEW_AND_DOWNLOAD)
    guest = community.guest_of(link)
    etag = browser.get(address(album), headers=guest).headers["etag"]
    for _ in range(Rate.GUEST_ARCHIVES.item.amount - 1):
        ids.reverse()
        assert browser.post("/api/archives", json={"ids": ids}, headers=guest).status_code == 201
    refused = browser.get(address(album), headers=guest)
    assert refusal(refused)[:2] == (429, "TOO_MANY_TRIES")
    assert int(refused.headers["retry-after"]) > 0
    assert browser.post("/api/archives", json={"ids": ids}, headers=guest).status_code == 429
    assert browser.request("HEAD", address(album), headers=guest).status_code == 200
    community.pass_time(minutes=1)
    assert browser.request("HEAD", address(album), headers=guest).status_code == 429
    rest = browser.get(address(album), headers={**guest, "Range": "bytes=9-", "If-Range": etag})
    assert rest.status_code == 206
    for other in (community.guest_of(link), bob):
        assert browser.get(address(album), headers=other).status_code == 200


def test_plans_for_all_guests_of_a_link_are_counted_together(
    community: Community, browser: Client, album: Album
) -> None:
    hang(community, album)
    link, _ = community.link_to(album.album_id, *VIEW_AND_DOWNLOAD)
    each = Rate.GUEST_ARCHIVES.item.amount
    for _ in range(Rate.LINK_ARCHIVES.item.amount // each):
        guest = community.guest_of(link)
        assert {browser.get(address(album), headers=guest).status_code for _ in range(each)} == {200}
    assert browser.get(address(album), headers=community.guest_of(link)).status_code == 429
    another, _ = community.link_to(album.album_id, *VIEW_AND_DOWNLOAD)
    assert browser.get(address(album), headers=community.guest_of(another)).status_code == 200
