"""Links between the documents lead somewhere."""

import re
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "frontend" / "README.md"])
_BLOCK: Final = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_LINK: Final = re.compile(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)")
_HEADING: Final = re.compile(r"^#+ (.+)$", re.MULTILINE)


def prose(page: Path) -> str:
    return _BLOCK.sub("", page.read_text())


def anchors(page: Path) -> set[str]:
    """The headings as GitHub turns them into anchors."""
    headings = _HEADING.findall(prose(page))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def is_there(page: Path, target: str, anchor: str) -> bool:
    found = (page.parent / target).resolve() if target else page
    return found.exists() and (not anchor or anchor in anchors(found))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_document_leads_to_a_file_and_a_heading(page: Path) -> None:
    links = _LINK.findall(prose(page))
    broken = [f"{target}#{anchor}" for target, anchor in links if not is_there(page, target, anchor)]
    assert broken == []
