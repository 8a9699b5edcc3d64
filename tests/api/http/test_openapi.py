"""The OpenAPI document: complete, and fit to generate a client from."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from fastapi.routing import APIRoute
from starlette.routing import Route

from sparks.api.http.authentication import action_of
from sparks.api.http.openapi import ALWAYS, AUTHENTICATED, ERRORS, TAGS
from sparks.model.access import RULES, Action
from tests.api.community import Community

STABLE_NAMES = {  # the web app calls these
    "readAbout",
    "createAdministrator",
    "createAccount",
    "createSession",
    "deleteSession",
    "readProfile",
    "changeProfile",
    "readLimit",
    "changePassword",
    "readSessions",
    "endSession",
    "endOtherSessions",
    "readKeys",
    "createKey",
    "deleteKey",
    "readUsers",
    "readUser",
    "createUser",
    "changeUser",
    "removeUser",
    "readRemoval",
    "readInvitations",
    "createInvitation",
    "deleteInvitation",
    "readAudit",
    "readOriginal",
    "editPhoto",
    "retryPhoto",
    "deletePhoto",
    "deleteOwnPhoto",
    "changePhotos",
    "trashPhotos",
    "restorePhotos",
    "deletePhotos",
    "emptyTrash",
    "readFeed",
    "readPhoto",
    "readOwnPhotos",
    "readPhotosOf",
    "readFavorites",
    "readTrash",
    "setFavorite",
    "unsetFavorite",
    "createUpload",
    "readUpload",
    "deleteUpload",
    "signParts",
    "completeUpload",
    "postPhoto",
    "readTimeline",
    "readRatios",
    "readMonth",
    "readPersons",
    "readPerson",
    "readPhotosOfPerson",
    "readFacesOfPerson",
    "readPersonsInPhoto",
    "findBySelfie",
    "setProfilePicture",
    "deleteProfilePicture",
    "readProfilePicture",
    "setOwnPerson",
    "deleteOwnPerson",
    "readClaims",
    "settleClaim",
    "readJobs",
    "retryJobs",
    "dropJobs",
    "readStorage",
    "rebuildPersons",
    "readRebuild",
    "readPhotosWithMe",
    "changePerson",
    "mergePerson",
    "splitPerson",
    "rejectFaces",
    "choosePicture",
    "assignFace",
    "drawFace",
    "readDecisions",
    "undoDecision",
    "readSuggestions",
    "answerSuggestion",
}


class Operation(NamedTuple):
    method: str
    path: str
    result: dict[str, Any]
    action: Action


@pytest.fixture(scope="module")
def community(tmp_path_factory: pytest.TempPathFactory) -> Community:
    return Community(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def document(community: Community) -> dict[str, Any]:
    with community.browser() as browser:
        result: dict[str, Any] = browser.get("/openapi.json").json()
    return result


@pytest.fixture(scope="module")
def operations(community: Community, document: dict[str, Any]) -> list[Operation]:
    actions = {
        (method, route.path_format): action_of(route) or Action.VISIT
        for route in community.app.router.routes
        if isinstance(route, APIRoute)
        for method in route.methods or ()
    }
    return [
        Operation(method.upper(), path, result, actions[method.upper(), path])
        for path, item in document["paths"].items()
        for method, result in item.items()
    ]


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from ([value["$ref"]] if "$ref" in value else [])
        for each in value.values():
            yield from references(each)
    elif isinstance(value, list):
        for each in value:
            yield from references(each)


def test_every_route_of_the_api_is_in_the_document(community: Community, document: dict[str, Any]) -> None:
    """The others are pages, and URLs that only Sparks makes."""
    routes = [route for route in community.app.router.routes if isinstance(route, Route)]
    known = {(method.upper(), path) for path, item in document["paths"].items() for method in item}
    missing = {(method, route.path_format) for route in routes for method in route.methods or ()} - known
    assert {place for place in missing if place[1].startswith("/api/") and place[0] != "HEAD"} == set()


def test_every_operation_documents_the_errors_of_every_route(operations: list[Operation]) -> None:
    for operation in operations:
        assert {*map(str, ALWAYS)} <= operation.result["responses"].keys(), operation.path


def test_every_authenticated_operation_documents_the_errors_of_authentication(operations: list[Operation]) -> None:
    for operation in operations:
        if operation.action is not Action.VISIT:
            assert {*map(str, AUTHENTICATED)} <= operation.result["responses"].keys(), operation.path


def test_every_operation_with_an_id_documents_not_found(operations: list[Operation]) -> None:
    assert all("404" in operation.result["responses"] for operation in operations if "{" in operation.path)


def test_every_error_has_the_one_form_and_a_description(operations: list[Operation]) -> None:
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorResponse"}}}
    for operation in operations:
        for status, answer in operation.result["responses"].items():
            if int(status) in ERRORS and operation.path != "/readyz":
                assert answer["content"] == error, (operation.path, status)
                assert answer["description"] == ERRORS[int(status)]


def test_temporary_errors_document_retry_after(operations: list[Operation]) -> None:
    for operation in operations:
        for status, header in (("401", "WWW-Authenticate"), ("429", "Retry-After")):
            if status in operation.result["responses"]:
                assert operation.result["responses"][status]["headers"][header]["required"] is True


def test_every_successful_response_documents_its_content(operations: list[Operation]) -> None:
    for operation in operations:
        success = {status: result for status, result in operation.result["responses"].items() if status < "400"}
        assert success, operation.path
        for status, result in success.items():
            assert status == "204" or status >= "300" or result["content"], (operation.path, status)


def test_operation_ids_are_method_names_and_stay_the_same(operations: list[Operation]) -> None:
    names = [operation.result["operationId"] for operation in operations]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch("[a-z]+([A-Z][a-z]+)*", name) for name in names)
    assert set(names) >= STABLE_NAMES


def test_every_operation_has_a_description(operations: list[Operation]) -> None:
    for operation in operations:
        assert operation.result["summary"]
        assert operation.result["description"].endswith("."), operation.path


def test_every_tag_is_described(document: dict[str, Any], operations: list[Operation]) -> None:
    used = {tag for operation in operations for tag in operation.result["tags"]}
    assert used <= TAGS.keys(), "describe the new tag in sparks/api/document.py"
    assert {tag["name"]: tag["description"] for tag in document["tags"]} == {tag: TAGS[tag] for tag in used}


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    schemas = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
    assert set(references(document["paths"])) <= schemas


def test_every_request_body_forbids_unknown_fields(document: dict[str, Any]) -> None:
    for item in document["paths"].values():
        for result in item.values():
            for reference in references(result.get("requestBody", {})):
                schema = document["components"]["schemas"][reference.rpartition("/")[2]]
                assert schema["additionalProperties"] is False, reference


def test_names_are_in_camel_case(document: dict[str, Any], operations: list[Operation]) -> None:
    names = {name for schema in document["components"]["schemas"].values() for name in schema.get("properties", ())}
    names |= {each["name"] for operation in operations for each in operation.result.get("parameters", ())}
    others = {name for name in names if not re.fullmatch("[a-z]+([A-Z][a-z]+)*", name)}
    images = {"s3Key", "uploaded_datetime"}  # the names that an image has had all along
    boxes = {"Left", "Top", "Width", "Height"}  # and the box of a face
    assert others == images | boxes | {"sha256", "Idempotency-Key", "Last-Event-ID"}


# -- Security


def test_public_operations_need_no_credential(operations: list[Operation]) -> None:
    for operation in operations:
        assert ("security" in operation.result) == (operation.action is not Action.VISIT), operation.path


def test_every_operation_documents_its_credentials(operations: list[Operation]) -> None:
    for operation in operations:
        if operation.action is not Action.VISIT:
            ways = {name: roles for way in operation.result["security"] for name, roles in way.items()}
            rule = RULES[operation.action]
            assert ("csrf" in ways) == (operation.method != "GET")
            assert ways.get("key") == (None if rule.scope is None else [rule.scope.value])
            assert ways.get("guest") == (sorted(rule.guests) or None)
            assert ("guestCookie" in ways) == bool(rule.guests)
            assert ways.get("session") == ((["admin"] if rule.administrators else []) if rule.members else None)
            assert ways.get("token") == (None if rule.scope is None else ways["session"])


def test_the_csrf_header_is_required_with_cookies_only(operations: list[Operation]) -> None:
    for operation in operations:
        ways = operation.result.get("security", [])
        assert all({"session", "guestCookie"} & way.keys() for way in ways if "csrf" in way)


def test_every_kind_of_credential_is_described(document: dict[str, Any], operations: list[Operation]) -> None:
    schemes = document["components"]["securitySchemes"]
    used = {name for operation in operations for way in operation.result.get("security", ()) for name in way}
    assert used == schemes.keys()
    assert all(scheme["description"] for scheme in schemes.values())
    assert (schemes["key"]["scheme"], schemes["key"]["bearerFormat"]) == ("bearer", "sk_{id}.{random}")


@pytest.mark.parametrize(
    ("public_url", "name"),
    [("http://127.0.0.1:8000", "sparks_session"), ("https://photos.example.org", "__Host-sparks")],
)
def test_the_cookie_has_its_real_name(tmp_path: Path, public_url: str, name: str) -> None:
    with Community(tmp_path, public_url=public_url).browser() as browser:
        session = browser.get("/openapi.json").json()["components"]["securitySchemes"]["session"]
    assert (session["type"], session["in"], session["name"]) == ("apiKey", "cookie", name)


def test_responses_that_open_a_session_document_the_cookie(document: dict[str, Any]) -> None:
    setting = {
        result["operationId"]
        for item in document["paths"].values()
        for result in item.values()
        for answer in result["responses"].values()
        if "Set-Cookie" in answer.get("headers", {})
    }
    assert {"createSession", "createAdministrator", "createAccount", "changePassword"} <= setting


def test_the_document_is_the_same_every_time(community: Community, document: dict[str, Any]) -> None:
    with community.browser() as browser:
        assert browser.get("/openapi.json").json() == document


def test_every_documented_route_declares_its_action(community: Community) -> None:
    documented = [route for route in community.app.router.routes if isinstance(route, APIRoute)]
    assert all(action_of(route) in RULES for route in documented)
