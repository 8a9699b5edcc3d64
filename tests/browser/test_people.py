"""People: naming, merging, correcting faces, and finding oneself."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Locator, Page, expect

from sparks.library.people.merge_suggestions import replace_suggestions
from sparks.model.person import Suggestion
from tests.browser.conftest import Visit
from tests.browser.people_site import KnownPersons, known_persons
from tests.browser.pictures import drawn, portraits
from tests.browser.site import Account, Site
from tests.browser.visitor import Visitor

NEW, KNOWN, SAME = "A000370", "B001295", "D000623"  # to be named
MAIN, OTHER = "C001103", "H001073"  # to be merged and split
LEFT, RIGHT = "J000297", "K000387"  # to be asked about
SELF, ERASED = "M001193", "M001197"
PEOPLE: Final = (NEW, KNOWN, SAME, MAIN, OTHER, LEFT, RIGHT, SELF, ERASED)
EVIL: Final = '<img src=x onerror="alert(1)">'


@pytest.fixture(scope="module")
def known(site: Site, tmp_path_factory: pytest.TempPathFactory) -> KnownPersons:
    return known_persons(site, tmp_path_factory.mktemp("known"), PEOPLE, together=(SELF, MAIN))


def tile(page: Page, person_id: str) -> Locator:
    return page.locator(f'[data-person="{person_id}"]')


def toast(page: Page, text: str) -> Locator:
    return page.locator(".toast", has_text=text)


def undo(page: Page, text: str) -> None:
    toast(page, text).get_by_role("button", name="Undo").click()


def read_person(site: Site, account: Account, person_id: str) -> dict[str, Any]:
    person: dict[str, Any] = site.ask(account, "GET", f"/api/persons/{person_id}").json()
    return person


def is_free_of_barriers(visitor: Visitor) -> None:
    """In light and in dark."""
    for scheme in ("light", "dark"):
        visitor.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        assert visitor.barriers() == []


def pick_action(page: Page, name: str) -> None:
    page.get_by_role("button", name="Actions for this person").click()
    page.get_by_role("menuitem", name=name).click()


# -- Names


def test_people_get_their_names_with_the_keyboard_alone(visit: Visit, site: Site, known: KnownPersons) -> None:
    visitor = visit(known.owner)
    page = visitor.go("/people?everyone=1")
    expect(tile(page, known[NEW])).to_be_visible()
    is_free_of_barriers(visitor)
    tile(page, known[NEW]).get_by_role("button", name="Add a name").focus()
    page.keyboard.press("Enter")
    page.keyboard.type("Zoë")
    page.keyboard.press("Enter")
    second = page.locator("[data-person]:has(input)")
    expect(second).to_have_count(1)
    next_one = second.get_attribute("data-person") or ""
    assert next_one != known[NEW]
    page.keyboard.type(EVIL)
    page.keyboard.press("Enter")
    expect(tile(page, next_one).get_by_text(EVIL)).to_be_visible()
    expect(tile(page, known[NEW]).get_by_text("Zoë")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(":focus")).to_contain_text("Add a name")
    undo(page, f"Named {EVIL}")
    expect(tile(page, next_one).get_by_role("button", name="Add a name")).to_be_visible()
    page.reload()
    expect(tile(page, known[NEW]).get_by_text("Zoë")).to_be_visible()


def test_a_name_of_another_person_offers_to_merge(visit: Visit, site: Site, known: KnownPersons) -> None:
    visitor = visit(known.owner)
    page = visitor.go("/people?everyone=1")
    expect(tile(page, known[KNOWN])).to_be_visible()
    site.ask(known.owner, "PATCH", f"/api/persons/{known[KNOWN]}", json={"displayName": "Mika Böst"})
    expect(tile(page, known[KNOWN]).get_by_text("Mika Böst")).to_be_visible()  # without a reload
    tile(page, known[SAME]).get_by_role("button", name="Add a name").click()
    page.keyboard.type("bos")
    expect(page.get_by_role("option", name="Mika Böst")).to_be_visible()
    is_free_of_barriers(visitor)
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("mika bost")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Another person has the name Mika Böst")
    expect(dialog).to_be_visible()
    is_free_of_barriers(visitor)
    page.keyboard.press("Escape")
    expect(tile(page, known[SAME]).get_by_role("combobox")).to_be_focused()
    page.keyboard.type("bos")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(tile(page, known[SAME])).to_have_count(0)
    assert read_person(site, known.owner, known[SAME])["personId"] == known[KNOWN]
    undo(page, "All of them are Mika Böst now")
    expect(tile(page, known[SAME])).to_be_visible()
    site.ask(known.owner, "PATCH", f"/api/persons/{known[KNOWN]}", json={"displayName": ""})


# -- Putting it right


def test_a_person_is_named_merged_split_and_rejected_and_all_of_it_undone(
    visit: Visit, site: Site, known: KnownPersons
) -> None:
    one, other = known[MAIN], known[OTHER]
    visitor = visit(known.owner)
    page = visitor.go(f"/people/{one}")
    page.get_by_role("button", name="Add a name").click()
    page.keyboard.type("Chris")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Chris")).to_be_visible()
    is_free_of_barriers(visitor)

    page.goto(f"{site.url}/people/{other}?view=faces")
    pick_action(page, "Merge with")
    expect(page.get_by_role("searchbox")).to_be_focused()
    is_free_of_barriers(visitor)
    page.keyboard.type("chri")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/people/{one}")
    expect(page.get_by_role("heading", name="Chris")).to_be_visible()
    page.goto(f"{site.url}/people/{other}?view=faces")
    page.wait_for_url(f"**/people/{one}?view=faces")  # a merged person redirects to the one whom they became

    faces = page.get_by_role("main").get_by_role("checkbox")
    expect(faces).to_have_count(5)
    page.get_by_role("link", name="History").click()
    merged = page.get_by_role("listitem").filter(has_text="Merged two people into this one")
    merged.get_by_role("button", name="Undo").click()
    expect(merged).to_contain_text("undone by You")
    is_free_of_barriers(visitor)
    page.get_by_role("link", name="Faces").click()
    expect(faces).to_have_count(3)

    faces.nth(0).click()
    is_free_of_barriers(visitor)
    page.get_by_role("button", name="Not them").click()
    expect(faces).to_have_count(2)
    undo(page, "A face is not Chris")
    expect(faces).to_have_count(3)

    faces.nth(1).click()
    faces.nth(2).click(modifiers=["Shift"])
    page.get_by_role("button", name="Another person").click()
    page.keyboard.type("Dana")
    page.get_by_role("button", name="A new person, Dana").click()
    expect(faces).to_have_count(1)
    undo(page, "2 faces are a new person now")
    expect(faces).to_have_count(3)

    faces.nth(2).click()
    chosen = faces.nth(2).get_by_role("presentation").get_attribute("src") or ""
    page.get_by_role("button", name="Use as picture").click()
    face_id = chosen.split("/faces/")[1].split("?")[0]
    expect(page.locator(f'header img[src*="{face_id}"]')).to_be_visible()


def test_several_people_are_merged_or_hidden_at_once(visit: Visit, site: Site, known: KnownPersons) -> None:
    visitor = visit(known.owner)
    page = visitor.go("/people?everyone=1")
    for person in (known[LEFT], known[RIGHT]):
        tile(page, person).hover()
        tile(page, person).get_by_role("checkbox").click()
    expect(page.get_by_role("toolbar", name="2 people")).to_be_visible()
    is_free_of_barriers(visitor)
    page.get_by_role("button", name="Hide").click()
    expect(tile(page, known[LEFT])).to_have_count(0)
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("menuitem", name="Show hidden people").click()
    expect(tile(page, known[LEFT])).to_contain_text("Hidden")
    undo(page, "2 people hidden")
    expect(tile(page, known[LEFT])).not_to_contain_text("Hidden")
    expect(tile(page, known[RIGHT])).not_to_contain_text("Hidden")
    for person in (known[LEFT], known[RIGHT]):
        tile(page, person).hover()
        tile(page, person).get_by_role("checkbox").click()
    page.get_by_role("button", name="Merge").click()
    expect(page.locator(f'[data-person="{known[LEFT]}"], [data-person="{known[RIGHT]}"]')).to_have_count(1)
    undo(page, "They are one person now")
    expect(page.locator(f'[data-person="{known[LEFT]}"], [data-person="{known[RIGHT]}"]')).to_have_count(2)


def test_a_merge_suggestion_is_shown_and_answered(visit: Visit, site: Site, known: KnownPersons) -> None:
    suggest(site, known, LEFT, RIGHT)
    visitor = visit(known.owner)
    page = visitor.go("/people?everyone=1")
    card = page.get_by_role("region", name="Is this the same person?")
    expect(card.get_by_role("link")).to_have_count(2)
    is_free_of_barriers(visitor)
    card.get_by_role("button", name="Yes").click()
    expect(card).to_have_count(0)
    expect(toast(page, "They are one person now")).to_be_visible()
    assert (
        read_person(site, known.owner, known[LEFT])["personId"]
        == read_person(site, known.owner, known[RIGHT])["personId"]
    )
    undo(page, "They are one person now")
    for person in (known[LEFT], known[RIGHT]):
        expect(tile(page, person)).to_be_visible()
    suggest(site, known, LEFT, RIGHT)
    page.reload()
    expect(card).to_be_visible()
    page.keyboard.press("n")
    expect(toast(page, "They stay two people")).to_be_visible()
    expect(card).to_have_count(0)
    assert read_person(site, known.owner, known[RIGHT])["personId"] == known[RIGHT]


def suggest(site: Site, known: KnownPersons, one: str, other: str) -> None:
    first, second = sorted((known[one], known[other]), key=lambda each: (len(each), each))
    asked = Suggestion(
        person_id=first,
        other_person_id=second,
        face_id=read_person(site, known.owner, first)["repFaceId"],
        other_face_id=read_person(site, known.owner, second)["repFaceId"],
        similarity=0.41,
    )
    replace_suggestions([asked], about=[first, second], table=site.stores.table)


# -- Oneself


def test_a_selfie_finds_oneself_and_the_photos_that_one_is_in(
    visit: Visit, site: Site, known: KnownPersons, tmp_path: Path
) -> None:
    visitor = visit(known.owner)
    visitor.expect_complaint("404")  # no person is linked to the user yet
    page = visitor.go("/with-me")
    expect(page.get_by_text("Sparks does not know yet which person you are")).to_be_visible()
    is_free_of_barriers(visitor)
    page.get_by_role("button", name="Take a selfie").click()
    expect(page.get_by_text("compared and not stored")).to_be_visible()
    is_free_of_barriers(visitor)
    page.locator("input[type=file]").set_input_files(
        drawn(tmp_path, "hills.jpg", taken=datetime(2024, 5, 1, 12, tzinfo=UTC))
    )
    expect(page.get_by_role("alert")).to_contain_text("No face was found")
    page.locator("input[type=file]").set_input_files(portraits(SELF)[0])
    match = page.get_by_role("dialog").get_by_role("listitem").filter(has_text="Very likely")
    expect(match).to_have_count(1)
    is_free_of_barriers(visitor)
    match.get_by_role("button", name="This is me").click()
    expect(page.locator("[data-photo]")).to_have_count(3)

    page.get_by_role("link", name="Your faces").click()
    page.wait_for_url(f"**/people/{known[SELF]}")
    expect(page.get_by_text("You", exact=True)).to_be_visible()
    page.get_by_role("group", name="With").locator("[aria-pressed]").first.click()
    page.wait_for_url(f"**/people/{known[SELF]}?with={known[MAIN]}")
    expect(page.locator("[data-photo]")).to_have_count(1)
    is_free_of_barriers(visitor)
    page.go_back()
    expect(page.locator("[data-photo]")).to_have_count(3)


def test_without_a_proof_an_administrator_has_to_confirm_who_one_is(
    visit: Visit, site: Site, known: KnownPersons
) -> None:
    visitor = visit(known.owner)
    page = visitor.go(f"/people/{known[ERASED]}")
    pick_action(page, "This is me")
    expect(toast(page, "An administrator has to confirm that this is you")).to_be_visible()
    expect(page.get_by_text("You said that this is you")).to_be_visible()
    pick_action(page, "This is not me")
    expect(page.get_by_text("You said that this is you")).to_have_count(0)


def test_a_face_is_erased_with_a_receipt(visit: Visit, site: Site, known: KnownPersons) -> None:
    mine = site.join("Frank", admin=True)
    images = site.upload(mine, *portraits(ERASED)[2:], visibility="private")
    site.settle(mine, images, faces=True)
    site.group_people(mine)
    visitor = visit(mine)
    visitor.expect_complaint("404")  # the person is not there any more
    page = visitor.go(f"/people/{known[ERASED]}")
    pick_action(page, "Forget this face")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("This cannot be undone")
    is_free_of_barriers(visitor)
    dialog.get_by_role("radio", name="Keep nothing at all").check()
    dialog.get_by_role("button", name="Forget this face").click()
    expect(dialog).to_contain_text("nothing is kept")
    expect(dialog.get_by_role("row", name="Faces 3 0", exact=True)).to_be_visible()
    is_free_of_barriers(visitor)
    dialog.get_by_role("button", name="Go to the people").click()
    page.wait_for_url("**/people")
    page.goto(f"{site.url}/people/{known[ERASED]}")
    expect(page.get_by_text("This person does not exist")).to_be_visible()


# -- Everywhere


def test_the_page_says_where_faces_are_switched_off(visit: Visit, site: Site) -> None:
    chief, nobody = site.join("Carol", admin=True), site.join()
    site.ask(chief, "PUT", "/api/admin/consent", json={"faces": False, "erase": False})
    try:
        visitor = visit(nobody)
        page = visitor.go("/people")
        expect(page.get_by_text("Face recognition is switched off here")).to_be_visible()
        is_free_of_barriers(visitor)
    finally:
        site.ask(chief, "PUT", "/api/admin/consent", json={"faces": True})


def test_people_are_named_on_a_phone(visit: Visit, site: Site, known: KnownPersons) -> None:
    visitor = visit(known.owner, size="phone")
    page = visitor.go("/people?everyone=1")
    tile(page, known[RIGHT]).get_by_role("button", name="Add a name").tap()
    page.keyboard.type("Jo")
    page.keyboard.press("Enter")
    expect(tile(page, known[RIGHT]).get_by_text("Jo")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.keyboard.press("Escape")
    undo(page, "Named Jo")
    expect(tile(page, known[RIGHT]).get_by_role("button", name="Add a name")).to_be_visible()
    is_free_of_barriers(visitor)
    tile(page, known[RIGHT]).get_by_role("link").first.tap()
    expect(page.locator("[data-photo]").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
