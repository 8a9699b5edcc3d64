"""Links from accounts to persons: proven at once, or claimed until an administrator confirms it."""

from pathlib import Path

import httpx
import pytest

from sparks.api.people.person_claim_routes import UNCONFIRMED
from sparks.faces.opencv_engine import OpenCvEngine
from sparks.library.accounts.person_claims import link_person
from sparks.library.accounts.users import get_user
from sparks.library.people.person_decisions import merge_persons
from sparks.media.sandboxed_renderer import SandboxedRenderer
from sparks.model.photo import Visibility
from sparks.people.selfie_proofs import INVALID_PROOF
from tests.api import portraits
from tests.api.client import Client, refusal
from tests.api.community import Community, Headers
from tests.api.portraits import BLAIR, HENMAN, selfie_of, show
from tests.factories import ANN, BOB
from tests.library.people.rows import met, photographed

PERSON, PROFILE, CLAIMS = "/api/me/person", "/api/me/profile", "/api/admin/claims"


@pytest.fixture
def sighted(tmp_path: Path, opencv_engine: OpenCvEngine, renderer: SandboxedRenderer) -> Community:
    return portraits.sighted(tmp_path, opencv_engine, renderer)


def claim(browser: Client, person_id: str, headers: Headers, proof: str | None = None) -> httpx.Response:
    body = {"personId": person_id} if proof is None else {"personId": person_id, "proof": proof}
    return browser.put(PERSON, json=body, headers=headers)


def proof_of(browser: Client, who: str, headers: Headers) -> str:
    result: dict[str, str] = browser.post("/api/selfie", content=selfie_of(who), headers=headers).json()
    return result["proof"]


def a_visible_person(community: Community, **changes: object) -> str:
    return met(community.table, photographed(community.table, **changes)).person_id


# -- With a proof


def test_a_selfie_links_the_account_to_its_person_at_once(sighted: Community, opencv_engine: OpenCvEngine) -> None:
    blair = show(sighted, opencv_engine, BLAIR)
    headers = sighted.session_of(sighted.ann)
    with sighted.browser() as browser:
        answer = claim(browser, blair, headers, proof_of(browser, BLAIR, headers))
        assert (answer.status_code, answer.json()) == (200, {"personId": blair})
        assert browser.get(PROFILE, headers=headers).json()["personId"] == blair


def test_a_proof_is_valid_for_one_face_one_account_and_ten_minutes(
    sighted: Community, opencv_engine: OpenCvEngine
) -> None:
    blair, henman = show(sighted, opencv_engine, BLAIR), show(sighted, opencv_engine, HENMAN)
    ann, bob = sighted.session_of(sighted.ann), sighted.session_of(sighted.bob)
    with sighted.browser() as browser:
        proof = proof_of(browser, BLAIR, ann)
        assert claim(browser, henman, ann, proof).status_code == 202
        for headers, altered in ((bob, proof), (ann, proof[:-1] + ("A" if proof[-1] != "A" else "B")), (ann, "x")):
            assert refusal(claim(browser, blair, headers, altered)) == (400, "BAD_INPUT", INVALID_PROOF)
        sighted.pass_time(minutes=10)
        assert refusal(claim(browser, blair, ann, proof)) == (400, "BAD_INPUT", INVALID_PROOF)


def test_a_proof_holds_after_the_person_was_merged(sighted: Community, opencv_engine: OpenCvEngine) -> None:
    blair, other = show(sighted, opencv_engine, BLAIR), show(sighted, opencv_engine, HENMAN)
    headers = sighted.session_of(sighted.ann)
    with sighted.browser() as browser:
        proof = proof_of(browser, BLAIR, headers)
        merge_persons(other, blair, who=BOB, at=sighted.at, table=sighted.table)
        answer = claim(browser, blair, headers, proof)
    assert (answer.status_code, answer.json()) == (200, {"personId": other})


def test_a_person_of_another_user_needs_the_confirmation_of_an_administrator(
    sighted: Community, opencv_engine: OpenCvEngine
) -> None:
    blair = show(sighted, opencv_engine, BLAIR)
    link_person(BOB, blair, table=sighted.table)
    headers = sighted.session_of(sighted.ann)
    with sighted.browser() as browser:
        answer = claim(browser, blair, headers, proof_of(browser, BLAIR, headers))
    assert (answer.status_code, answer.json()) == (202, {"claimedPersonId": blair, "message": UNCONFIRMED})


def test_the_profile_picture_proves_the_person_too(sighted: Community, opencv_engine: OpenCvEngine) -> None:
    headers = sighted.session_of(sighted.ann)
    with sighted.browser() as browser:
        put = browser.put("/api/me/profile-picture", content=selfie_of(BLAIR), headers=headers).json()
        assert "personId" not in put
        blair, henman = show(sighted, opencv_engine, BLAIR), show(sighted, opencv_engine, HENMAN)
        assert claim(browser, henman, headers).status_code == 202
        answer = claim(browser, blair, headers)
    assert (answer.status_code, answer.json()) == (200, {"personId": blair})


# -- Without a proof


def test_an_unconfirmed_claim_changes_nothing(community: Community, browser: Client, ann: Headers) -> None:
    person_id = a_visible_person(community)
    answer = claim(browser, person_id, ann)
    assert (answer.status_code, answer.json()) == (202, {"claimedPersonId": person_id, "message": UNCONFIRMED})
    result = browser.get(PROFILE, headers=ann).json()
    assert result["claimedPersonId"] == person_id
    assert "personId" not in result


def test_an_administrator_needs_no_confirmation(community: Community, browser: Client) -> None:
    person_id = a_visible_person(community)
    answer = claim(browser, person_id, community.session_of(community.carol))
    assert (answer.status_code, answer.json()) == (200, {"personId": person_id})


def test_repeating_a_confirmed_link_makes_no_claim(community: Community, browser: Client, ann: Headers) -> None:
    person_id = a_visible_person(community)
    link_person(ANN, person_id, table=community.table)
    answer = claim(browser, person_id, ann)
    assert (answer.status_code, answer.json()) == (200, {"personId": person_id})


def test_a_person_whom_the_user_does_not_see_cannot_be_claimed(
    community: Community, browser: Client, ann: Headers
) -> None:
    private = a_visible_person(community, owner=BOB, visibility=Visibility.PRIVATE)
    answers = [refusal(claim(browser, person_id, ann)) for person_id in (private, "person999")]
    assert answers[0] == answers[1]
    assert answers[0][0] == 404


def test_a_user_removes_the_link_to_their_person(community: Community, browser: Client, ann: Headers) -> None:
    one, other = a_visible_person(community), a_visible_person(community)
    link_person(ANN, one, table=community.table)
    claim(browser, other, ann)
    assert browser.delete(PERSON, headers=ann).status_code == 204
    user = get_user(ANN, table=community.table)
    assert (user.person_id, user.claimed_person_id) == (None, None)


# -- Administrators


def test_administrators_list_the_claims(community: Community, browser: Client, ann: Headers) -> None:
    person_id = a_visible_person(community)
    claim(browser, person_id, ann)
    [result] = browser.get(CLAIMS, headers=community.session_of(community.carol)).json()["claims"]
    assert (result["email"], result["claimedPersonId"], result["person"]["photoCount"]) == (ANN, person_id, 1)


def test_of_a_claimed_person_in_private_photos_administrators_see_only_the_id(
    community: Community, browser: Client, ann: Headers
) -> None:
    person_id = a_visible_person(community, visibility=Visibility.PRIVATE)
    claim(browser, person_id, ann)
    [result] = browser.get(CLAIMS, headers=community.session_of(community.carol)).json()["claims"]
    assert result["claimedPersonId"] == person_id
    assert "person" not in result


@pytest.mark.parametrize("confirm", [True, False])
def test_a_decided_claim_leaves_the_list(community: Community, browser: Client, ann: Headers, *, confirm: bool) -> None:
    person_id = a_visible_person(community)
    claim(browser, person_id, ann)
    carol = community.session_of(community.carol)
    body = {"confirm": confirm, "personId": person_id}
    result = browser.post(f"{CLAIMS}/{ANN}", json=body, headers=carol).json()
    assert result.get("personId") == (person_id if confirm else None)
    assert browser.get(CLAIMS, headers=carol).json() == {"claims": [], "hasMore": False}
    assert (
        browser.post(f"{CLAIMS}/{ANN}", json={"confirm": True, "personId": person_id}, headers=carol).status_code == 404
    )
    trail = browser.get("/api/admin/audit", headers=carol).json()["entries"]
    settled = "claim-confirmed" if confirm else "claim-refused"
    assert [entry["action"] for entry in trail if "claim" in entry["action"]] == [settled, "person-claimed"]


def test_a_claim_that_has_changed_is_not_confirmed(community: Community, browser: Client, ann: Headers) -> None:
    one, other = a_visible_person(community), a_visible_person(community)
    claim(browser, one, ann)
    claim(browser, other, ann)
    body = {"confirm": True, "personId": one}
    answer = browser.post(f"{CLAIMS}/{ANN}", json=body, headers=community.session_of(community.carol))
    assert (answer.status_code, answer.json()["error"]) == (409, "CONFLICT")
    assert get_user(ANN, table=community.table).claimed_person_id == other
