"""Scores of a page, by Lighthouse's own preset for phones."""

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.browser.conftest import FLAGS, find_chromium

PROGRAM: Final = Path(__file__).parent / "node_modules/lighthouse/cli/index.js"
CATEGORIES: Final = ("performance", "accessibility", "best-practices")
SECONDS: Final = 180
TRIES: Final = 3  # now and then it misses the beginning of a page, and asks to be run again


@dataclass(frozen=True, slots=True)
class Scores:
    """From 0 to 100; `failed` are the audits that cost points."""

    performance: float
    accessibility: float
    best_practices: float
    failed: dict[str, str]


def scores_of(url: str, *, cookie: str | None = None) -> Scores:
    """For a user with this session cookie, or for an anonymous visitor."""
    command = ["node", str(PROGRAM), url, "--output=json", "--quiet", f"--only-categories={','.join(CATEGORIES)}"]
    environment = os.environ | {"CHROME_PATH": find_chromium()}
    command.append(f"--chrome-flags=--headless=new {' '.join(FLAGS)}")
    if cookie is not None:
        command.append(f"--extra-headers={json.dumps({'Cookie': cookie})}")
    with tempfile.NamedTemporaryFile(suffix=".json") as told:  # a pipe would lose its end when the program exits
        command.append(f"--output-path={told.name}")
        for tries_left in reversed(range(TRIES)):
            done = subprocess.run(command, timeout=SECONDS, check=not tries_left, env=environment)
            if not done.returncode:
                break
        report: dict[str, Any] = json.loads(Path(told.name).read_text())
    performance, accessibility, practices = (100 * report["categories"][name]["score"] for name in CATEGORIES)
    return Scores(performance, accessibility, practices, _failed(report))


def _failed(report: dict[str, Any]) -> dict[str, str]:
    weighed = {each["id"] for name in CATEGORIES for each in report["categories"][name]["auditRefs"] if each["weight"]}
    audits = ((name, report["audits"][name]) for name in sorted(weighed))
    return {name: str(audit.get("displayValue", "")) for name, audit in audits if (audit["score"] or 0) < 1}
