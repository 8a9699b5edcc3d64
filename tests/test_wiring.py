"""Choice of adapters by the settings, and checks of the data folder."""

import os
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sparks.library.records import key_of, to_item
from sparks.library.search.change_log import SearchLoggingTable
from sparks.migrate.engines.switched_blobs import SwitchedBlobs
from sparks.migrate.engines.switched_jobs import SwitchedJobs
from sparks.migrate.write_guard import GuardedTable
from sparks.model.errors import BadSetting, Unavailable
from sparks.settings import Settings
from sparks.table.port import Delete, Put
from sparks.wiring import clear_search, open_index, open_renderer, open_search, open_stores, renderer
from sparks.wiring.data_folder import CREATION_MARKER
from tests.factories import a_photo
from tests.servers.process import wait_until


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path / "data")


def test_without_settings_everything_lives_in_the_data_folder(settings: Settings) -> None:
    with open_stores(settings) as stores:
        assert (type(stores.table), type(stores.blobs), type(stores.jobs)) == (
            GuardedTable,
            SwitchedBlobs,
            SwitchedJobs,
        )
        assert stores.blobs.is_local
    assert {"sparks.db", "blobs", "secrets.json"} <= {path.name for path in settings.data.iterdir()}


def test_the_migrator_gets_the_table_without_the_write_guard(settings: Settings) -> None:
    with open_stores(settings, guarded=False) as stores:
        assert type(stores.table) is SearchLoggingTable


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


@pytest.mark.parametrize("empty", [False, True])
def test_blobs_without_their_database_are_refused(settings: Settings, *, empty: bool) -> None:
    with open_stores(settings):
        pass
    settings.database.unlink()
    if empty:
        settings.database.touch()
    with pytest.raises(BadSetting, match="restore it from a backup, or remove the blobs"), open_stores(settings):
        pass
    shutil.rmtree(settings.blob_folder)
    with open_stores(settings) as stores:
        stores.table.check()


def test_a_process_killed_while_it_created_the_data_folder_may_be_started_again(settings: Settings) -> None:
    settings.data.mkdir()
    (settings.data / CREATION_MARKER).touch()
    (settings.blob_folder).mkdir()
    (settings.blob_folder / ".sparks-blobs").write_bytes(b"sparks blobs 1\n")
    with open_stores(settings) as stores:
        stores.table.check()
        assert not (settings.data / CREATION_MARKER).exists()


def test_processes_that_create_a_data_folder_at_once_all_succeed(settings: Settings) -> None:
    start = threading.Barrier(4)

    def begin() -> None:
        start.wait()
        with open_stores(settings) as stores:
            stores.table.check()

    with ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(begin) for _ in range(4)]:
            done.result()


def test_a_lost_secrets_file_is_logged_as_a_warning(settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    with open_stores(settings):
        pass
    assert not caplog.text
    settings.secret_file.unlink()
    with open_stores(settings):
        pass
    assert "addresses signed before are void" in caplog.text


def test_a_missing_aws_key_is_a_wrong_setting_that_says_what_to_do(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, os.devnull)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    cloudy = settings.model_copy(update={"jobs": "sqs", "region": "eu-central-1"})
    with pytest.raises(BadSetting, match=r"SPARKS_AWS_ACCESS_KEY_ID.*AWS_PROFILE"), open_stores(cloudy):
        pass
    monkeypatch.setenv("AWS_PROFILE", "missing-profile")
    with pytest.raises(BadSetting, match="missing-profile"), open_stores(cloudy):
        pass


def test_vectors_and_search_are_embedded_where_the_settings_name_no_other_engine(settings: Settings) -> None:
    with open_stores(settings) as stores, open_index(settings, stores), open_search(settings, stores):
        pass
    names = {path.name for path in settings.data.iterdir()}
    assert "search.db" in names
    assert any(name.startswith("vectors-") for name in names)


def test_the_renderer_makes_the_usual_sizes_and_those_of_the_settings(tmp_path: Path) -> None:
    with open_renderer(Settings(data=tmp_path, rendition_sizes=("hd=3840", "tiny=64"))) as opened:
        assert opened.sizes == {"large": 2048, "medium": 720, "thumb": 256, "hd": 3840, "tiny": 64}


def test_a_kernel_without_landlock_is_logged_as_a_warning(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(renderer, "has_landlock", lambda: False)
    with open_renderer(settings):
        assert "no Landlock" in caplog.text


def test_vectors_of_other_engines_are_deleted_because_no_erased_face_would_leave_them(settings: Settings) -> None:
    with open_stores(settings) as stores, open_index(settings, stores):
        pass
    other = settings.data / "vectors-another-engine"
    other.touch()
    kept = set(settings.data.glob("vectors-*")) - {other}
    with open_stores(settings) as stores, open_index(settings, stores):
        assert set(settings.data.glob("vectors-*")) == kept != set()
    off = settings.model_copy(update={"faces": False})
    with open_stores(off) as stores, open_index(off, stores) as index:
        assert (index, list(settings.data.glob("vectors-*"))) == (None, [])


def test_the_search_index_is_a_file_of_its_own_that_follows_the_table(settings: Settings) -> None:
    photo = a_photo(title="Zanzibar")
    with open_stores(settings) as stores, open_search(settings, stores) as index:
        stores.table.write(Put(to_item(photo)))
        wait_until(lambda: index.count() == 1, what="the photo is not in the index")
    assert b"zanzibar" in settings.search_file.read_bytes()
    with open_stores(settings) as stores:
        stores.table.write(Delete(key_of(photo)))
        clear_search(settings, stores)
    assert b"zanzibar" not in settings.search_file.read_bytes()


def test_clearing_creates_no_search_index_where_there_is_none(settings: Settings) -> None:
    with open_stores(settings) as stores:
        clear_search(settings, stores)
    assert not settings.search_file.exists()
