"""Runs all benchmarks, each in a process of its own: `python -m benchmarks [NAME ..] [--write]`.

With --write the tables go into results.md too, under the date and the size of the machine.
"""

import argparse
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
HELPERS: Final = (
    "__init__",
    "__main__",
    "arriving",
    "crowd",
    "dlib_speed",
    "frame",
    "labelled",
    "legacy_gallery",
    "library",
    "lighthouse",
    "people_scores",
    "selfies",
    "web_library",
)
NAMES: Final = sorted(path.stem for path in HERE.glob("*.py") if path.stem not in HELPERS)
ON_DEMAND: Final = ("people_scale",)  # takes long


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    which = f"which to run: {', '.join(NAMES)} (default: all but {', '.join(ON_DEMAND)})"
    parser.add_argument("names", nargs="*", metavar="NAME", help=which)
    parser.add_argument("--write", action="store_true", help="write the tables into benchmarks/results.md too")
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - set(NAMES):
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))} (there are: {', '.join(NAMES)})")
    tables = [measure(name) for name in arguments.names or sorted({*NAMES} - {*ON_DEMAND})]
    if arguments.write:
        (HERE / "results.md").write_text("\n".join([heading(), *tables]))


def measure(name: str) -> str:
    answer = subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=True, stdout=subprocess.PIPE, text=True)
    print(answer.stdout, flush=True)
    return answer.stdout


def heading() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    machine = f"{os.cpu_count()} cores, {memory:.0f} GiB, Python {platform.python_version()}"
    how = "Written by `python -m benchmarks --write`."
    return f"# One run of all benchmarks\n\n{datetime.now(UTC):%Y-%m-%d}, {machine}. {how}\n"


if __name__ == "__main__":
    main()
