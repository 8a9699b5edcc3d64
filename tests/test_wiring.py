"""Which adapters the settings pick, and what they refuse."""

import shutil
from pathlib import Path

import pytest

from sparks.blobs.filesystem import FilesystemBlobs
from sparks.jobs.embedded import EmbeddedJobs
from sparks.model.errors import BadSetting, Unavailable
from sparks.settings import Settings
from sparks.table.sqlite import SqliteTable
from sparks.wiring import open_stores


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path / "data")


def test_without_settings_everything_lives_in_the_data_folder(settings: Settings) -> None:
    with open_stores(settings) as stores:
        assert (type(stores.table), type(stores.blobs), type(stores.jobs)) == (
            SqliteTable,
            FilesystemBlobs,
            EmbeddedJobs,
        )
        assert stores.served is stores.blobs
    assert {"sparks.db", "blobs", "secrets.json"} <= {path.name for path in settings.data.iterdir()}


def test_signed_addresses_begin_with_the_public_url(settings: Settings) -> None:
    public = settings.model_copy(update={"public_url": "https://photos.example.org"})
    with open_stores(public) as stores:
        url = stores.blobs.sign_get("a", expires_in=60).url
    assert url.startswith("https://photos.example.org/blobs/a?")


def test_a_database_without_its_blobs_is_refused_because_a_disk_may_be_missing(settings: Settings) -> None:
    with open_stores(settings):
        pass
    shutil.rmtree(settings.blob_folder)
    with pytest.raises(Unavailable), open_stores(settings):
        pass
    settings.blob_folder.mkdir()
    with pytest.raises(Unavailable, match="is its disk mounted"), open_stores(settings):
        pass


def test_a_blob_folder_that_holds_something_else_is_refused(settings: Settings) -> None:
    settings.blob_folder.mkdir(parents=True)
    (settings.blob_folder / "photo.jpg").touch()
    with pytest.raises(BadSetting), open_stores(settings):
        pass
