"""Work of people in Sparks after a cutover: over HTTP, or by the same guarded table in this process."""

import hashlib
import random
import uuid
from dataclasses import replace
from typing import Any

from sparks.journey import Stores
from sparks.library.accounts.users import find_user
from sparks.library.albums.album_details import create_album
from sparks.library.albums.album_photos import AlbumPlacement, add_photo, remove_photo
from sparks.library.photo_deletion import delete_photo
from sparks.library.photos.album_membership import albums_holding
from sparks.library.photos.edit_and_trash import edit_photo
from sparks.library.photos.photo_edit import PhotoEdit
from sparks.library.records import changes, from_item, to_item
from sparks.library.upload_limits.photo_usage import reserve_photo
from sparks.model.photo import Photo, PhotoState
from sparks.model.photo_index import ContentDigest
from sparks.model.times import now
from sparks.table.port import Put
from tests.cli.photo_lifecycle.client import LifecycleClient
from tests.factories import a_photo
from tests.migrate.checker import read_source, scan
from tests.migrate.legacy_app import make_pictures, with_comment
from tests.migrate.processes import Migration
from tests.servers.process import wait_until


def work_over_http(migration: Migration, url: str, choice: random.Random) -> None:
    """A user of the old service uploads, edits, moves and deletes in the new one."""
    email = owner_of_photos(migration, choice)
    if email is None:
        return  # the application has emptied its tables
    with migration.client(url, email) as client:
        mine = client.ids("/me/photos?limit=50")
        posted = client.post(with_comment(make_pictures()[0], "new"), filename="new.jpg", title="Made in Sparks")
        album = client.ask("POST", "/albums", status=201, json={"title": "Album of Sparks"}).json()
        client.ask("PUT", f"/albums/{album['albumId']}/photos", json={"ids": [posted["imageId"], mine[0]]})
        edit_over_http(client, mine[-1], {"title": "Changed in Sparks 🎉", "tags": ["a", "b"], "description": None})
        wait_until(lambda: client.photo(posted["imageId"])["processingStatus"] == "completed", what="renditions")
        if len(mine) > 2:
            client.ask("DELETE", f"/photos/{mine[1]}", status=204)
            wait_until(lambda: not client.is_there(mine[1]), what="a deletion")


def edit_over_http(
    client: LifecycleClient, image_id: str, values: dict[str, Any], status: int | tuple[int, ...] = 200
) -> Any:
    version = client.photo(image_id)["version"]
    return client.ask("PATCH", f"/photos/{image_id}", status=status, json={**values, "version": version}).json()


def owner_of_photos(migration: Migration, choice: random.Random) -> str | None:
    rows = read_source(migration.database.superuser_url)
    owners = sorted({row["user_id"] for row in rows["gallery_images"].values()})
    return rows["users"][choice.choice(owners)]["email"] if owners else None


def work_in_process(migration: Migration, choice: random.Random, *, steps: int = 15) -> None:
    """Several users change what they have, and add to it."""
    with migration.stores() as stores:
        for number in range(steps):
            photos = migrated_photos(stores)
            if not photos:
                return  # the application has emptied its tables
            photo = choice.choice(photos)
            kinds = [edit, delete, place_in_new_album, leave_albums, upload]
            choice.choices(kinds, [6, 3, 3, 2, 3])[0](photo, f"{number} of Sparks", stores)


def migrated_photos(stores: Stores) -> list[Photo]:
    items = (item for item in scan(stores.table) if item["SK"].startswith("UPLOADED_BY#"))
    photos = (from_item(Photo, item) for item in items if "sourceId" in item)
    return sorted(
        (photo for photo in photos if photo.state is not PhotoState.DELETING), key=lambda photo: photo.image_id
    )


def edit(photo: Photo, text: str, stores: Stores) -> None:
    change = PhotoEdit(title=text, tags=("sparks", text), alt_text=None)
    edit_photo(photo, change, version=photo.version, at=now(), table=stores.table)


def delete(photo: Photo, _text: str, stores: Stores) -> None:
    delete_photo(photo, table=stores.table, blobs=stores.blobs, jobs=stores.jobs, keyring=stores.keyring)


def place_in_new_album(photo: Photo, text: str, stores: Stores) -> None:
    owner = find_user(photo.owner, table=stores.table)
    assert owner is not None
    album = create_album(owner, text, at=now(), table=stores.table)
    add_photo(photo, AlbumPlacement(album_id=album.album_id, by=photo.owner, at=now()), table=stores.table)


def leave_albums(photo: Photo, _text: str, stores: Stores) -> None:
    for row in albums_holding(photo.image_id, table=stores.table):
        remove_photo(photo, row.album_id, table=stores.table)


def upload(beside: Photo, text: str, stores: Stores) -> Photo:
    """Another photo of the same owner, as it is once its bytes have arrived."""
    content = with_comment(make_pictures(1)[0], uuid.uuid4().hex)
    at = now()
    ready = a_photo(
        owner=beside.owner,
        state=PhotoState.PENDING,
        title=text,
        file_size=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        created_at=at,
        uploaded_at=at,
    )
    reserved = replace(ready, state=PhotoState.RESERVED)
    reserve_photo(reserved, table=stores.table)
    assert ready.original_key is not None
    stores.blobs.put(ready.original_key, [content], content_type="image/jpeg")
    digest = ContentDigest(who=ready.owner, digest=ready.sha256 or "", image_id=ready.image_id, owner=ready.owner)
    stores.table.write(changes(reserved, ready), Put(to_item(digest)))
    return ready
