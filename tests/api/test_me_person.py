"""Who one is in the photos: shown at once, or claimed until an administrator confirms it."""

from pathlib import Path

import httpx
import pytest

from sparks.api.me_person import WAITS
from sparks.faces.booth import Booth
from sparks.library.accounts import become_person, get_user
from sparks.library.people import merge_persons
from sparks.media.studio import Studio
from sparks.model.photo import Visibility
from sparks.people.proofs import NOT_GOOD
from tests.api import portraits
from tests.api.client import Client, refusal
from tests.api.community import Community, Headers
from tests.api.portraits import BLAIR, HENMAN, selfie_of, show
from tests.factories import ANN, BOB
from tests.library.people.rows import met, photographed

PERSON, PROFILE, CLAIMS = "/api/me/person", "/api/me/profile", "/api/admin/claims"


@pytest.fixture
def sighted(tmp_path: Path, booth: Booth, studio: Studio) -> Community:
    return portraits.sighted(tmp_path, booth, studio)


def claim(browser: Client, person_id: str, headers: Headers, proof: str | None = None) -> httpx.Response:
    wish = {"personId": person_id} if proof is None else {"personId": person_id, "proof": proof}
    return browser.put(PERSON, json=wish, headers=headers)


def proof_of(browser: Client, who: str, headers: Headers) -> str:
    told: dict[str, str] = browser.post("/api/selfie", content=selfie_of(who), headers=headers).json()
    return told["proof"]


def somebody(community: Community, **changes: object) -> str:
    return met(community.table, photographed(community.table, **changes)).person_id


# -- With a proof


def test_a_selfie_makes_somebody_that_person_at_once(sighted: Community, booth: Booth) -> None:
    blair = show(sighted, booth, BLAIR)
    headers = sighted.session_of(sighted.ann)
    with sighted.browser() as browser:
        answer = claim(browser, blair, headers, proof_of(browser, BLAIR, headers))
        assert (answer.status_code, answer.json()) == (200, {"personId": blair})
        assert browser.get(PROFILE, headers=headers).json()["personId"] == blair


def test_a_proof_is_about_one_face_one_account_and_ten_minutes(sighted: Community, booth: Booth) -> None:
    blair, henman = show(sighted, booth, BLAIR), show(sighted, booth, HENMAN)
    ann, bob = sighted.session_of(sighted.ann), sighted.session_of(sighted.bob)
    with sighted.browser() as browser:
        proof = proof_of(browser, BLAIR, ann)
        assert claim(browser, henman, ann, proof).status_code == 202
        for headers, altered in ((bob, proof), (ann, proof[:-1] + ("A" if proof[-1] != "A" else "B")), (ann, "x")):
            assert refusal(claim(browser, blair, headers, altered)) == (400, "BAD_INPUT", NOT_GOOD)
        sighted.pass_time(minutes=10)
        assert refusal(claim(browser, blair, ann, proof)) == (400, "BAD_INPUT", NOT_GOOD)


def test_a_proof_holds_for_whom_the_person_was_merged_into(sighted: Community, booth: Booth) -> None:
    blair, other = show(sighted, booth, BLAIR), show(sighted, booth, HENMAN)
    headers = sighted.session_of(sighted.ann)
    with sighted.browser() as browser:
        proof = proof_of(browser, BLAIR, headers)
        merge_persons(other, blair, who=BOB, at=sighted.at, table=sighted.table)
        answer = claim(browser, blair, headers, proof)
    assert (answer.status_code, answer.json()) == (200, {"personId": other})


def test_where_another_user_is_that_person_an_administrator_has_to_tell(sighted: Community, booth: Booth) -> None:
    blair = show(sighted, booth, BLAIR)
    become_person(BOB, blair, table=sighted.table)
    headers = sighted.session_of(sighted.ann)
    with sighted.browser() as browser:
        answer = claim(browser, blair, headers, proof_of(browser, BLAIR, headers))
    assert (answer.status_code, answer.json()) == (202, {"claimedPersonId": blair, "message": WAITS})


def test_the_profile_picture_is_a_proof_too(sighted: Community, booth: Booth) -> None:
    headers = sighted.session_of(sighted.ann)
    with sighted.browser() as browser:
        put = browser.put("/api/me/profile-picture", content=selfie_of(BLAIR), headers=headers).json()
        assert "personId" not in put
        blair, henman = show(sighted, booth, BLAIR), show(sighted, booth, HENMAN)
        assert claim(browser, henman, headers).status_code == 202
        answer = claim(browser, blair, headers)
    assert (answer.status_code, answer.json()) == (200, {"personId": blair})


# -- Without one


def test_a_claim_waits_and_changes_nothing_until_then(community: Community, browser: Client, ann: Headers) -> None:
    person_id = somebody(community)
    answer = claim(browser, person_id, ann)
    assert (answer.status_code, answer.json()) == (202, {"claimedPersonId": person_id, "message": WAITS})
    told = browser.get(PROFILE, headers=ann).json()
    assert told["claimedPersonId"] == person_id
    assert "personId" not in told


def test_an_administrator_is_believed(community: Community, browser: Client) -> None:
    person_id = somebody(community)
    answer = claim(browser, person_id, community.session_of(community.carol))
    assert (answer.status_code, answer.json()) == (200, {"personId": person_id})


def test_saying_it_again_is_no_new_claim(community: Community, browser: Client, ann: Headers) -> None:
    person_id = somebody(community)
    become_person(ANN, person_id, table=community.table)
    answer = claim(browser, person_id, ann)
    assert (answer.status_code, answer.json()) == (200, {"personId": person_id})


def test_nobody_claims_to_be_whom_they_do_not_see(community: Community, browser: Client, ann: Headers) -> None:
    private = somebody(community, owner=BOB, visibility=Visibility.PRIVATE)
    answers = [refusal(claim(browser, person_id, ann)) for person_id in (private, "person999")]
    assert answers[0] == answers[1]
    assert answers[0][0] == 404


def test_one_may_be_nobody_again(community: Community, browser: Client, ann: Headers) -> None:
    one, other = somebody(community), somebody(community)
    become_person(ANN, one, table=community.table)
    claim(browser, other, ann)
    assert browser.delete(PERSON, headers=ann).status_code == 204
    user = get_user(ANN, table=community.table)
    assert (user.person_id, user.claimed_person_id) == (None, None)


# -- What administrators do


def test_administrators_see_who_claims_to_be_whom(community: Community, browser: Client, ann: Headers) -> None:
    person_id = somebody(community)
    claim(browser, person_id, ann)
    [told] = browser.get(CLAIMS, headers=community.session_of(community.carol)).json()["claims"]
    assert (told["email"], told["claimedPersonId"], told["person"]["photoCount"]) == (ANN, person_id, 1)


def test_of_a_person_in_private_photos_administrators_see_no_more_than_the_id(
    community: Community, browser: Client, ann: Headers
) -> None:
    person_id = somebody(community, visibility=Visibility.PRIVATE)
    claim(browser, person_id, ann)
    [told] = browser.get(CLAIMS, headers=community.session_of(community.carol)).json()["claims"]
    assert told["claimedPersonId"] == person_id
    assert "person" not in told


@pytest.mark.parametrize("confirm", [True, False])
def test_a_claim_is_confirmed_or_refused_and_then_gone(
    community: Community, browser: Client, ann: Headers, *, confirm: bool
) -> None:
    person_id = somebody(community)
    claim(browser, person_id, ann)
    carol = community.session_of(community.carol)
    wish = {"confirm": confirm, "personId": person_id}
    told = browser.post(f"{CLAIMS}/{ANN}", json=wish, headers=carol).json()
    assert told.get("personId") == (person_id if confirm else None)
    assert browser.get(CLAIMS, headers=carol).json() == {"claims": []}
    assert (
        browser.post(f"{CLAIMS}/{ANN}", json={"confirm": True, "personId": person_id}, headers=carol).status_code == 404
    )
    trail = browser.get("/api/admin/audit", headers=carol).json()["entries"]
    settled = "claim-confirmed" if confirm else "claim-refused"
    assert [entry["action"] for entry in trail if "claim" in entry["action"]] == [settled, "person-claimed"]


def test_a_claim_that_is_another_by_now_is_not_confirmed(community: Community, browser: Client, ann: Headers) -> None:
    one, other = somebody(community), somebody(community)
    claim(browser, one, ann)
    claim(browser, other, ann)
    wish = {"confirm": True, "personId": one}
    answer = browser.post(f"{CLAIMS}/{ANN}", json=wish, headers=community.session_of(community.carol))
    assert (answer.status_code, answer.json()["error"]) == (409, "CONFLICT")
    assert get_user(ANN, table=community.table).claimed_person_id == other
