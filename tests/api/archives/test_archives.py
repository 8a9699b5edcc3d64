"""Downloads of zip archives."""

import io
import zipfile
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

import httpx
import pytest

from sparks.actions import archive_sources
from sparks.actions.archive_sources import ArchiveSources
from sparks.api.archives import responses
from sparks.api.archives.responses import ArchiveResponses
from sparks.auth.callers import CallerResolver
from sparks.auth.link_sessions import authenticate_guest
from sparks.auth.rate_limits import RateLimit
from sparks.library.records import changes, from_item, key_of
from sparks.model.album import Album, AlbumMember, AlbumPhoto, AlbumRole
from sparks.model.errors import NotAllowed, NotSignedIn
from sparks.model.photo import Photo, PhotoState, Renditions, Visibility
from sparks.model.share import LinkPermission
from sparks.table.port import Delete
from sparks.takeout.archive.part_reader import CHECK_BATCH
from tests.api.client import Client, refusal
from tests.api.community import Community, Headers
from tests.factories import ANN, BOB, NOON, a_photo, an_album

VIEW_AND_DOWNLOAD: Final = LinkPermission.VIEW, LinkPermission.DOWNLOAD


@pytest.fixture
def album(community: Community) -> Album:
    """Ann's album, of which Bob is a viewer."""
    album = community.keep(an_album(title="Summer ☀"))
    community.keep(AlbumMember(album_id=album.album_id, email=ANN, role=AlbumRole.OWNER))
    community.keep(AlbumMember(album_id=album.album_id, email=BOB, role=AlbumRole.VIEWER))
    return album


def hang(community: Community, album: Album, data: bytes = b"a picture", **more: Any) -> Photo:
    """A private photo in the album."""
    result = {"visibility": Visibility.PRIVATE, "albums": (album.album_id,), "file_size": len(data), **more}
    photo = a_photo(**result)
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


def test_a_member_downloads_an_album(community: Community, browser: Client, album: Album, bob: Headers) -> None:
    hang(community, album, b"one", original_filename="IMG_1.jpg")
    hang(community, album, b"two", original_filename="IMG_1.jpg")
    answer = browser.get(address(album), headers=bob)
    assert answer.status_code == 200
    assert sorted(files_in(answer)) == ["IMG_1 (2).jpg", "IMG_1.jpg"]
    assert sorted(files_in(answer).values()) == [b"one", b"two"]
    assert answer.headers["content-type"] == "application/zip"
    assert int(answer.headers["content-length"]) == len(answer.content)
    assert "Summer%20%E2%98%80.zip" in answer.headers["content-disposition"]


def test_a_head_request_returns_the_length(community: Community, browser: Client, album: Album, bob: Headers) -> None:
    hang(community, album)
    result = browser.request("HEAD", address(album), headers=bob).headers
    answer = browser.get(address(album), headers=bob)
    assert (result["content-length"], result["etag"]) == (str(len(answer.content)), answer.headers["etag"])


def test_renditions_are_downloaded_on_request(
    community: Community, browser: Client, album: Album, bob: Headers
) -> None:
    hang(community, album, original_filename="IMG_1.jpg")
    assert files_in(browser.get(address(album, "?size=large"), headers=bob)) == {"IMG_1.webp": b"large"}


def test_an_archive_leaves_out_photos_that_the_caller_does_not_see(
    community: Community, browser: Client, album: Album, bob: Headers
) -> None:
    hang(community, album, original_filename="seen.jpg")
    hang(community, album, original_filename="trash.jpg", state=PhotoState.TRASHED)
    hang(community, album, original_filename="taken out.jpg", albums=())
    hang(community, album, original_filename="over.jpg", expires_at=NOON)
    assert files_in(browser.get(address(album), headers=bob)).keys() == {"seen.jpg"}


def test_the_archive_of_an_album_is_not_found_by_others(community: Community, browser: Client, album: Album) -> None:
    hang(community, album)
    answer = browser.get(address(album), headers=community.session_of(community.carol))
    assert refusal(answer)[0] == 404


def test_an_album_without_photos_gives_no_archive(browser: Client, album: Album, bob: Headers) -> None:
    assert refusal(browser.get(address(album), headers=bob))[:2] == (404, "NOT_FOUND")


def test_a_second_head_request_within_a_minute_plans_nothing(
    community: Community, browser: Client, album: Album, bob: Headers
) -> None:
    hang(community, album)
    first = browser.request("HEAD", address(album), headers=bob).headers["etag"]
    hang(community, album, b"added since")
    assert browser.request("HEAD", address(album), headers=bob).headers["etag"] == first
    community.pass_time(minutes=1)
    later = browser.request("HEAD", address(album), headers=bob).headers["etag"]
    assert later == browser.get(address(album), headers=bob).headers["etag"] != first


# -- Resuming


def test_a_download_resumes_with_if_range(community: Community, browser: Client, album: Album, bob: Headers) -> None:
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


def test_a_range_without_if_range_resumes_the_last_archive(
    community: Community, browser: Client, album: Album, bob: Headers
) -> None:
    hang(community, album)
    whole = browser.get(address(album), headers=bob).content
    hang(community, album, b"added since")
    assert browser.get(address(album), headers={**bob, "Range": "bytes=20-39"}).content == whole[20:40]
    assert len(files_in(browser.get(address(album), headers=bob))) == 2


def test_an_unknown_if_range_starts_a_new_download(
    community: Community, browser: Client, album: Album, bob: Headers
) -> None:
    hang(community, album)
    answer = browser.get(address(album), headers={**bob, "Range": "bytes=20-", "If-Range": '"other-0"'})
    assert answer.status_code == 200
    assert len(files_in(answer)) == 1


def test_a_photo_that_is_gone_makes_it_another_file(
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


def test_a_range_behind_the_end_is_not_satisfiable(
    community: Community, browser: Client, album: Album, bob: Headers
) -> None:
    hang(community, album)
    size = len(browser.get(address(album), headers=bob).content)
    answer = browser.get(address(album), headers={**bob, "Range": f"bytes={size}-"})
    assert answer.status_code == 416
    assert answer.headers["content-range"] == f"bytes */{size}"


# -- Selections


def test_a_selection_has_a_url_that_a_browser_can_follow(
    community: Community, browser: Client, elsewhere: Client, album: Album, bob: Headers
) -> None:
    photos = [hang(community, album), hang(community, album)]
    other = community.keep(a_photo(visibility=Visibility.PRIVATE))
    ids = [photo.image_id for photo in (*photos, other)]
    made = browser.post("/api/archives", json={"ids": [*ids, "nothing"]}, headers=bob)
    assert made.status_code == 201
    result = made.json()
    answer = elsewhere.get(result["url"])
    assert (result["photos"], result["bytes"]) == (2, len(answer.content))
    assert len(files_in(answer)) == 2
    assert elsewhere.get(result["url"], headers={"Range": "bytes=100-"}).content == answer.content[100:]
    assert browser.get(f"/api/archives/{result['archiveId']}", headers=bob).content == answer.content


def test_an_archive_is_only_for_the_caller_who_planned_it(
    community: Community, browser: Client, elsewhere: Client, album: Album, ann: Headers, bob: Headers
) -> None:
    hang(community, album)
    result = browser.post("/api/archives", json={"albumId": album.album_id}, headers=bob).json()
    path = f"/api/archives/{result['archiveId']}"
    assert refusal(browser.get(path, headers=ann))[0] == 404
    assert refusal(elsewhere.get(result["url"].replace("signature=", "signature=x")))[0] == 403
    community.pass_time(days=4)
    assert refusal(browser.get(path, headers=bob))[0] == 404


def test_a_request_names_exactly_one_source(browser: Client, bob: Headers) -> None:
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
    for body, status in wishes:
        assert browser.post("/api/archives", json=body, headers=bob).status_code == status


# -- Searches


def test_the_results_of_a_search_are_downloaded(
    community: Community, browser: Client, elsewhere: Client, album: Album, bob: Headers
) -> None:
    hang(community, album, b"one", title="Sea", tags=("blue",), original_filename="one.jpg")
    hang(community, album, b"two", title="Sea", original_filename="two.jpg")
    hang(community, album, title="Sea", tags=("blue",), original_filename="elsewhere.jpg", albums=())
    community.reindex()
    answer = browser.get("/api/search/archive?q=se&tag=BLUE", headers=bob)
    assert files_in(answer) == {"one.jpg": b"one"}
    body = {"q": "sea", "album": [album.album_id], "kind": "photo", "to": "2030-01-01", "favorite": False}
    result = browser.post("/api/archives", json={"search": body, "size": "large"}, headers=bob).json()
    assert files_in(elsewhere.get(result["url"])) == {"one.webp": b"large", "two.webp": b"large"}
    rest = browser.get("/api/search/archive?q=se&tag=BLUE", headers={**bob, "Range": "bytes=9-"})
    assert (rest.status_code, rest.content) == (206, answer.content[9:])


def test_more_photos_than_one_page_are_downloaded(
    community: Community, browser: Client, album: Album, bob: Headers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_sources, "BATCH_SIZE", 2)
    for _ in range(5):
        hang(community, album, title="Sea")
    community.reindex()
    assert len(files_in(browser.get("/api/search/archive?q=sea", headers=bob))) == 5


def test_a_search_that_finds_nothing_gives_no_archive(community: Community, browser: Client, bob: Headers) -> None:
    community.reindex()
    assert refusal(browser.get("/api/search/archive?q=nothing", headers=bob))[:2] == (404, "NOT_FOUND")
    answer = browser.post("/api/archives", json={"search": {"person": ["person99"]}}, headers=bob)
    assert refusal(answer)[:2] == (404, "NOT_FOUND")


def test_a_guest_cannot_download_a_search(community: Community, browser: Client, album: Album) -> None:
    hang(community, album, title="Sea")
    community.reindex()
    guest = community.guest_of(community.link_to(album.album_id, *VIEW_AND_DOWNLOAD)[0])
    assert refusal(browser.post("/api/archives", json={"search": {"q": "sea"}}, headers=guest))[0] == 403
    assert refusal(browser.get("/api/search/archive?q=sea", headers=guest))[0] == 403


# -- Guests


def test_a_guest_gets_files_without_metadata(community: Community, browser: Client, album: Album) -> None:
    hang(community, album, original_filename="IMG_1.jpg")
    link, _ = community.link_to(album.album_id, *VIEW_AND_DOWNLOAD)
    guest = community.guest_of(link)
    assert files_in(browser.get(address(album), headers=guest)) == {"photo-0001.webp": b"large"}
    assert refusal(browser.get(address(album, "?size=original"), headers=guest))[:2] == (403, "NOT_ALLOWED")


def test_a_guest_gets_originals_where_the_link_shows_metadata(
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
    result = browser.post("/api/archives", json={"albumId": album.album_id}, headers=guest).json()
    assert files_in(browser.get(result["url"])).keys() == {"photo-0001.webp"}


def test_a_guest_without_the_permission_to_download_gets_nothing(
    community: Community, browser: Client, album: Album
) -> None:
    hang(community, album)
    link, _ = community.link_to(album.album_id, LinkPermission.VIEW)
    assert refusal(browser.get(address(album), headers=community.guest_of(link)))[0] == 403


def test_an_expired_link_ends_its_archives(community: Community, browser: Client, album: Album) -> None:
    hang(community, album)
    link, _ = community.link_to(album.album_id, *VIEW_AND_DOWNLOAD)
    body = {"albumId": album.album_id}
    result = browser.post("/api/archives", json=body, headers=community.guest_of(link)).json()
    community.keep(replace(link, expires_at=community.at))
    assert refusal(browser.get(result["url"]))[0] == 401


@pytest.mark.parametrize("narrowed", [False, True], ids=["revoked", "narrowed"])
def test_a_link_that_is_revoked_or_narrowed_stops_its_downloads(
    community: Community, album: Album, monkeypatch: pytest.MonkeyPatch, narrowed: bool
) -> None:
    monkeypatch.setattr(responses, "CHECK_EVERY", 0)
    for _ in range(3 * CHECK_BATCH):
        photo = hang(community, album)
        community.blobs.put(f"processed/{photo.image_id}_large.webp", [bytes(20_000)])
    link, _ = community.link_to(album.album_id, *VIEW_AND_DOWNLOAD)
    token = community.guest_of(link)["Authorization"].removeprefix("Bearer ")
    guest = authenticate_guest(token, at=NOON, table=community.table)
    callers = CallerResolver(table=community.table, idle=timedelta(days=1))
    stores: dict[str, Any] = {"table": community.table, "blobs": community.blobs, "keyring": community.stores.keyring}
    sources = ArchiveSources(search=None, clock=lambda: NOON, **stores)
    archive = sources.plan(*sources.album(guest, album.album_id, None))
    answers = ArchiveResponses(sources=sources, caller_resolver=callers, clock=lambda: NOON, **stores)
    pieces = answers.reader(archive, guest).read(0, archive.byte_count)
    assert len(next(pieces)) < archive.byte_count // 3
    if narrowed:
        community.keep(replace(link, allow=frozenset({LinkPermission.VIEW})))
    else:
        community.table.write(Delete(key_of(link)))
    with pytest.raises(NotAllowed if narrowed else NotSignedIn):
        next(pieces)


# -- Rate limits


def test_plans_of_guests_are_counted_and_resumed_downloads_are_not(
    community: Community, browser: Client, album: Album, bob: Headers
) -> None:
    ids = [hang(community, album).image_id for _ in range(2)]
    link, _ = community.link_to(album.album_id, *VIEW_AND_DOWNLOAD)
    guest = community.guest_of(link)
    etag = browser.get(address(album), headers=guest).headers["etag"]
    for _ in range(RateLimit.GUEST_ARCHIVES.item.amount - 1):
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


def test_plans_of_all_guests_of_a_link_are_counted_together(
    community: Community, browser: Client, album: Album
) -> None:
    hang(community, album)
    link, _ = community.link_to(album.album_id, *VIEW_AND_DOWNLOAD)
    each = RateLimit.GUEST_ARCHIVES.item.amount
    for _ in range(RateLimit.LINK_ARCHIVES.item.amount // each):
        guest = community.guest_of(link)
        assert {browser.get(address(album), headers=guest).status_code for _ in range(each)} == {200}
    assert browser.get(address(album), headers=community.guest_of(link)).status_code == 429
    another, _ = community.link_to(album.album_id, *VIEW_AND_DOWNLOAD)
    assert browser.get(address(album), headers=community.guest_of(another)).status_code == 200
