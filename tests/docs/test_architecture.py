"""docs/architecture.md leads a reader through files that exist, each reached from those before it."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

REPOSITORY: Final = Path(__file__).parents[2]
SOURCE: Final = REPOSITORY / "src" / "sparks"
DOCS: Final = REPOSITORY / "docs"
JOURNEY: Final = "journey.py"
# The most files of each flow: a flow may get shorter, not longer.
MOST_FILES: Final = {
    "Upload a photo": 9,
    "Read a page of the feed": 7,
    "Name a person": 10,
    "A guest opens a link and uploads": 15,
    "Delete a photo": 9,
}
PAGES: Final = [DOCS / "architecture.md", DOCS / "data-model.md", DOCS / "glossary.md", *sorted(DOCS.glob("adr/*.md"))]

_FILE: Final = re.compile(r"`((?:[\w-]+/)*[\w.-]+\.(?:py|ts|js|svelte))`")
_STOP: Final = re.compile(r"^\d+\. `([\w./-]+)`", re.MULTILINE)


def flows() -> dict[str, list[str]]:
    """The files of each flow, in order."""
    part = (DOCS / "architecture.md").read_text().partition("\n## Five flows\n")[2]
    sections = (section.partition("\n") for section in part.split("\n### ")[1:])
    return {title: _STOP.findall(text) for title, _, text in sections}


def imported_names(path: str) -> Iterator[str]:
    for node in ast.walk(ast.parse((SOURCE / path).read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def imports_of(path: str) -> frozenset[str]:
    """The files that a file imports directly, packages by their `__init__`."""
    names = {name.partition(".")[2] for name in imported_names(path) if name.startswith("sparks.")}
    files = {found for name in names for found in (f"{name.replace('.', '/')}{end}" for end in (".py", "/__init__.py"))}
    return frozenset(file for file in files if (SOURCE / file).is_file())


@cache
def reached_from(path: str) -> frozenset[str]:
    """The files that a file imports, directly or indirectly."""
    found, left = set[str](), [path]
    while left:
        new = imports_of(left.pop()) - found
        found |= new
        left += new
    return frozenset(found)


def receives_requests(path: str) -> bool:
    return path.startswith("api/") and path.endswith("routes.py")


def test_the_page_has_the_five_flows_and_none_has_grown() -> None:
    told = flows()
    assert told.keys() == MOST_FILES.keys()
    assert all(2 <= len(files) <= MOST_FILES[title] for title, files in told.items())
    assert all(len(set(files)) == len(files) for files in told.values())


@pytest.mark.parametrize("title", MOST_FILES)
def test_each_file_of_a_flow_exists_and_is_reached_from_those_before_it(title: str) -> None:
    files = flows()[title]
    assert [file for file in files if not (SOURCE / file).is_file()] == []
    for number, file in enumerate(files[1:], 1):
        reached = any(file in reached_from(earlier) for earlier in files[:number])
        assert reached or file in imports_of(JOURNEY) or receives_requests(file), f"nothing before it leads to {file}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_file_that_a_page_names_exists(page: Path) -> None:
    named = set(_FILE.findall(page.read_text()))
    assert sorted(file for file in named if not any((root / file).is_file() for root in (SOURCE, REPOSITORY))) == []
