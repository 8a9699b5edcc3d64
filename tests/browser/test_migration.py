"""Administration during a migration: its tab, and the state that it shows."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from sparks.library import keys
from sparks.library.records import to_item
from sparks.model.migration import ALBUMS, PHOTOS, USERS, MigrationPhase, MigrationState, Verification, WriteSide
from sparks.model.photo_index import ExternalId
from sparks.model.stored import Stored
from sparks.model.times import now
from sparks.table.port import Delete, Put
from tests.browser.site import Account, Site, serving
from tests.browser.visitor import visiting


@pytest.fixture(scope="module")
def own_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with serving(tmp_path_factory.mktemp("own_site")) as opened:
        yield opened


@pytest.fixture
def root(own_site: Site) -> Account:
    return own_site.join("Root", admin=True)


def keep(own_site: Site, *rows: Stored) -> None:
    own_site.stores.table.write(*(Put(to_item(row)) for row in rows))


def begin_migration(own_site: Site) -> None:
    difference = {"table": PHOTOS, "id": "9f1c2d3e-4b5a-4c6d-8e7f-a0b1c2d3e4f5", "field": "title", "source": "Sea"}
    verification = Verification(
        checked=98_412, missing=1, different=2, at=now(), differences=({**difference, "target": "Lake <b>"}, difference)
    )
    state = MigrationState(
        phase=MigrationPhase.BACKFILLED,
        writes=WriteSide.SOURCE,
        counts={"users": 1200, "albums": 310, "photos": 61_000},
        totals={"users": 1200, "albums": 320, "photos": 100_000},
        lag_changes=12,
        lag_seconds=3.5,
        reported_at=now(),
        verification=verification,
    )
    email = {"field": "email", "value": "ANN@example.com", "reason": "another user has this address", "taken": False}
    tags = {"field": "tags", "value": {"sea": True}, "reason": "tags are not a list of texts", "taken": True}
    album = {"field": "album_id", "value": "x" * 500, "reason": "there is no such album", "taken": True}
    ids = ("3a7b", "0c1d", "77fe")
    rows = [
        ExternalId(system=USERS, old_id=f"{ids[0]}1c2d-4b5a-4c6d-8e7f-a0b1c2d3e4f5", issues=(email,)),
        ExternalId(system=PHOTOS, old_id=f"{ids[1]}1c2d-4b5a-4c6d-8e7f-a0b1c2d3e4f5", target_id="x", issues=(tags,)),
        ExternalId(system=ALBUMS, old_id=f"{ids[2]}1c2d-4b5a-4c6d-8e7f-a0b1c2d3e4f5", target_id="x", issues=(album,)),
    ]
    keep(own_site, state, *rows)


def tabs(page: Page) -> list[str]:
    bar = page.get_by_role("navigation", name="Administration")
    expect(bar.get_by_role("link", name="Health")).to_be_visible()
    return bar.get_by_role("link").all_inner_texts()


def test_the_tab_is_there_only_where_a_migration_is(browser: Browser, own_site: Site, root: Account) -> None:
    own_site.stores.table.write(Delete(keys.MIGRATION_STATE))
    with visiting(browser, own_site, root) as visitor:
        page = visitor.go("/admin/health")
        page.wait_for_load_state("networkidle")
        assert "Migration" not in tabs(page)
        begin_migration(own_site)
        page = visitor.go("/admin/health")
        expect(page.get_by_role("link", name="Migration")).to_be_visible()
        assert visitor.unexpected() == []


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_phase_progress_issues_and_differences_are_shown(
    browser: Browser, own_site: Site, root: Account, size: str
) -> None:
    begin_migration(own_site)
    with visiting(browser, own_site, root, size=size) as visitor:
        page = visitor.go("/admin/migration")
        expect(page.get_by_text("the other service", exact=True)).to_be_visible()
        expect(page.get_by_text("61,000 of 100,000")).to_be_visible()
        expect(page.get_by_text("12 changes")).to_be_visible()
        row = page.get_by_role("row").filter(has_text="another user has this address")
        expect(row).to_contain_text("ANN@example.com")
        expect(row).to_contain_text("The row is left out.")
        expect(row).to_contain_text("sparks migrate retry")
        expect(page.get_by_role("row").filter(has_text="Lake <b>")).to_contain_text("Sea")
        assert visitor.barriers() == []
        assert visitor.unexpected() == []
