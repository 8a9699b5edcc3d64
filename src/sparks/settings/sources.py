"""Loader of settings: defaults, then TOML file, environment and options."""

import difflib
import os
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from sparks.model.errors import BadSetting
from sparks.settings.definitions import Settings, variable
from sparks.settings.field_types import BadFolder, find_folder, is_secret, setting_type

CONFIG: Final = "SPARKS_CONFIG"
FILE_NAME: Final = "sparks.toml"
VARIABLES: Final = {variable(name): name for name in Settings.model_fields}


def load_settings(options: Mapping[str, Any], environment: Mapping[str, str]) -> Settings:
    """The settings in force. Options that are None and variables that are empty count as not set.

    The option `config` or SPARKS_CONFIG names the file to read; by default it is `sparks.toml` in the data folder, if
    that exists.
    """
    from_options = {name: value for name, value in options.items() if value is not None and name != "config"}
    from_environment = {name: environment[key] for key, name in VARIABLES.items() if environment.get(key)}
    config = options.get("config") or environment.get(CONFIG) or None
    path, from_file = _find_file(config, {**from_environment, **from_options})
    layers = (
        (from_file, lambda name: f"{name} in {path}"),
        (from_environment, variable),
        (from_options, lambda name: f"--{name.replace('_', '-')}"),
    )
    values = {name: value for layer, _ in layers for name, value in layer.items()}
    sources = {name: describe(name) for layer, describe in layers for name in layer}
    settings = _validated(values, sources)
    _check_pairs(settings)
    return settings


def unknown_variables(environment: Mapping[str, str]) -> list[str]:
    """A warning for each SPARKS_ variable that is not a setting."""
    unknown = sorted(key for key in environment if key.startswith("SPARKS_") and key not in {*VARIABLES, CONFIG})
    return [f"{key} is not a setting{_did_you_mean(key, VARIABLES)}" for key in unknown]


def environment_for_child(settings: Settings, environment: Mapping[str, str]) -> dict[str, str]:
    """The environment in which a child process has exactly these settings, without reading the file again."""
    others = {key: value for key, value in environment.items() if not key.startswith("SPARKS_")}
    return {**others, **settings.variables(), CONFIG: os.devnull}


def _find_file(named: str | Path | None, known: Mapping[str, Any]) -> tuple[Path | None, dict[str, Any]]:
    if named is not None:
        return Path(named), _read_file(Path(named))
    try:
        path = find_folder(known.get("data", Settings.model_fields["data"].default)) / FILE_NAME
    except BadFolder:
        return None, {}  # the validation of the settings reports it
    if not path.exists():
        return None, {}
    values = _read_file(path)
    if "data" in values:
        raise BadSetting(f"data in {path}: a file in the data folder cannot name another data folder")
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
            raise BadSetting(f"[{name}] in {path}: write settings at the top, without [sections]")
        if name not in Settings.model_fields:
            raise BadSetting(f"{name} in {path} is not a setting{_did_you_mean(name, Settings.model_fields)}")
    return values


def _validated(values: Mapping[str, Any], sources: Mapping[str, str]) -> Settings:
    try:
        return Settings.model_validate(values, context=sources)
    except ValidationError as error:
        lines = [_message(details, values, sources) for details in error.errors() if _is_own_error(details, values)]
        raise BadSetting("; ".join(dict.fromkeys(lines))) from None  # pydantic's own text would show a secret


def _is_own_error(details: ErrorDetails, values: Mapping[str, Any]) -> bool:
    """False for a default that is computed from another setting and fails because that one is wrong."""
    return details["loc"][0] in values or _reason(details) is not None


def _reason(details: ErrorDetails) -> BadFolder | None:
    error = details.get("ctx", {}).get("error")
    return error if isinstance(error, BadFolder) else None


def _message(details: ErrorDetails, values: Mapping[str, Any], sources: Mapping[str, str]) -> str:
    name = str(details["loc"][0])
    if reason := _reason(details):
        return f"{sources.get(name, name)}: {reason}"
    field = Settings.model_fields[name]
    found = "the value" if is_secret(field) else repr(values[name])
    return f"{sources[name]}: {found} is not {setting_type(field)}"


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
