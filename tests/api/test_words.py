"""The web app has words for whatever the server names: errors of the provider, deeds, scopes."""

import re
from pathlib import Path
from typing import Final

import pytest

from sparks.api.oidc import CODES, SIGN_IN_PAGE
from sparks.api.web import PLACES
from sparks.library.audit import Deed
from sparks.model.credential import KeyScope

LIB: Final = Path(__file__).parents[2] / "frontend" / "src" / "lib"
LANGUAGES: Final = ("en", "de", "fr", "es")


def source(path: str) -> str:
    return (LIB / path).read_text("utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sign_in_page_has_a_sentence_for_every_error_of_the_provider(language: str) -> None:
    assert SIGN_IN_PAGE.strip("/") in PLACES
    known, words = source("doors/failures.ts"), source(f"i18n/account/{language}.ts")
    assert [code for code in CODES.values() if f"{code}: 'doors.provider.{code}'" not in known] == []
    assert [code for code in CODES.values() if not re.search(rf"^ +{code}:\s", words, re.MULTILINE)] == []


def test_the_audit_trail_has_words_for_every_deed() -> None:
    deeds = source("admin/deeds.ts")
    assert [deed for deed in Deed if f"  '{deed}': 'admin.deeds." not in deeds] == []


def test_every_scope_of_a_key_can_be_chosen() -> None:
    assert f"[{', '.join(repr(scope.value) for scope in KeyScope)}]" in source("profile/scopes.ts")
