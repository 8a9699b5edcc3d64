"""Where settings come from: defaults, then a TOML file, then the environment, then options; the later one wins."""

import difflib
import os
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from sparks.model.errors import BadSetting
from sparks.settings.fields import Settings, variable
from sparks.settings.kinds import BadFolder, find_folder, is_secret, kind

CONFIG: Final = "SPARKS_CONFIG"
FILE_NAME: Final = "sparks.toml"
VARIABLES: Final = {variable(name): name for name in Settings.model_fields}


def load_settings(options: Mapping[str, Any], environment: Mapping[str, str]) -> Settings:
    """The settings in force. Options that are None and variables that are empty count as not given.

    `options` may hold `config`, the file to read; otherwise SPARKS_CONFIG names it, or it is `sparks.toml` in the data
    folder, if there is one.
    """
    given = {name: value for name, value in options.items() if value is not None and name != "config"}
    told = {name: environment[key] for key, name in VARIABLES.items() if environment.get(key)}
    path, filed = _find_file(options.get("config") or environment.get(CONFIG) or None, {**told, **given})
    layers = (
        (filed, lambda name: f"{name} in {path}"),
        (told, variable),
        (given, lambda name: f"--{name.replace('_', '-')}"),
    )
    values = {name: value for layer, _ in layers for name, value in layer.items()}
    sources = {name: describe(name) for layer, describe in layers for name in layer}
    settings = _validated(values, sources)
    _check_pairs(settings)
    return settings


def unknown_variables(environment: Mapping[str, str]) -> list[str]:
    """What to warn of: variables that look as if meant for Sparks, and are not."""
    strangers = sorted(key for key in environment if key.startswith("SPARKS_") and key not in {*VARIABLES, CONFIG})
    return [f"{key} is not a setting{_did_you_mean(key, VARIABLES)}" for key in strangers]


def environment_for_child(settings: Settings, environment: Mapping[str, str]) -> dict[str, str]:
    """The environment in which another process has exactly these settings: the file has been read, and is not again."""
    others = {key: value for key, value in environment.items() if not key.startswith("SPARKS_")}
    return {**others, **settings.variables(), CONFIG: os.devnull}


def _find_file(named: str | Path | None, known: Mapping[str, Any]) -> tuple[Path | None, dict[str, Any]]:
    if named is not None:
        return Path(named), _read_file(Path(named))
    try:
        path = find_folder(known.get("data", Settings.model_fields["data"].default)) / FILE_NAME
    except BadFolder:
        return None, {}  # of which the settings complain, when they are put together
    if not path.exists():
        return None, {}
    values = _read_file(path)
    if "data" in values:
        raise BadSetting(f"data in {path}: the file lies in the data folder and cannot name another one")
    return path, values


def _read_file(path: Path) -> dict[str, Any]:
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise BadSetting(f"the settings file {path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise BadSetting(f"the settings file {path} is not TOML: {error}") from error
    for name, value in values.items():
        if name not in Settings.model_fields and isinstance(value, dict):
            raise BadSetting(f"[{name}] in {path}: settings stand at the top, without [sections]")
        if name not in Settings.model_fields:
            raise BadSetting(f"{name} in {path} is not a setting{_did_you_mean(name, Settings.model_fields)}")
    return values


def _validated(values: Mapping[str, Any], sources: Mapping[str, str]) -> Settings:
    try:
        return Settings.model_validate(values, context=sources)
    except ValidationError as error:
        lines = [_complaint(fault, values, sources) for fault in error.errors() if _has_cause(fault, values)]
        raise BadSetting("; ".join(dict.fromkeys(lines))) from None  # pydantic's own text would show a secret


def _has_cause(fault: ErrorDetails, values: Mapping[str, Any]) -> bool:
    """A default that is made of another setting fails with it; only that one is to blame."""
    return fault["loc"][0] in values or _reason(fault) is not None


def _reason(fault: ErrorDetails) -> BadFolder | None:
    error = fault.get("ctx", {}).get("error")
    return error if isinstance(error, BadFolder) else None


def _complaint(fault: ErrorDetails, values: Mapping[str, Any], sources: Mapping[str, str]) -> str:
    name = str(fault["loc"][0])
    if reason := _reason(fault):
        return f"{sources.get(name, name)}: {reason}"
    field = Settings.model_fields[name]
    found = "the value" if is_secret(field) else repr(values[name])
    return f"{sources[name]}: {found} is not {kind(field)}"


def _check_pairs(settings: Settings) -> None:
    if (settings.aws_access_key_id is None) != (settings.aws_secret_access_key is None):
        raise BadSetting("aws_access_key_id and aws_secret_access_key go together: set both or neither")
    if (settings.admin_email is None) != (settings.admin_password_file is None):
        raise BadSetting("admin_email and admin_password_file go together: set both or neither")
    if (settings.oidc_issuer is None) != (settings.oidc_client_id is None):
        raise BadSetting("oidc_issuer and oidc_client_id go together: set both or neither")
    if settings.session_days > settings.session_days_most:
        raise BadSetting("session_days is more than session_days_most: lower one or raise the other")


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.75)
    return f": did you mean {near[0]}?" if near else ""
