"""Panels of the viewer: details that are read and edited, and the names of faces."""

from pathlib import Path
from typing import Final

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.pictures import portraits
from tests.browser.site import Site
from tests.browser.viewer_page import opened, show_info, some_drawn, uploads_of, viewer
from tests.servers.process import wait_until

MARKUP: Final = "<img src=x onerror=alert(1)>"
STRANGER: Final = "W000791"  # whom no other test knows


def test_two_editors_see_each_others_changes(visit: Visit, site: Site, tmp_path: Path) -> None:
    account = site.join()
    (image_id,) = some_drawn(site, account, tmp_path, 1, title="Hills")
    visitor = visit(account)
    visitor.expect_complaint("409")
    page = visitor.go(f"/feed?photo={image_id}")
    show_info(page)
    title = page.get_by_label("Title")
    expect(title).to_have_value("Hills")
    title.fill("Hills at noon")
    version = site.photo(account, image_id)["version"]
    site.ask(account, "PATCH", f"/api/photos/{image_id}", json={"version": version, "title": "Bare hills"})
    title.press("Enter")
    told = page.get_by_role("alert")
    expect(told).to_contain_text("Another user changed this")
    expect(told).to_contain_text("Bare hills")
    expect(told).to_contain_text("Hills at noon")
    assert visitor.barriers() == []
    told.get_by_role("button", name="Use mine").click()
    expect(told).to_have_count(0)
    wait_until(lambda: site.photo(account, image_id)["title"] == "Hills at noon", what="the title", seconds=10)

    description = page.get_by_label("Description")
    description.fill("What the wind does")
    now = site.photo(account, image_id)["version"]
    site.ask(account, "PATCH", f"/api/photos/{image_id}", json={"version": now, "tags": ["wind"]})
    description.press("Control+Enter")
    expect(page.get_by_role("list", name="Tags")).to_contain_text("wind")
    wait_until(lambda: "description" in site.photo(account, image_id), what="the description to be kept", seconds=20)
    made = site.photo(account, image_id)
    assert (made["description"], made["tags"]) == ("What the wind does", ["wind"])


def test_what_is_known_of_a_photo_is_edited_beside_it(visit: Visit, site: Site, tmp_path: Path) -> None:
    account = site.join("Ann")
    (image_id,) = some_drawn(site, account, tmp_path, 1)
    page = visit(account).go(f"/feed?photo={image_id}")
    show_info(page)
    for field in ("Title", "Description", "Alternative text"):
        page.get_by_label(field, exact=True).fill(f"{field} {MARKUP}")
        page.get_by_label(field, exact=True).press("Tab")
    add = page.get_by_label("Add a tag")
    add.fill(f"sea, {MARKUP}")
    add.press("Enter")
    expect(page.get_by_role("list", name="Tags")).to_contain_text(MARKUP)
    page.get_by_role("button", name="Remove the tag sea").click()
    expect(page.get_by_text("sea", exact=True)).to_have_count(0)
    page.get_by_role("button", name="Edit the date").click()
    page.get_by_label("Taken").fill("2023-02-03T04:05:06")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("3 February 2023")).to_be_visible()
    for state in ("true", "false"):
        page.get_by_role("switch").click()
        expect(page.get_by_role("switch")).to_have_attribute("aria-checked", state)
    page.keyboard.press("f")
    expect(viewer(page).get_by_role("button", name="Remove from favourites")).to_be_visible()

    def saved() -> bool:
        photo = site.photo(account, image_id)
        return (photo["favorite"], photo["visibility"], photo["tags"]) == (True, "private", [MARKUP])

    wait_until(saved, what="all of it to be saved", seconds=10)
    photo = site.photo(account, image_id)
    assert photo["title"] == f"Title {MARKUP}"
    assert photo["altText"] == f"Alternative text {MARKUP}"
    assert photo["takenAt"].startswith("2023-02-03T04:05:06")
    page.reload()
    expect(page.get_by_label("Description", exact=True)).to_have_value(f"Description {MARKUP}")
    assert opened(page).locator(".large").get_attribute("alt") == f"Alternative text {MARKUP}"


def test_others_read_what_the_owner_wrote(visit: Visit, site: Site, tmp_path: Path) -> None:
    ann, bob = site.join("Ann"), site.join("Bob")
    (image_id,) = some_drawn(site, ann, tmp_path, 1, visibility="community", title=MARKUP)
    visitor = visit(bob)
    page = visitor.go(f"/feed?photo={image_id}")
    show_info(page)
    expect(page.get_by_role("complementary").get_by_text(MARKUP)).to_be_visible()
    assert visitor.barriers() == []
    expect(page.get_by_role("complementary").get_by_role("link", name="Ann")).to_have_attribute("href", uploads_of(ann))
    expect(page.get_by_label("Add a tag")).to_have_count(0)
    expect(viewer(page).get_by_role("button", name="Move to the trash")).to_have_count(0)
    site.ask(ann, "DELETE", f"/api/photos/{image_id}")


def test_faces_are_named_rejected_and_drawn_with_a_way_back(visit: Visit, site: Site) -> None:
    account = site.join()
    ids = site.upload(account, portraits(STRANGER)[0], visibility="private")
    site.settle(account, ids, faces=True)
    visitor = visit(account)
    page = visitor.go(f"/feed?photo={ids[0]}")
    show_info(page)
    page.get_by_role("button", name="Add a name").click()
    page.get_by_role("combobox", name="Who is this?").fill("Alma <b>")
    page.keyboard.press("Enter")
    people = page.get_by_role("complementary")
    expect(people.get_by_role("link", name="Alma <b>")).to_be_visible()
    expect(page.get_by_text("This is Alma <b>")).to_be_visible()
    page.keyboard.press("b")
    box = viewer(page).get_by_role("button", name="Alma <b>", exact=True)
    expect(box).to_be_visible()
    assert visitor.barriers() == []
    face, picture = box.bounding_box(), opened(page).bounding_box()
    assert face is not None
    assert picture is not None
    assert picture["x"] < face["x"] < picture["x"] + picture["width"]
    page.keyboard.press("b")
    expect(box).to_have_count(0)
    page.mouse.move(face["x"] + face["width"] / 2, face["y"] + face["height"] / 2)
    expect(viewer(page).get_by_text("Alma <b>")).to_have_count(2)

    page.get_by_role("button", name="More about Alma <b>").click()
    page.get_by_role("menuitem", name="This is not Alma <b>").click()
    expect(people.get_by_role("link", name="Alma <b>")).to_have_count(0)
    page.get_by_role("button", name="Undo").last.click()
    expect(people.get_by_role("link", name="Alma <b>")).to_be_visible()

    page.get_by_role("button", name="Mark a face").click()
    page.mouse.move(picture["x"] + 10, picture["y"] + picture["height"] - 100)
    page.mouse.down()
    page.mouse.move(picture["x"] + 90, picture["y"] + picture["height"] - 20, steps=4)
    page.mouse.up()
    page.get_by_role("combobox", name="Who is this?").fill("Bo")
    page.keyboard.press("Enter")
    expect(people.get_by_role("link", name="Bo", exact=True)).to_be_visible()
    page.get_by_role("button", name="Undo").last.click()
    expect(people.get_by_role("link", name="Bo", exact=True)).to_have_count(0)
