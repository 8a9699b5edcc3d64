"""The web app has messages for the errors, audit actions and scopes of the server."""

import re
from pathlib import Path
from typing import Final

import pytest

from sparks.api.accounts.oidc_routes import CODES, SIGN_IN_PAGE
from sparks.api.web import APP_PATHS
from sparks.library.audit import AuditAction
from sparks.model.credential import KeyScope

LIB: Final = Path(__file__).parents[3] / "frontend" / "src" / "lib"
LANGUAGES: Final = ("en", "de", "fr", "es")


def source(path: str) -> str:
    return (LIB / path).read_text("utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sign_in_page_has_a_sentence_for_every_error_of_the_provider(language: str) -> None:
    assert SIGN_IN_PAGE.strip("/") in APP_PATHS
    known, words = source("auth/authErrors.ts"), source(f"i18n/account/{language}.ts")
    assert [code for code in CODES.values() if f"{code}: 'auth.provider.{code}'" not in known] == []
    assert [code for code in CODES.values() if not re.search(rf"^ +{code}:\s", words, re.MULTILINE)] == []


def test_the_audit_log_has_a_message_for_every_action() -> None:
    entries = source("admin/auditEntries.ts")
    assert [action for action in AuditAction if f"  '{action}': 'admin.auditActions." not in entries] == []


def test_every_scope_of_a_key_can_be_chosen() -> None:
    assert f"[{', '.join(repr(scope.value) for scope in KeyScope)}]" in source("profile/NewApiKeyDialog.svelte")
