"""`sparks settings`: prints the settings in force and their sources."""

import click

from sparks.cli.options import json_option, print_json, print_line, with_settings
from sparks.settings import Settings


@click.command()
@json_option
@with_settings
def settings(settings_in_force: Settings, *, as_json: bool) -> None:
    """Show every setting: its value, the source of the value, and its meaning.

    Secrets are masked. You set a setting in the file (port = 8080), in the environment (SPARKS_PORT=8080) or, for some
    of them, as an option (--port 8080). The environment overrides the file, and an option overrides both.

    \b
    Examples:
      sparks settings
      SPARKS_PORT=8080 sparks settings --json
    """
    rows = [
        {
            "name": name,
            "value": settings_in_force.shown(name),
            "source": settings_in_force.source(name),
            "meaning": field.description,
        }
        for name, field in Settings.model_fields.items()
    ]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        value = "(not set)" if row["value"] is None else _file_text(row["value"])
        print_line(f"{click.style(row['name'], bold=True)} = {value}  [{row['source']}]\n    {row['meaning']}")


def _file_text(value: str | int) -> str:
    """The value as it would be written in the settings file."""
    return str(value).lower() if isinstance(value, bool) else str(value)
