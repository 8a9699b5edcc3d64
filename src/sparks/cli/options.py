"""What commands have in common: the options that choose the settings, and JSON output."""

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from sparks.settings import Settings, load_settings, unknown_variables

Command = TypeVar("Command", bound=Callable[..., Any])


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Gives the command `--data` and `--config`, and hands it the settings in force.

    Options of the command that are named after a setting are part of them.
    """

    @click.option("--data", type=click.Path(path_type=Path), help="Data folder, as `sparks --data`.")
    @click.option("--config", type=click.Path(path_type=Path), help="Settings file, as `sparks --config`.")
    @click.pass_obj
    @functools.wraps(command)
    def run(outer: dict[str, Any], /, **options: Any) -> None:
        chosen = {name: options.pop(name) for name in [*options] if name in Settings.model_fields or name == "config"}
        given = {name: value for name, value in chosen.items() if value is not None}
        settings = load_settings({**outer, **given}, os.environ)
        for warning in unknown_variables(os.environ):
            click.echo(f"sparks: warning: {warning}", err=True)
        command(settings, **options)

    return run


def json_option(command: Command) -> Command:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")(command)


def print_json(content: object) -> None:
    click.echo(msgspec.json.format(msgspec.json.encode(content)))
