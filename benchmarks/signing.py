"""Signed addresses and cursors: what they add to a page of 100 photos, and what a media address costs to check."""

import statistics
from collections.abc import Callable
from typing import Any, Final

import msgspec

from benchmarks.frame import Figure, cpu_seconds, ratio, run
from benchmarks.table import photo
from sparks.api.http.cursors import seal_cursor, unseal_cursor
from sparks.auth.signed_media_urls import Viewer, ViewerKind, media_urls, sign_media, verify_media
from sparks.model import times
from sparks.model.ids import new_image_id
from sparks.model.keyring import Keyring
from sparks.model.photo import Rendition
from sparks.table.port import Item, Key

PAGES: Final = 100
PHOTOS: Final = 100
RING: Final = Keyring("bench", {"bench": bytes(range(32))})
VIEWER: Final = Viewer(ViewerKind.SESSION, "c4x1r8t0w2y3z5a6b7c8")
NOW: Final = times.now()
IMAGE_IDS: Final = [new_image_id() for _ in range(PHOTOS)]
BODIES: Final = [msgspec.msgpack.encode(photo(at) | {"imageId": image_id}) for at, image_id in enumerate(IMAGE_IDS)]
SIGNED: Final = [(image_id, sign_media(image_id, VIEWER, now=NOW, keyring=RING)) for image_id in IMAGE_IDS]
POSITION: Final = Key(IMAGE_IDS[-1], "UPLOADED_BY#someone@example.org")
QUERY: Final = "photos"
WHO: Final = "someone.else@example.org"
CURSOR: Final = seal_cursor(POSITION, query=QUERY, who=WHO, keyring=RING)

decode: Final = msgspec.msgpack.Decoder(dict[str, Any]).decode
encode: Final = msgspec.json.Encoder().encode


def measure() -> list[Figure]:
    return [
        Figure("page_one_vs_none", ratio(page_signed_once, page_unsigned), "CPU of a page of 100 / without addresses"),
        Figure(
            "page_four_vs_none",
            ratio(page_signed_fourfold, page_unsigned),
            "the same with a signature for each of four addresses",
        ),
        Figure(
            "page_one_vs_four", ratio(page_signed_once, page_signed_fourfold), "one signature a photo / four", "<= 0.8"
        ),
        Figure("page_cursor_vs_none", ratio(page_with_cursor, page_unsigned), "a cursor in and out / none", "<= 1.3"),
        Figure("sign_us", microseconds(signed_page), "CPU of the three addresses of a photo, microseconds"),
        Figure("verify_us", microseconds(verified_page), "CPU of checking one, microseconds"),
        Figure("seal_us", microseconds(sealed_page), "CPU of sealing a cursor, microseconds"),
        Figure("unseal_us", microseconds(unsealed_page), "CPU of opening one, microseconds"),
    ]


# -- A page, from the stored rows to the answer's JSON


def page_unsigned() -> None:
    for _ in range(PAGES):
        encode({"images": [shown(decode(body)) for body in BODIES]})


def page_signed_once() -> None:
    for _ in range(PAGES):
        images = [shown(decode(body)) for body in BODIES]
        for image in images:
            image["urls"] = media_urls(image["imageId"], VIEWER, now=NOW, keyring=RING)
        encode({"images": images})


def page_signed_fourfold() -> None:
    """As it would be, did each rendition and the original have a signature of its own."""
    for _ in range(PAGES):
        images = [shown(decode(body)) for body in BODIES]
        for image in images:
            image["urls"] = {size: signed_alone(image["imageId"], size) for size in (*Rendition, "original")}
        encode({"images": images})


def page_with_cursor() -> None:
    for _ in range(PAGES):
        position = unseal_cursor(CURSOR, query=QUERY, who=WHO, keyring=RING)
        images = [shown(decode(body)) for body in BODIES]
        encode({"images": images, "lastEvaluatedKey": seal_cursor(position, query=QUERY, who=WHO, keyring=RING)})


def shown(item: Item) -> Item:
    return {name: value for name, value in item.items() if name not in ("PK", "SK", "entityType", "thumbhash")}


def signed_alone(image_id: str, size: str) -> str:
    return f"/media/{image_id}/{size}?{sign_media(f'{image_id}/{size}', VIEWER, now=NOW, keyring=RING)}"


def signed_page() -> None:
    for image_id in IMAGE_IDS:
        media_urls(image_id, VIEWER, now=NOW, keyring=RING)


def verified_page() -> None:
    for image_id, query in SIGNED:
        verify_media(image_id, query, now=NOW, keyring=RING)


def sealed_page() -> None:
    for image_id in IMAGE_IDS:
        seal_cursor(Key(image_id, POSITION.sk), query=QUERY, who=WHO, keyring=RING)


def unsealed_page() -> None:
    for _ in range(PHOTOS):
        unseal_cursor(CURSOR, query=QUERY, who=WHO, keyring=RING)


def microseconds(work: Callable[[], None]) -> float:
    """Of one of the hundred."""
    return statistics.median(cpu_seconds(work) for _ in range(PAGES)) / PHOTOS * 1e6


if __name__ == "__main__":
    run("signing", measure)
