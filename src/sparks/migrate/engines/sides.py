"""Engines of a side by the settings that name them, and the stores that were opened there."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sparks.blobs.port import Blobs
from sparks.jobs.port import Jobs
from sparks.model.errors import BadInput
from sparks.settings import Settings
from sparks.table.port import Table

Engines = Mapping[str, str]

KINDS: Final = ("table", "blobs", "jobs")
WORDS: Final = {
    "sqlite": "table",
    "dynamodb": "table",
    "filesystem": "blobs",
    "s3": "blobs",
    "embedded": "jobs",
    "sqs": "jobs",
}
# The settings that name each engine, the name of the place first
SETTINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "sqlite": ("data",),
    "dynamodb": ("table_name", "dynamodb_endpoint", "region"),
    "filesystem": ("data",),
    "s3": ("bucket", "s3_endpoint", "region"),
    "embedded": ("queue", "data"),
    "sqs": ("queue", "sqs_endpoint", "region"),
}
NAMES: Final[Mapping[str, str]] = {"dynamodb": "table_name", "s3": "bucket", "embedded": "queue", "sqs": "queue"}


@dataclass(frozen=True, slots=True)
class OpenStores:
    """The adapters of one side, without any wrapper."""

    table: Table
    blobs: Blobs
    jobs: Jobs


def engines_of(settings: Settings) -> dict[str, str]:
    """The settings that name the engines in force. No secret is among them."""
    engines: dict[str, str] = {}
    for kind in KINDS:
        engine = getattr(settings, kind)
        values = {name: getattr(settings, name) for name in SETTINGS[engine]}
        engines |= {kind: engine, **{name: str(value) for name, value in values.items() if value is not None}}
    return engines


def settings_for(engines: Engines, settings: Settings) -> Settings:
    """The settings with these engines; what they do not name stays, such as the keys of AWS."""
    update: dict[str, Any] = dict(engines)
    if "data" in update:
        update["data"] = Path(update["data"])
    return settings.model_copy(update=update)


def target_settings(words: str, settings: Settings) -> Settings:
    """The settings with the engines of `--to`, such as `dynamodb,s3,sqs`. BadInput for another word, for two engines of
    one kind, and where nothing would move.
    """
    update: dict[str, str] = {}
    for word in filter(None, (word.strip() for word in words.split(","))):
        kind = WORDS.get(word)
        if kind is None:
            raise BadInput(f"--to {word}: name engines among {', '.join(WORDS)}")
        if kind in update:
            raise BadInput(f"--to names two engines for {kind}, {update[kind]} and {word}: name one")
        update[kind] = word
    if all(getattr(settings, kind) == engine for kind, engine in update.items()):
        raise BadInput("--to names the engines that are in use already: name those to move to, as `dynamodb,s3,sqs`")
    return settings.model_copy(update=update)


def place(kind: str, engines: Engines) -> tuple[str, str]:
    """The engine of a kind, and its name there."""
    engine = engines[kind]
    return engine, engines.get(NAMES.get(engine, ""), "")


def same_place(kind: str, one: Engines, other: Engines) -> bool:
    return place(kind, one) == place(kind, other)


def same_engines(one: Engines, other: Engines) -> bool:
    return all(same_place(kind, one, other) for kind in KINDS)


def shown(engines: Engines) -> str:
    """For a message: `dynamodb sparks, s3 sparks, sqs sparks`."""
    return ", ".join(" ".join(filter(None, place(kind, engines))) for kind in KINDS)


def variables(engines: Engines, before: Engines) -> str:
    """The environment variables that name these engines, where they differ: `SPARKS_TABLE=dynamodb ..`."""
    changed = {name: value for name, value in engines.items() if before.get(name) != value and name != "data"}
    return " ".join(f"SPARKS_{name.upper()}={value}" for name, value in changed.items())
