"""Responses to errors."""

import re

import pytest
from fastapi import FastAPI, HTTPException

from sparks.api.http.errors import NO_ROUTE, STATUS
from sparks.model import errors
from tests.api.client import Client

ERRORS = [
    (errors.BadInput("no"), 400, "BAD_INPUT"),
    (errors.TooLarge("no"), 413, "TOO_LARGE"),
    (errors.UnsupportedType("no"), 415, "UNSUPPORTED_TYPE"),
    (errors.BadSignature("no"), 403, "BAD_SIGNATURE"),
    (errors.BadCursor("no"), 400, "BAD_CURSOR"),
    (errors.NotSignedIn("no"), 401, "NOT_SIGNED_IN"),
    (errors.NotAllowed("no"), 403, "NOT_ALLOWED"),
    (errors.TooManyTries("no", retry_after=7), 429, "TOO_MANY_TRIES"),
    (errors.NotFound("no"), 404, "NOT_FOUND"),
    (errors.Conflict("no"), 409, "CONFLICT"),
    (errors.ConditionFailed(0, None), 409, "CONDITION_FAILED"),
    (errors.AlreadyThere("no"), 409, "ALREADY_THERE"),
    (errors.Damaged("no"), 422, "DAMAGED"),
    (errors.Busy("no"), 503, "BUSY"),
    (errors.Unavailable("no"), 503, "UNAVAILABLE"),
    (errors.StorageFull("no"), 507, "STORAGE_FULL"),
]


def raising(app: FastAPI, error: Exception) -> None:
    @app.get("/raise")
    def fail() -> None:
        raise error


@pytest.mark.parametrize(("error", "status", "code"), ERRORS)
def test_an_error_of_the_tree_has_its_status_and_code(
    app: FastAPI, client: Client, error: Exception, status: int, code: str
) -> None:
    raising(app, error)
    answer = client.get("/raise", headers={"X-Request-Id": "r1"})
    assert answer.status_code == status
    assert answer.json() == {"error": code, "message": str(error), "requestId": "r1"}


def test_every_status_in_the_table_has_a_test() -> None:
    assert {type(error) for error, _, _ in ERRORS} >= set(STATUS)


def test_a_temporary_error_has_retry_after(app: FastAPI, client: Client) -> None:
    raising(app, errors.Busy("too much at once"))
    assert int(client.get("/raise").headers["Retry-After"]) > 0


def test_too_many_tries_have_retry_after(app: FastAPI, client: Client) -> None:
    raising(app, errors.TooManyTries("wrong too often", retry_after=7))
    assert client.get("/raise").headers["Retry-After"] == "7"


def test_a_reached_upload_limit_has_fields_with_what_is_left(app: FastAPI, client: Client) -> None:
    raising(app, errors.UploadLimitReached("ask for more", photos_left=2, bytes_left=30))
    answer = client.get("/raise", headers={"X-Request-Id": "r1"})
    assert answer.status_code == 403
    assert answer.json() == {
        "error": "UPLOAD_LIMIT_REACHED",
        "message": "ask for more",
        "requestId": "r1",
        "photosLeft": 2,
        "bytesLeft": 30,
    }


def test_a_version_mismatch_has_the_current_version(app: FastAPI, client: Client) -> None:
    raising(app, errors.VersionMismatch("look again", current_version=4))
    answer = client.get("/raise")
    assert (answer.status_code, answer.json()["error"], answer.json()["currentVersion"]) == (409, "VERSION_MISMATCH", 4)


def test_not_signed_in_has_www_authenticate(app: FastAPI, client: Client) -> None:
    raising(app, errors.NotSignedIn("sign in first"))
    assert client.get("/raise").headers["WWW-Authenticate"] == 'Bearer realm="Sparks"'


@pytest.mark.parametrize("error", [RuntimeError("the password is swordfish"), errors.BadSetting("swordfish")])
def test_an_unexpected_error_is_logged_and_the_caller_gets_only_its_id(
    app: FastAPI, client: Client, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    raising(app, error)
    answer = client.get("/raise", headers={"X-Request-Id": "r1"})
    assert answer.status_code == 500
    assert (answer.json()["error"], answer.json()["requestId"]) == ("INTERNAL", "r1")
    assert answer.headers["X-Request-Id"] == "r1"
    assert "swordfish" not in answer.text
    assert "swordfish" in caplog.text
    assert "Traceback" in caplog.text


def test_an_unknown_path_is_not_found_in_the_same_form(client: Client) -> None:
    answer = client.get("/nowhere", headers={"X-Request-Id": "r1"})
    assert answer.status_code == 404
    assert answer.json() == {"error": "NOT_FOUND", "message": NO_ROUTE, "requestId": "r1"}
    assert "/openapi.json" in NO_ROUTE


def test_an_unsupported_method_is_refused_with_those_that_are_allowed(client: Client) -> None:
    answer = client.request("POST", "/healthz")
    assert (answer.status_code, answer.json()["error"]) == (405, "METHOD_NOT_ALLOWED")
    assert set(answer.headers["Allow"].split(", ")) == {"GET", "HEAD"}


def test_all_methods_that_a_path_has_are_allowed(client: Client) -> None:
    answer = client.request("PUT", "/api/users/ann@example.com")
    assert answer.status_code == 405
    assert answer.headers["Allow"] == "DELETE, GET, PATCH"


def test_an_invalid_request_names_its_faults(app: FastAPI, client: Client) -> None:
    @app.get("/count")
    def count(most: int) -> int:
        return most

    answer = client.get("/count?most=many")
    assert (answer.status_code, answer.json()["error"]) == (422, "INVALID_REQUEST")
    assert "query.most" in answer.json()["message"]
    assert re.fullmatch("[0-9a-f]{32}", answer.json()["requestId"])


def test_an_error_of_the_framework_keeps_its_message_and_headers(app: FastAPI, client: Client) -> None:
    raising(app, HTTPException(401, "who are you?", headers={"WWW-Authenticate": "Bearer"}))
    answer = client.get("/raise")
    assert (answer.status_code, answer.json()["error"]) == (401, "UNAUTHORIZED")
    assert answer.json()["message"] == "who are you?"
    assert answer.headers["WWW-Authenticate"] == "Bearer"
