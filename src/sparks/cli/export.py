"""`sparks export`: writes the library as plain files, or verifies them."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sparks.cli.options import json_option, with_data
from sparks.model.account import account_email
from sparks.model.errors import NotFound
from sparks.settings import Settings

if TYPE_CHECKING:
    from sparks.journey import Stores
    from sparks.model.photo import Photo


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--owner", metavar="EMAIL", help="Only the photos of this account.")
@click.option("--album", metavar="ID", help="Only the photos of this album.")
@click.option("--verify", is_flag=True, help="Write nothing: read the export back, and list what differs.")
@json_option
@with_data
def export(
    settings: Settings, *, folder: Path, owner: str | None, album: str | None, verify: bool, as_json: bool
) -> None:
    """Write the library as plain files: originals in folders by year and month, with XMP and JSON sidecars.

    The sidecars hold title, description, tags, persons with their faces, albums, visibility, time, place and checksums.
    Files that exist already are skipped: an interrupted export continues when you run it again, and the next export
    writes only changes. No file is ever deleted. The exit code is 1 if a photo could not be written, or with --verify
    if something differs.

    \b
    Examples:
      sparks export /mnt/backup/photos
      sparks export --owner ann@example.com ~/ann
      sparks export --verify --json /mnt/backup/photos
    """
    from sparks.cli.export_run import verify_export, write_export
    from sparks.wiring import open_stores

    if owner is not None and album is not None:
        raise click.UsageError("name an owner or an album, not both")
    if folder.resolve().is_relative_to(settings.data.resolve()):
        raise click.UsageError(f"{folder} is in the data folder: name another one")
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))  # both end the command in the same way
    with open_stores(settings) as stores:
        photos = _photos(stores, owner, album)
        if verify:
            code = verify_export(folder, photos, stores, all_of_them=owner is None and album is None, as_json=as_json)
        else:
            code = write_export(folder, photos, stores, as_json=as_json)
    if code:
        raise click.exceptions.Exit(code)


def _photos(stores: "Stores", owner: str | None, album: str | None) -> "Iterator[Photo]":
    from sparks.actions.archive_sources import photos_in_album
    from sparks.library import keys
    from sparks.library.accounts.users import find_user
    from sparks.takeout.export.photo_details import all_photos, photos_of

    if owner is not None:
        email = account_email(owner)
        if find_user(email, table=stores.table) is None:
            raise NotFound(f"there is no account {email}: `sparks user list` shows all")
        return photos_of(email, table=stores.table)
    if album is not None:
        if stores.table.get(keys.album(album)) is None:
            raise NotFound(f"there is no album {album}")
        return photos_in_album(album, sees=lambda photo: photo.uploaded_by is not None, table=stores.table)
    return all_photos(table=stores.table)
